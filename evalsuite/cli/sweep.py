"""`evalsuite sweep`: a checkpoint under a grid of settings."""

from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.engine import (
    ContextOption,
    DtypeOption,
    EngineArgOption,
    MemoryOption,
    ParallelOption,
    engine_options,
    open_model,
    shared_engine,
)
from evalsuite.cli.grid_options import (
    BudgetOption,
    ChatAxisOption,
    DevItemsOption,
    FullOption,
    LimitOption,
    LimitsOption,
    ParsersOption,
    PromptsOption,
    SamplesOption,
    SeedOption,
    ShotsAxisOption,
    TemperaturesOption,
    TopPOption,
    axes,
)
from evalsuite.cli.options import RESULTS, DataDirOption, IncludeOption, JsonOption, SuiteOption, TasksOption


def sweep(
    checkpoint: Annotated[str, typer.Argument(help="A checkpoint folder in Hugging Face format, or a hub id.")],
    suite: SuiteOption = None,
    tasks: TasksOption = None,
    prompts: PromptsOption = None,
    chat_template: ChatAxisOption = None,
    shots: ShotsAxisOption = None,
    temperatures: TemperaturesOption = None,
    top_p: TopPOption = None,
    max_tokens: LimitsOption = None,
    parsers: ParsersOption = None,
    samples: SamplesOption = 1,
    limit: LimitOption = None,
    dev_items: DevItemsOption = 200,
    budget: BudgetOption = None,
    full: FullOption = False,
    seed: SeedOption = 0,
    data_dir: DataDirOption = None,
    include: IncludeOption = None,
    out: Annotated[Path | None, typer.Option(help="The sweep's folder. Default: one named by its content.")] = None,
    no_mlflow: Annotated[bool, typer.Option("--no-mlflow", help="Do not log to MLflow.")] = False,
    dtype: DtypeOption = None,
    tensor_parallel_size: ParallelOption = None,
    gpu_memory_utilization: MemoryOption = None,
    max_model_len: ContextOption = None,
    engine_arg: EngineArgOption = None,
    as_json: JsonOption = False,
) -> None:
    """Sweep a grid of settings on items that are not scored, and show which would be chosen for each task."""
    options = engine_options(engine_arg, dtype, tensor_parallel_size, gpu_memory_utilization)

    from evalsuite.baselines.grid import resolve
    from evalsuite.baselines.plan import SweepWish
    from evalsuite.cli.console import print_json, print_rich
    from evalsuite.cli.show import say_logged
    from evalsuite.cli.sweeping import run_sweep, sources_and_suite
    from evalsuite.report.sweep import sweep_json, sweep_view
    from evalsuite.tracking.sweep import track_sweep

    sources, named_suite, own_axes = sources_and_suite(suite, tasks, tuple(include or ()), data_dir)
    model = open_model(checkpoint, max_model_len)
    asked = axes(own_axes, prompts, chat_template, shots, temperatures, top_p, max_tokens, parsers)
    wish = SweepWish(named_suite, tasks, resolve(asked, model), samples, limit, dev_items, budget, seed, not full)
    with shared_engine(model, options) as engine:
        run, state = run_sweep(model, wish, sources, options, engine.lend, out)
    if as_json:
        print_json(sweep_json(state) | {"folder": str(run.folder)})
    else:
        print_rich("", sweep_view(state, run.name))
    if not no_mlflow:
        say_logged(RESULTS, lambda: track_sweep(run, state, RESULTS))

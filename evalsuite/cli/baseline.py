"""`evalsuite baseline`: sweep, choose, score on held-out items, and seal; `baseline verify` works it all out again."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.default_command import DefaultCommand
from evalsuite.cli.engine import (
    ContextOption,
    DtypeOption,
    EngineArgOption,
    MemoryOption,
    ParallelOption,
    engine_options,
    open_model,
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
from evalsuite.errors import RequestError

app = typer.Typer(
    cls=DefaultCommand,
    help="Give a starting model its best shot and seal it: `evalsuite baseline CHECKPOINT…` (`baseline make --help` "
    "lists its options). Verify a sealed file: `evalsuite baseline verify FILE`.",
    no_args_is_help=True,
)


OFFERED = (
    *("suite", "tasks", "prompts", "chat_template", "shots", "temperatures", "top_p", "max_tokens", "parsers"),
    *("samples", "limit", "dev_items", "budget", "full", "seed"),
)
"""What a sealed file fixes for whoever is measured against it."""


@app.command("make")
def make(
    ctx: typer.Context,
    checkpoints: Annotated[
        list[str],
        typer.Argument(
            metavar="CHECKPOINT...", help="The starting points: folders in Hugging Face format, or hub ids."
        ),
    ],
    suite: SuiteOption = None,
    tasks: TasksOption = None,
    against: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Offer just what this sealed baseline was offered.")
    ] = None,
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
    no_mlflow: Annotated[bool, typer.Option("--no-mlflow", help="Do not log to MLflow.")] = False,
    dtype: DtypeOption = None,
    tensor_parallel_size: ParallelOption = None,
    gpu_memory_utilization: MemoryOption = None,
    max_model_len: ContextOption = None,
    engine_arg: EngineArgOption = None,
    as_json: JsonOption = False,
) -> None:
    """Sweep, choose, score on items that chose nothing, and seal: one file under results/baselines/."""
    options = engine_options(engine_arg, dtype, tensor_parallel_size, gpu_memory_utilization)

    from evalsuite.baselines.grid import resolve
    from evalsuite.baselines.plan import SweepWish, wish_of
    from evalsuite.baselines.seal import check_seal, read_baseline
    from evalsuite.cli.console import print_json, print_rich, remarks
    from evalsuite.cli.sealing import seal_models
    from evalsuite.cli.show import say_logged
    from evalsuite.cli.sweeping import sources_and_suite
    from evalsuite.cli.track import track_stored_sweep
    from evalsuite.evaluate.cells import Sources
    from evalsuite.evaluate.plan import check_context
    from evalsuite.report.baseline import baseline_view
    from evalsuite.tracking.baseline import track_baseline

    includes = tuple(include or ())
    models = [open_model(name, max_model_len) for name in dict.fromkeys(checkpoints)]
    if against is not None:
        given = [(name, ctx.get_parameter_source(name)) for name in OFFERED]
        if beside := [name for name, source in given if source and source.name == "COMMANDLINE"]:
            option = beside[0].replace("_", "-")
            raise RequestError(f"--against {against} fixes what is offered, so --{option} cannot be named beside it")
        held = read_baseline(against)
        check_seal(held, against)
        wish = wish_of(held)
        for model in models:
            check_context(model, max(wish.grid.max_tokens))
        sources = Sources(includes, data_dir)
    else:
        sources, named_suite, own = sources_and_suite(suite, tasks, includes, data_dir)
        asked = axes(own, prompts, chat_template, shots, temperatures, top_p, max_tokens, parsers)
        grid = resolve(asked, min(models, key=lambda model: model.context))
        wish = SweepWish(named_suite, tasks, grid, samples, limit, dev_items, budget, seed, not full)
    path, content = seal_models(models, wish, sources, options)
    if as_json:
        print_json(content | {"file": str(path)})
    else:
        print_rich("", baseline_view(content))
    remarks().print(f"\nsealed     {path}", markup=False)
    if not no_mlflow:
        sweeps = [RESULTS / "runs" / model["sweep"]["run"] for model in content["models"]]
        logs = [partial(track_stored_sweep, folder) for folder in sweeps]
        say_logged(RESULTS, *logs, lambda: track_baseline(path, content, RESULTS))


@app.command("verify")
def verify(
    file: Annotated[Path, typer.Argument(help="A sealed baseline.")],
    as_json: JsonOption = False,
) -> None:
    """Work a sealed baseline out again from its rollouts, and name every field that differs."""
    from evalsuite.baselines.seal import read_baseline, seal
    from evalsuite.cli.console import print_json
    from evalsuite.cli.verifying import recompute

    content = read_baseline(file)
    found = recompute(content, file)
    intact = seal(content) == content["seal"]
    if as_json:
        print_json({"file": str(file), "seal_intact": intact, "differences": found, "verified": intact and not found})
    if found:
        more = f"; and {len(found) - 1} more fields (--json lists them)" if len(found) > 1 else ""
        raise RequestError(f"{file}: {found[0]}{more}")
    if not intact:
        raise RequestError(
            f"{file}: a field that no rollout can confirm was changed after sealing (created, command, evalsuite, "
            "or one that was added): seal it again with `evalsuite baseline`"
        )
    if not as_json:
        rollouts = sum(model[part]["rollouts"] for model in content["models"] for part in ("sweep", "scored"))
        print(f"verified: {file} follows from its {rollouts:,} rollouts, each graded again; seal {content['seal']}")

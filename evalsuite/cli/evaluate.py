"""`evalsuite eval`: measure a checkpoint, or all steps of a training run, from nothing to a table."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalsuite.cli.engine import (
    ContextOption,
    DtypeOption,
    EngineArgOption,
    MemoryOption,
    ParallelOption,
    engine_options,
    open_model,
    starter,
)
from evalsuite.cli.options import (
    RESULTS,
    ChatOption,
    DataDirOption,
    IncludeOption,
    JsonOption,
    PromptOption,
    ShotsOption,
    SuiteOption,
    TasksOption,
)
from evalsuite.errors import RunError

if TYPE_CHECKING:
    from evalsuite.evaluate.plan import Plan
    from evalsuite.evaluate.run import Run
    from evalsuite.report.summary import Summary


def evaluate(
    checkpoint: Annotated[
        str,
        typer.Argument(
            help="A checkpoint folder in Hugging Face format, a hub id, or a folder of the steps of a training run."
        ),
    ],
    suite: SuiteOption = None,
    tasks: TasksOption = None,
    prompt: PromptOption = None,
    chat_template: ChatOption = None,
    shots: ShotsOption = None,
    temperature: Annotated[
        float | None, typer.Option(min=0, help="Default: 0 for one sample an item, 0.6 for several.")
    ] = None,
    top_p: Annotated[float, typer.Option(min=0.0001, max=1, help="Nucleus sampling.")] = 1.0,
    samples: Annotated[int, typer.Option(min=1, help="Answers per item.")] = 1,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Token limit of an answer. Default: 16384, or 3/4 of a smaller context.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Ask only N items of each task: always the same N, spread over the task.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed gives other samples.")] = 0,
    data_dir: DataDirOption = None,
    include: IncludeOption = None,
    out: Annotated[Path | None, typer.Option(help="The run's folder. Default: one named by its content.")] = None,
    no_mlflow: Annotated[bool, typer.Option("--no-mlflow", help="Do not log to MLflow.")] = False,
    dtype: DtypeOption = None,
    tensor_parallel_size: ParallelOption = None,
    gpu_memory_utilization: MemoryOption = None,
    max_model_len: ContextOption = None,
    engine_arg: EngineArgOption = None,
    as_json: JsonOption = False,
) -> None:
    """Evaluate a checkpoint, or each step of a training run: generate, store, grade, table, log.

    The same command goes on after a kill.
    """
    options = engine_options(engine_arg, dtype, tensor_parallel_size, gpu_memory_utilization)

    from evalsuite.catalog.series import step_folders
    from evalsuite.cli.pick import names, on_or_off
    from evalsuite.evaluate.plan import Wish, make_plan

    chat = on_or_off("--chat-template", chat_template)
    wish = Wish(suite, tasks, names(prompt), temperature, top_p, samples, max_tokens, limit, seed, chat, shots)
    steps = step_folders(Path(checkpoint))
    models = [str(path) for path in steps.steps.values()] if steps else [checkpoint]
    plans = [make_plan(open_model(model, max_model_len), wish, tuple(include or ()), data_dir) for model in models]
    if steps is None:
        _run(plans[0], out, options, as_json=as_json, log_to_mlflow=not no_mlflow)
    else:
        _run_steps(dict(zip(steps.steps, plans, strict=True)), steps.left_out, out, options, as_json, not no_mlflow)


def _run(plan: "Plan", out: Path | None, options: dict[str, Any], *, as_json: bool, log_to_mlflow: bool) -> None:
    """Bring a run to completion and show its table."""
    from evalsuite.cli.show import show_run

    run, summary = _completed(plan, out, options)
    show_run(run, summary, as_json=as_json, results=RESULTS, log_to_mlflow=log_to_mlflow)
    _check_failed(run, summary)


def _run_steps(
    plans: "dict[int, Plan]",
    left_out: Sequence[tuple[Path, str]],
    out: Path | None,
    options: dict[str, Any],
    as_json: bool,
    log_to_mlflow: bool,
) -> None:
    """Bring a run for each step to completion, and show them together."""
    from evalsuite.cli.console import remarks
    from evalsuite.cli.series import series_of, show_series
    from evalsuite.cli.show import show_run

    for path, why in left_out:
        remarks().print(f"left out: {path}: {why}", markup=False)
    folders = []
    for number, (step, plan) in enumerate(plans.items(), start=1):
        remarks().print(f"\nstep {step}, {number} of {len(plans)}: {plan.checkpoint.path}", markup=False)
        run, summary = _completed(plan, out / f"step-{step}" if out else None, options)
        if not as_json or len(plans) == 1:
            show_run(run, summary, as_json=as_json, results=RESULTS, log_to_mlflow=log_to_mlflow)
        _check_failed(run, summary)
        folders.append(run.folder)
    if len(folders) > 1:
        show_series(series_of(folders, None), None, as_json)
        named = " ".join(map(str, folders))
        remarks().print(f"\nnext       evalsuite series {named} --baseline SEALED --plot curves.png", markup=False)


def _completed(plan: "Plan", out: Path | None, options: dict[str, Any]) -> "tuple[Run, Summary]":
    from evalsuite.cli.progress import RunProgress
    from evalsuite.cli.show import show_left_out
    from evalsuite.evaluate.adopt import find_donors
    from evalsuite.evaluate.loop import evaluate as bring_to_completion
    from evalsuite.evaluate.run import default_folder, load_run
    from evalsuite.report.from_run import summarise_run

    folder = out or default_folder(plan, RESULTS)
    donors = find_donors(RESULTS / "runs", plan, folder, options)
    samples = plan.planned[0].protocol.sampling.samples
    with RunProgress(samples) as progress:
        show_left_out(plan, progress.say)
        try:
            bring_to_completion(plan, folder, starter(plan.checkpoint, options, progress.say), progress, donors)
        except KeyboardInterrupt:
            raise RunError(f"stopped; what is done is kept in {folder}, and the same command goes on") from None
    run = load_run(folder)
    return run, summarise_run(run)


def _check_failed(run: "Run", summary: "Summary") -> None:
    if any(row.failed for row in summary.tasks):
        raise RunError(f"some requests failed; the same command tries them again ({run.folder})")

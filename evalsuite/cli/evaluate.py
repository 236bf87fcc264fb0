"""`evalsuite eval`: measure one checkpoint, from nothing to a table."""

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


def evaluate(
    checkpoint: Annotated[str, typer.Argument(help="A checkpoint folder in Hugging Face format, or a hub id.")],
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
    """Evaluate a checkpoint: generate, store, grade, table, log. The same command goes on after a kill."""
    options = engine_options(engine_arg, dtype, tensor_parallel_size, gpu_memory_utilization)

    from evalsuite.cli.pick import names, on_or_off
    from evalsuite.cli.progress import RunProgress
    from evalsuite.cli.show import show_left_out, show_run
    from evalsuite.errors import RunError
    from evalsuite.evaluate.adopt import find_donors
    from evalsuite.evaluate.loop import evaluate as bring_to_completion
    from evalsuite.evaluate.plan import Wish, make_plan
    from evalsuite.evaluate.run import default_folder, load_run
    from evalsuite.report.from_run import summarise_run

    chat = on_or_off("--chat-template", chat_template)
    wish = Wish(suite, tasks, names(prompt), temperature, top_p, samples, max_tokens, limit, seed, chat, shots)
    opened = open_model(checkpoint, max_model_len)
    plan = make_plan(opened, wish, tuple(include or ()), data_dir)
    folder = out or default_folder(plan, RESULTS)
    donors = find_donors(RESULTS / "runs", plan, folder, options)
    with RunProgress(samples) as progress:
        show_left_out(plan, progress.say)
        try:
            bring_to_completion(plan, folder, starter(opened, options, progress.say), progress, donors)
        except KeyboardInterrupt:
            raise RunError(f"stopped; what is done is kept in {folder}, and the same command goes on") from None
    run = load_run(folder)
    summary = summarise_run(run)
    show_run(run, summary, as_json=as_json, results=RESULTS, log_to_mlflow=not no_mlflow)
    if any(row.failed for row in summary.tasks):
        raise RunError(f"some requests failed; the same command tries them again ({folder})")

"""`evalsuite eval`: measure one checkpoint, from nothing to a table."""

from pathlib import Path
from typing import Annotated, Any

import typer

from evalsuite.cli.options import (
    RESULTS,
    DataDirOption,
    IncludeOption,
    JsonOption,
    PromptOption,
    SuiteOption,
    TasksOption,
)


def evaluate(
    checkpoint: Annotated[str, typer.Argument(help="A checkpoint folder in Hugging Face format, or a hub id.")],
    suite: SuiteOption = None,
    tasks: TasksOption = None,
    prompt: PromptOption = None,
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
    dtype: Annotated[str | None, typer.Option(help="vLLM: bfloat16, float16, float32.")] = None,
    tensor_parallel_size: Annotated[int | None, typer.Option(min=1, help="vLLM: GPUs that share the model.")] = None,
    gpu_memory_utilization: Annotated[float | None, typer.Option(help="vLLM: share of GPU memory to use.")] = None,
    max_model_len: Annotated[int | None, typer.Option(min=1, help="Use a shorter context than the model's.")] = None,
    engine_arg: Annotated[
        list[str] | None, typer.Option("--engine-arg", metavar="NAME=VALUE", help="Any other vLLM engine argument.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Evaluate a checkpoint: generate, store, grade, table, log. The same command goes on after a kill."""
    options = _engine_options(engine_arg or [])
    named = {
        "dtype": dtype,
        "tensor_parallel_size": tensor_parallel_size,
        "gpu_memory_utilization": gpu_memory_utilization,
    }
    options |= {name: value for name, value in named.items() if value is not None}

    from dataclasses import replace

    from evalsuite.catalog.checkpoint import open_checkpoint
    from evalsuite.cli.progress import RunProgress
    from evalsuite.cli.show import show_left_out, show_run
    from evalsuite.engines.vllm import VllmEngine
    from evalsuite.errors import RunError
    from evalsuite.evaluate.loop import evaluate as bring_to_completion
    from evalsuite.evaluate.plan import Wish, make_plan
    from evalsuite.evaluate.run import default_folder, load_run
    from evalsuite.report.from_run import summarise_run

    prompts = tuple(name.strip() for name in (prompt or "").split(",") if name.strip())
    wish = Wish(suite, tasks, prompts, temperature, top_p, samples, max_tokens, limit, seed)
    opened = open_checkpoint(checkpoint)
    if max_model_len is not None:
        opened = replace(opened, context=min(opened.context, max_model_len))
    plan = make_plan(opened, wish, tuple(include or ()), data_dir)
    folder = out or default_folder(plan, RESULTS)
    with RunProgress(samples) as progress:
        show_left_out(plan, progress.say)

        def make_engine(log: Path, longest: int) -> VllmEngine:
            progress.say(f"loading {opened.name} into vLLM (its log: {log})")
            return VllmEngine(opened.path, log, longest, options)

        try:
            bring_to_completion(plan, folder, make_engine, progress)
        except KeyboardInterrupt:
            raise RunError(f"stopped; what is done is kept in {folder}, and the same command goes on") from None
    run = load_run(folder)
    summary = summarise_run(run)
    show_run(run, summary, as_json=as_json, results=RESULTS, log_to_mlflow=not no_mlflow)
    if any(row.failed for row in summary.tasks):
        raise RunError(f"some requests failed; the same command tries them again ({folder})")


def _engine_options(pairs: list[str]) -> dict[str, Any]:
    """`NAME=VALUE` pairs, the values read as YAML: numbers, true/false, null, text."""
    import yaml

    from evalsuite.errors import RequestError

    options = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise RequestError(f"--engine-arg {pair}: write it as NAME=VALUE")
        try:
            options[name.replace("-", "_")] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise RequestError(f"--engine-arg {pair}: the value is not valid YAML: put it in quotes") from None
    return options

"""What several commands need to run a model: vLLM's options, and how the engine is started."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalsuite.errors import RequestError

if TYPE_CHECKING:
    from evalsuite.catalog.checkpoint import Checkpoint
    from evalsuite.engines.shared import SharedEngine
    from evalsuite.engines.vllm import VllmEngine

DtypeOption = Annotated[str | None, typer.Option(help="vLLM: bfloat16, float16, float32.")]
ParallelOption = Annotated[int | None, typer.Option(min=1, help="vLLM: GPUs that share the model.")]
MemoryOption = Annotated[float | None, typer.Option(help="vLLM: share of GPU memory to use.")]
ContextOption = Annotated[int | None, typer.Option(min=1, help="Use a shorter context than the model's.")]
EngineArgOption = Annotated[
    list[str] | None, typer.Option("--engine-arg", metavar="NAME=VALUE", help="Any other vLLM engine argument.")
]


def engine_options(
    pairs: list[str] | None, dtype: str | None, tensor_parallel_size: int | None, gpu_memory_utilization: float | None
) -> dict[str, Any]:
    """vLLM's engine arguments: `NAME=VALUE` pairs, the values read as YAML, and those with an option of their own."""
    import yaml

    options = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals:
            raise RequestError(f"--engine-arg {pair}: write it as NAME=VALUE")
        try:
            options[name.replace("-", "_")] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise RequestError(f"--engine-arg {pair}: the value is not valid YAML: put it in quotes") from None
    named = {
        "dtype": dtype,
        "tensor_parallel_size": tensor_parallel_size,
        "gpu_memory_utilization": gpu_memory_utilization,
    }
    return options | {name: value for name, value in named.items() if value is not None}


def open_model(name: str, max_model_len: int | None) -> "Checkpoint":
    """The checkpoint, with a context that the user may have shortened."""
    from dataclasses import replace

    from evalsuite.catalog.checkpoint import open_checkpoint

    opened = open_checkpoint(name)
    if max_model_len is None:
        return opened
    return replace(opened, context=min(opened.context, max_model_len))


def starter(
    checkpoint: "Checkpoint", options: dict[str, Any], say: Callable[[str], None]
) -> Callable[[Path, int], "VllmEngine"]:
    """What loads the checkpoint into vLLM, once it is needed."""
    from evalsuite.engines import vllm

    def start(log: Path, longest: int) -> "VllmEngine":
        say(f"loading {checkpoint.name} into vLLM (its log: {log})")
        return vllm.VllmEngine(checkpoint.path, log, longest, options)

    return start


def shared_engine(checkpoint: "Checkpoint", options: dict[str, Any]) -> "SharedEngine":
    """An engine of this checkpoint for several runs, loaded once it is needed."""
    from evalsuite.cli.console import remarks
    from evalsuite.engines.shared import SharedEngine

    def say(line: str) -> None:
        remarks().print(line, markup=False)

    return SharedEngine(starter(checkpoint, options, say), checkpoint.context)

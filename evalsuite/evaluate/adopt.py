"""Nothing is generated twice: what another run of the same checkpoint holds of a cell is taken from there."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from evalsuite.errors import RequestError
from evalsuite.evaluate.plan import Plan
from evalsuite.evaluate.run import FORMAT, Key
from evalsuite.rollouts import jsonl, store
from evalsuite.rollouts.prefix import Decode, at_limit
from evalsuite.rollouts.record import FinishReason, Rollout

HARMLESS = frozenset(
    {
        *("tensor_parallel_size", "pipeline_parallel_size", "gpu_memory_utilization", "cpu_offload_gb"),
        *("max_num_seqs", "max_num_batched_tokens", "enforce_eager", "swap_space"),
    }
)
"""Engine arguments that say where and how fast a model runs; any other may change its answers."""


class Donors:
    """Rollouts of other runs, by cell, item and sample: the same key of the same checkpoint is the same answer."""

    def __init__(self, folders: Sequence[Path], cells: Iterable[str]) -> None:
        self.folders = tuple(folders)
        self._cells = frozenset(cells)
        self._kept: dict[Key, list[tuple[Path, Rollout]]] | None = None

    def take(self, wanted: dict[Key, int], decode: Decode) -> dict[Path, list[Rollout]]:
        """What there is of the wanted rollouts, as they are under the token limit given for each; by run."""
        if not self.folders:
            return {}
        if self._kept is None:
            self._kept = self._read()
        found: dict[Path, list[Rollout]] = {}
        for key, limit in wanted.items():
            for folder, rollout in self._kept.get(key, ()):
                if tells(rollout, limit):
                    found.setdefault(folder, []).append(at_limit(rollout, limit, decode))
                    break
        return found

    def _read(self) -> dict[Key, list[tuple[Path, Rollout]]]:
        kept: dict[Key, list[tuple[Path, Rollout]]] = {}
        for folder in self.folders:
            for key, rollout in store.rollouts(folder).items():
                if rollout.cell in self._cells:
                    kept.setdefault(key, []).append((folder, rollout))
        return kept


def tells(rollout: Rollout, limit: int) -> bool:
    """Whether this rollout says what the answer is under this limit: it ended by itself, or went on for so long."""
    if rollout.token_ids is None:
        return False
    return rollout.finish_reason is FinishReason.STOP or (
        rollout.finish_reason is FinishReason.LENGTH and len(rollout.token_ids) >= limit
    )


def find_donors(runs: Path, plan: Plan, own: Path, engine_options: dict[str, Any]) -> Donors:
    """The runs in a folder that hold cells of this plan, of the same checkpoint and from engines that answer alike.

    `own` is the folder of the plan itself.
    """
    cells = {planned.protocol.cell for planned in plan.planned}
    folders = [
        folder
        for folder in same_checkpoint(runs, plan.checkpoint.sha256)
        if folder.resolve() != own.resolve()
        and cells & {protocol["cell"] for protocol in store.read_manifest(folder)["protocols"]}
        and all(answering(engine) == answering({"options": engine_options}) for engine in engines_of(folder))
    ]
    return Donors(folders, cells)


def answering(engine: dict[str, Any]) -> dict[str, Any]:
    """The options that a user gave an engine, as it describes itself, without those that change no answer."""
    return {name: value for name, value in engine.get("options", {}).items() if name not in HARMLESS}


def same_checkpoint(runs: Path, sha256: str) -> list[Path]:
    """The folders of the runs of one checkpoint, oldest name first; a damaged or older one is passed over."""
    found = []
    for file in sorted(runs.glob(f"*/{store.MANIFEST}")):
        try:
            manifest = store.read_manifest(file.parent)
        except RequestError:
            continue
        if manifest.get("format") == FORMAT and manifest["checkpoint"]["sha256"] == sha256:
            found.append(file.parent)
    return found


def engines_of(folder: Path) -> list[dict[str, Any]]:
    """Every engine that generated rollouts of this run, those of adopted rollouts included; each once."""
    engines: list[dict[str, Any]] = []
    for session in jsonl.read(folder / store.SESSIONS):
        for engine in session["engines"]:
            if engine not in engines:
                engines.append(engine)
    return engines


def engine_words(engines: Iterable[dict[str, Any]]) -> str:
    """Engines as they describe themselves, in words: version, precision and device of each; "unknown" for none."""
    names = []
    for engine in engines:
        version = engine.get("version") or {}
        parts = [
            *(f"{name} {number}" for name, number in version.items()),
            *(str(engine[name]) for name in ("dtype", "device") if name in engine),
        ]
        names.append(" ".join(part for part in parts if part) or str(engine.get("name")))
    return ", ".join(dict.fromkeys(names)) or "unknown"

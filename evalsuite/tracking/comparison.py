"""A comparison in MLflow: both sides and the naive setting as parameters, every gain as a metric."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evalsuite.baselines.compare import Comparison
from evalsuite.baselines.seal import read_baseline
from evalsuite.baselines.sides import Side
from evalsuite.errors import RequestError
from evalsuite.protocol import digest
from evalsuite.report.comparison import MARK, READINGS, comparison_json, points
from evalsuite.rollouts import jsonl, store
from evalsuite.stats.intervals import Estimate
from evalsuite.tracking.log import log
from evalsuite.tracking.record import Record, ends, metrics, params, pipes, tags
from evalsuite.tracking.run import experiment_of

FILE = "comparison.json"
SIDES = ("start", "trained")


def track_comparison(comparison: Comparison, naive: Mapping[str, Any], results: Path) -> str:
    """Keep a comparison in a folder of its own, log it, and return the MLflow run's id.

    Raises:
        TrackingAwayError: MLflow did not take it; `evalsuite track` does it later.
    """
    return track_kept(keep(comparison, naive, results / "comparisons"), results)


def track_kept(folder: Path, results: Path) -> str:
    """Log a comparison from its folder.

    Raises:
        RequestError: the folder holds none.
        TrackingAwayError: MLflow did not take it.
    """
    return log(comparison_record(read_comparison(folder)), folder, results)


def keep(comparison: Comparison, naive: Mapping[str, Any], folder: Path) -> Path:
    """Write the comparison to `NAME-HASH` in `folder`: the same sides and naive setting have the same place."""
    sides = {name: _identity(getattr(comparison, name)) for name in SIDES}
    place = f"{comparison.trained.name}-vs-{comparison.start.name}"[:80]
    kept = folder / f"{place}-{digest([sides, dict(naive)])[:8]}"
    of = {"suite": comparison.start.wish["suite"], "sides": sides, "naive": dict(naive)}
    content = comparison_json(comparison) | of
    jsonl.write_whole(kept / FILE, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return kept


def read_comparison(folder: Path) -> dict[str, Any]:
    """What `keep` wrote.

    Raises:
        RequestError: no comparison there, or a damaged one.
    """
    path = folder / FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        content = None
    if not isinstance(content, dict) or not {"tasks", "sides", "naive"} <= content.keys():
        raise RequestError(f"{path}: not a comparison, or a damaged one: `evalsuite compare` makes it again")
    return content


def comparison_record(content: Mapping[str, Any]) -> Record:
    """The record of a kept comparison. What makes it unequal is in a tag, in its name and in its table."""
    names = {name: content[name]["name"] for name in SIDES}
    heading = f"{names['trained']} against {names['start']}"
    if content["unequal"]:
        heading += f" · {MARK}"
    facts = {f"{name}.{what}": value for name in SIDES for what, value in content["sides"][name].items()}
    naive = {f"naive.{name}": value for name, value in content["naive"].items()}
    return Record(
        experiment=experiment_of(content["suite"], "compare"),
        name=heading,
        params=params({**names, **facts, **naive}),
        metrics=metrics(_numbers(content)),
        tags=tags(_tags(content)),
        table=_table(heading, content),
        data={FILE: dict(content)},
    )


def _tags(content: Mapping[str, Any]) -> dict[str, str]:
    evidence = content["average"]["best"].get("evidence")
    unequal = {"unequal": "; ".join(content["unequal"])} if content["unequal"] else {}
    return unequal | ({"verdict": evidence["word"]} if evidence else {})


def _identity(side: Side) -> dict[str, Any]:
    """What a side is, whichever folder it lies in today: a seal, or the hash of what a run asked for."""
    made_by = (
        {"seal": read_baseline(side.source)["seal"]}
        if side.sealed
        else {"identity": store.read_manifest(side.source)["identity"]}
    )
    return {"source": side.source.name, "checkpoint.sha256": side.sha256} | made_by


def _rows(content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*content["tasks"], content["average"]]


def _numbers(content: Mapping[str, Any]) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for row in _rows(content):
        task = row["task"]
        found[f"{task}.items"] = row["items"]
        for reading in READINGS:
            told = row[reading]
            for what in ("start", "trained", "gain"):
                found |= ends(f"{task}.{reading}.{what}", told[what])
            if evidence := told.get("evidence"):
                found |= {f"{task}.{reading}.{name}": evidence[name] for name in ("p", "adjusted", "detectable")}
        for part, estimate in (row["parts"] or {}).items():
            found |= ends(f"{task}.part.{part}", estimate)
    return found


def _table(heading: str, content: Mapping[str, Any]) -> str:
    headers = ("task", "reading", "start", "trained", "gain in points [95 %]", "items")
    table = pipes(headers, _lines(content), right=headers[2:])
    unequal = [f"- unequal: {reason}" for reason in content["unequal"]]
    seals = [f"- {line}" for line in content["seals"]]
    return "\n".join([f"**{heading}**", "", *unequal, "", table, "", *seals, ""])


def _lines(content: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for row in _rows(content):
        for reading, title in READINGS.items():
            told = row[reading]
            shares = (_share(told[side]) for side in SIDES)
            yield (row["task"], title, *shares, points(_estimate(told["gain"])), f"{row['items']:,}")
        for part, estimate in (row["parts"] or {}).items():
            yield (row["task"], f"of the difference: {part}", "", "", points(_estimate(estimate)), "")


def _share(told: Mapping[str, Any] | None) -> str:
    return "–" if told is None else f"{100 * told['value']:.1f}"


def _estimate(told: Mapping[str, Any] | None) -> Estimate | None:
    return None if told is None else Estimate(**told)

"""A sealed baseline worked out again from the rollouts that it names."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evalsuite.baselines.seal import differences, rollouts_hash
from evalsuite.cli.options import RESULTS
from evalsuite.cli.progress import RunProgress
from evalsuite.cli.sealing import entry_of
from evalsuite.cli.sweeping import stored_sweep
from evalsuite.errors import RequestError
from evalsuite.evaluate.limits import at_limits
from evalsuite.evaluate.regrade import changed_verdicts, grade_missing, make_pool
from evalsuite.evaluate.run import load_run
from evalsuite.grading.grade import grader_hash
from evalsuite.rollouts import store


def recompute(content: Mapping[str, Any], file: Path) -> list[str]:
    """Every field of the file that differs from what its rollouts say.

    Raises:
        RequestError: the rollouts are not here, or were graded by another grader than the present one.
    """
    if content["grader"] != grader_hash():
        raise RequestError(
            f"{file}: sealed with grader {content['grader']}, and this evalsuite has {grader_hash()}: "
            "verify it with the version that sealed it, or seal it again (nothing is generated anew)"
        )
    found: list[str] = []
    for number, stated in enumerate(content["models"]):
        where = f"models[{number}]"
        folders = {part: run_folder(stated[part]["run"], file) for part in ("sweep", "scored")}
        if changed := [line for part in folders for line in _changed(stated[part], folders[part], f"{where}.{part}")]:
            found += changed  # nothing can be worked out from rollouts that are not those that were sealed
            continue
        swept, state = stored_sweep(folders["sweep"])
        for folder in folders.values():
            check_verdicts(folder, swept.manifest["sweep"]["grid"]["max_tokens"])
        offered = {name: value for name, value in swept.manifest["sweep"].items() if name != "tasks"}
        offered["suite"] = swept.manifest["suite"]
        found += differences({name: content.get(name) for name in offered}, offered)
        found += differences(stated, entry_of(swept, state, load_run(folders["scored"])), where)
    return found


def _changed(stated: Mapping[str, Any], folder: Path, where: str) -> list[str]:
    """In what the rollouts of a run are not those that a file names."""
    rollouts = load_run(folder).rollouts.values()
    there = {"rollouts": len(rollouts), "rollouts_sha256": rollouts_hash(rollouts)}
    return differences({name: stated[name] for name in there}, there, where)


def check_verdicts(folder: Path, limits: Sequence[int]) -> None:
    """Grade every rollout of a run again, under every token limit, and hold it against the stored verdict.

    Raises:
        RequestError: one differs: it was edited, or grading is not what it was.
    """
    with store.lock(folder), RunProgress(None) as progress, make_pool(beside_engine=False) as pool:
        grade_missing(load_run(folder), pool, progress)
        for run in at_limits(load_run(folder), limits, pool, progress):
            if changed := changed_verdicts(run, pool, progress):
                cell, item, sample = changed[0]
                raise RequestError(
                    f"{folder}: {len(changed)} stored verdicts are not what the grader says, the first of item {item}, "
                    f"sample {sample}, cell {cell}: delete {folder}/{store.VERDICTS} and they are made anew"
                )


def run_folder(name: str, file: Path) -> Path:
    """The folder of a run that a baseline names: beside the folder of baselines, or below `results` here.

    Raises:
        RequestError: it is in neither place.
    """
    places = [file.resolve().parent.parent / "runs" / name, RESULTS / "runs" / name]
    for place in places:
        if place.is_dir():
            return place
    raise RequestError(
        f"{file}: its rollouts are not here: no folder {places[0]}; copy it there from where it was made"
    )

"""What `compare` does beside showing: it reads the sides, and generates what a reading lacks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evalsuite.baselines.compare import Comparison, Lacking, compare
from evalsuite.baselines.fairness import check_grader
from evalsuite.baselines.grid import Grid
from evalsuite.baselines.plan import SweepWish
from evalsuite.baselines.seal import check_seal, read_baseline
from evalsuite.baselines.sides import Side, run_side, sealed_sides
from evalsuite.catalog.checkpoint import open_checkpoint
from evalsuite.catalog.grids import GridAxes
from evalsuite.catalog.prompts import find_prompt, load_prompts, needing_chat
from evalsuite.cli.engine import shared_engine
from evalsuite.cli.options import RESULTS
from evalsuite.cli.progress import RunProgress
from evalsuite.cli.sealing import cell_of, run_scored
from evalsuite.errors import RequestError
from evalsuite.evaluate.adopt import answering
from evalsuite.evaluate.cells import Cell, Sources
from evalsuite.evaluate.regrade import make_pool
from evalsuite.evaluate.watch import Watch
from evalsuite.grading.grade import grader_hash
from evalsuite.grading.pool import GraderPool
from evalsuite.stats.verdicts import MATTERS

NAIVE: dict[str, Any] = {"parser": "strict"}


def comparisons_of(
    start: Path, trained: Sequence[Path], naive: Mapping[str, Any], includes: Sequence[Path], matters: float = MATTERS
) -> list[Comparison]:
    """Every starting point against every trained model."""
    with RunProgress(None) as progress, make_pool(beside_engine=False) as pool:
        starts = sides_of(start, pool, progress)
        others = [side for path in trained for side in sides_of(path, pool, progress)]
        needing = needing_chat(includes)
        return [compare(one, other, naive, needing, matters) for other in others for one in starts]


def naive_fields(text: str | None, includes: Sequence[Path]) -> dict[str, Any]:
    """The fields that `--naive` fixes.

    Raises:
        RequestError: an unknown name, or a value that it cannot have.
    """
    readers: dict[str, Callable[[str], Any]] = {
        "prompt": str,
        "chat": lambda value: {"on": True, "off": False}[value],
        "shots": lambda value: _only(GridAxes(shots=(int(value),)).shots),
        "temperature": lambda value: _only(GridAxes(temperatures=(float(value),)).temperatures),
        "top_p": lambda value: _only(GridAxes(top_p=(float(value),)).top_p),
        "max_tokens": lambda value: _only(GridAxes(max_tokens=(int(value),)).max_tokens),
        "parser": lambda value: {"strict": "strict", "lenient": "lenient"}[value],
    }
    fields = dict(NAIVE)
    for pair in (text or "").split(",") if text else []:
        name, _, value = (part.strip() for part in pair.partition("="))
        if name not in readers:
            raise RequestError(f"--naive {pair}: no setting named '{name}'; there are {', '.join(readers)}")
        try:
            fields[name] = readers[name](value)
        except (ValueError, KeyError):
            raise RequestError(f"--naive {pair}: '{value}' is no value of {name}") from None
    if "prompt" in fields:
        fields["prompt_sha256"] = find_prompt(load_prompts(includes), fields["prompt"]).sha256
    return fields


def _only(axis: tuple[Any, ...] | None) -> Any:
    """The value of an axis that has one: the rules of a grid hold for it."""
    (value,) = axis or ()
    return value


def fill(
    comparisons: Sequence[Comparison], includes: Sequence[Path], data_dir: Path | None, options: dict[str, Any]
) -> bool:
    """Generate what the readings lack, one side after the other; returns whether there was anything."""
    by_side: dict[tuple[str, Path], tuple[Side, list[Lacking]]] = {}
    for comparison in comparisons:
        for side in (comparison.start, comparison.trained):
            lacks = [lack for lack in comparison.lacking if lack.sha256 == side.sha256 and not lack.impossible]
            by_side.setdefault((side.sha256, side.source), (side, []))[1].extend(lacks)
    wanted = [(side, lacks) for side, lacks in by_side.values() if lacks]
    for side, lacks in wanted:
        if side.path is None:
            raise RequestError(f"{side.source}: which checkpoint it is of is not known, so nothing can be generated")
        asked: dict[str, dict[Cell, list[str]]] = {}
        for lack in lacks:
            items = asked.setdefault(lack.task, {}).setdefault(cell_of(lack.setting), [])
            items += [item for item in lack.items if item not in items]
        model = replace(open_checkpoint(side.path), context=side.treatment["context"])
        if model.sha256 != side.sha256:
            raise RequestError(f"{side.path}: not the checkpoint of {side.source} any more: its bytes have changed")
        alike = {name: value for engine in side.engines for name, value in answering(engine).items()} | options
        with shared_engine(model, alike) as engine:
            run_scored(model, _wish(side, lacks), Sources(includes, data_dir), alike, engine.lend, asked)
    return bool(wanted)


def sides_of(path: Path, pool: GraderPool, watch: Watch) -> list[Side]:
    """The side that a run folder is, or the sides that a sealed file holds.

    Raises:
        RequestError: neither of both, or a seal that does not hold.
    """
    runs = RESULTS / "runs"
    if path.is_dir():
        return [run_side(path, runs, pool, watch)]
    content = read_baseline(path)
    check_seal(content, path)
    check_grader(content, grader_hash(), path)
    return sealed_sides(path, content, runs, pool, watch)


def _wish(side: Side, lacks: Sequence[Lacking]) -> SweepWish:
    """More of what the side has, up to the largest limit that it or a reading of the other side needs."""
    wish = side.wish
    limit = max([wish["max_tokens"], *(lack.setting.max_tokens for lack in lacks)])
    grid = Grid((), (), None, (), (), (limit,), ("lenient", "strict"))
    return SweepWish(
        suite=wish["suite"],
        tasks=wish["tasks_asked"],
        grid=grid,
        samples=wish["samples"],
        limit=wish["limit"],
        dev_items=0,
        budget=None,
        seed=wish["seed"],
        race=False,
    )

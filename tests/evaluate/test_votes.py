"""How samples vote: equivalent answers together, silence not at all."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from evalsuite.catalog.checkpoint import open_checkpoint
from evalsuite.engines.base import Request
from evalsuite.evaluate import loop, regrade
from evalsuite.evaluate.loop import evaluate
from evalsuite.evaluate.plan import Wish, make_plan
from evalsuite.evaluate.run import load_run
from evalsuite.evaluate.votes import votes_of
from evalsuite.grading.pool import GraderPool
from evalsuite.stats.majority import Votes
from tests.support.fake_engine import FakeEngine, NoWatch
from tests.support.own_task import sums, write_task


@pytest.fixture(scope="module")
def pool() -> Iterator[GraderPool]:
    with regrade.make_pool(beside_engine=True) as running:
        yield running


def voted(answers: list[str], pool: GraderPool, tiny: Path, folder: Path, monkeypatch, **metadata: object) -> Votes:
    """The votes of one item whose gold is 8, answered like this."""
    monkeypatch.setattr(loop, "make_pool", lambda **_: nullcontext(pool))
    write_task(folder, "own", sums(7), dev=None, **metadata)
    left: defaultdict[tuple[int, ...], list[str]] = defaultdict(lambda: list(answers))

    def rule(request: Request) -> str:
        return left[request.prompt_ids].pop()

    wish = Wish(None, "own", ("boxed",), 0.7, 1.0, len(answers), 64, None, 0)
    plan = make_plan(open_checkpoint(str(tiny)), wish, (folder,), folder / "data")
    evaluate(plan, folder / "run", lambda log, longest: FakeEngine(rule), NoWatch())
    run = load_run(folder / "run")
    [votes] = votes_of(run, run.protocols[0], pool).values()
    return Votes(votes.right, tuple(sorted(votes.wrong)), votes.silent)


def boxed(*answers: str) -> list[str]:
    return [f"So it is \\boxed{{{answer}}}." for answer in answers]


def test_expressions(pool: GraderPool, tiny: Path, tmp_path: Path, monkeypatch) -> None:
    wrong = ("\\frac{1}{2}", "0.5", "1/2", "7", "7", "\\sqrt{49}", "x+1", "1+x", "9")
    answers = [*boxed("8", "\\frac{16}{2}", *wrong), "I do not know."]
    assert voted(answers, pool, tiny, tmp_path, monkeypatch, kind="math") == Votes(2, (1, 2, 3, 3), 1)


def test_numbers(pool: GraderPool, tiny: Path, tmp_path: Path, monkeypatch) -> None:
    answers = [*boxed("8", "8.00", "1,000", "1000.0", "$1000", "7", "7.5"), "I do not know."]
    assert voted(answers, pool, tiny, tmp_path, monkeypatch, kind="number") == Votes(2, (1, 1, 3), 1)

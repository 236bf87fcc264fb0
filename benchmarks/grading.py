"""Rollouts graded per second: a warm `GraderPool` of two workers, against math-verify on each in one process.

    .venv/bin/python benchmarks/grading.py

The texts are the labelled outputs to MATH-500 in the local mirror (`EVALSUITE_DATA`). "repeats" is 64 samples of each
of some items: all texts differ, the answers are few. "no repeats" is the labelled outputs of one model as they are.
Both graders are warmed up with the outputs of another model. Where they differ, every gold and answer is listed.
"""

import os
import random
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from math_verify import parse, verify

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.catalog.source import read_rows
from evalsuite.grading import number
from evalsuite.grading.pool import GradeJob, GraderPool
from evalsuite.grading.verdict import Verdict

DATA = Path(os.environ.get("EVALSUITE_DATA") or Path(__file__).parents[2] / "shared" / "data")
FILES = ("math500_rho-math-1b-v0.1", "math500_rho-math-7b-interpreter-v0.1")
WORKERS = 2
ITEMS = 100
SAMPLES = 64
WRONG_ANSWERS = 5

Said = TypeVar("Said")
Rollout = tuple[str, str]
"""The gold and the text."""


def main() -> None:
    """Print two Markdown tables."""
    labelled = [
        (row["gold"], row["text"]) for name in FILES for row in read_rows(str(DATA / f"labelled/{name}.jsonl.gz"))
    ]
    early, late = labelled[: len(labelled) // 2], labelled[len(labelled) // 2 :]
    sets = {"repeats": sampled(late), "no repeats": late}
    with_math_verify(early)
    differences: Counter[tuple[str, str, str]] = Counter()
    print("| set | rollouts | evalsuite, per second | math-verify, per second | times | verdicts that differ |")
    print("|---|---|---|---|---|---|")
    for name, rollouts in sets.items():
        with GraderPool(WORKERS) as pool:
            with_evalsuite(pool, early)
            verdicts, seconds = timed(partial(with_evalsuite, pool), rollouts)
        theirs, their_seconds = timed(with_math_verify, rollouts)
        differing = [
            ("evalsuite" if ours.correct else "math-verify", gold, str(ours.extracted))
            for (gold, _), ours, right in zip(rollouts, verdicts, theirs, strict=True)
            if ours.correct != right
        ]
        differences.update(differing)
        count = len(rollouts)
        print(
            f"| {name} | {count:,} | {count / seconds:,.0f} | {count / their_seconds:,.0f} "
            f"| {their_seconds / seconds:.1f} | {len(differing)} |"
        )
    print("\n| right by | gold | answer, as evalsuite reads it | rollouts |\n|---|---|---|---|")
    for (by, gold, answer), count in sorted(differences.items()):
        print(f"| {by} | `{gold}` | `{' '.join(answer.split())}` | {count} |")


def sampled(labelled: list[Rollout]) -> list[Rollout]:
    """64 samples of each item: the body of a labelled output, and a box with the gold or one of a few wrong answers.

    The wrong answers to a number are numbers, and those to an expression are expressions, as a model's are.
    """
    rng = random.Random(0)
    golds = {plain: [gold for gold, _ in labelled if is_number(gold) is plain] for plain in (True, False)}
    rollouts = []
    for gold, text in rng.sample(labelled, ITEMS):
        answers = [gold] * WRONG_ANSWERS + rng.sample(golds[is_number(gold)], WRONG_ANSWERS)
        body = text.replace("\\boxed", "").rpartition("\n")[0]
        for sample in range(SAMPLES):
            answer = rng.choice(answers)
            rollouts.append((gold, f"Attempt {sample}.\n{body}\nThe final answer is $\\boxed{{{answer}}}$."))
    return rollouts


def is_number(gold: str) -> bool:
    """Whether a gold is a plain number."""
    return number.read(gold) is not None


def timed(grade_all: Callable[[list[Rollout]], list[Said]], rollouts: list[Rollout]) -> tuple[list[Said], float]:
    """What a grader says of all rollouts, and the seconds that it takes."""
    started = time.perf_counter()
    said = grade_all(rollouts)
    return said, time.perf_counter() - started


def with_math_verify(rollouts: list[Rollout]) -> list[bool]:
    """`parse` and `verify` on each, as its documentation has it."""
    return [bool(verify(parse(f"${gold}$"), parse(text))) for gold, text in rollouts]


def with_evalsuite(pool: GraderPool, rollouts: list[Rollout]) -> list[Verdict]:
    """All of them through the pool."""
    futures = [pool.submit(job(gold, text)) for gold, text in rollouts]
    return [future.result() for future in futures]


def job(gold: str, text: str) -> GradeJob:
    """A rollout of a mathematical task that asks for a box."""
    return GradeJob(AnswerKind.MATH, (gold,), (), text, AnswerFormat.BOXED, False)


if __name__ == "__main__":
    main()

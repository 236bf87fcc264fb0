"""Hostile answers cost their own verdict and nothing else."""

import os
import time
from collections.abc import Callable, Iterator

import pytest

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.errors import RunError
from evalsuite.grading import pool as pool_module
from evalsuite.grading.pool import GradeJob, GraderPool
from evalsuite.grading.verdict import Status, Verdict

pytestmark = pytest.mark.slow

DEADLINE_S = 2.5


def job(text: str, gold: str = "4", kind: AnswerKind = AnswerKind.MATH) -> GradeJob:
    return GradeJob(kind, (gold,), (), text, AnswerFormat.BOXED, False)


@pytest.fixture(scope="module")
def pool() -> Iterator[GraderPool]:
    with GraderPool(workers=2, deadline_s=DEADLINE_S) as running:
        yield running


HOSTILE = {
    "tower of powers": r"\boxed{9^{9^{9^{9}}}}",
    "huge binomial": r"\boxed{\binom{10000000}{5000000}}",
    "huge factorial": r"\boxed{100000000!}",
    "null bytes": "\\boxed{4\0\0}",
    "lone surrogates": "\\boxed{\ud800 4 \udfff}",
    "nested braces": "\\boxed{" + "{" * 10_000 + "4" + "}" * 10_000 + "}",
    "nested fractions": "\\boxed{" + "\\frac{1}{" * 2_000 + "4" + "}" * 2_000 + "}",
    "unclosed boxes": r"\[" + "\\boxed{" * 150_000,
    "unclosed display": "the answer is \\[" * 20_000,
    "a million digits": "\\boxed{" + "9" * 1_000_000 + "}",
    "a million spaces": "\\boxed{" + " " * 1_000_000 + "4",
    "a million new lines": "\n" * 1_000_000,
    "half a million equals signs": "4 = " * 500_000,
    "half a million commas": "The answer is 4." + "1," * 500_000,
}


def test_hostile_answers_are_all_answered(pool: GraderPool) -> None:
    futures = {name: pool.submit(job(text)) for name, text in HOSTILE.items()}
    verdicts = {name: future.result(timeout=60) for name, future in futures.items()}
    assert all(isinstance(v, Verdict) and v.correct is not None for v in verdicts.values())
    wrong = {name for name, v in verdicts.items() if v.correct} - {"null bytes", "nested braces", "a million spaces"}
    assert not wrong
    assert verdicts["tower of powers"].status is Status.OK
    assert verdicts["huge binomial"].status is Status.TIMEOUT
    assert pool.submit(job(r"\boxed{4}")).result(timeout=60).correct


def test_a_timeout_is_a_verdict_within_the_deadline(pool: GraderPool) -> None:
    pool.submit(job(r"\boxed{2+2}")).result(timeout=60)
    begun = time.monotonic()
    verdict = pool.submit(job(r"\boxed{\binom{20000000}{10000000}}")).result(timeout=60)
    assert (verdict.status, verdict.correct, verdict.score) == (Status.TIMEOUT, False, 0.0)
    assert time.monotonic() - begun < DEADLINE_S + 2


def test_equal_jobs_are_graded_once(pool: GraderPool) -> None:
    assert pool.submit(job(r"\boxed{5}")) is pool.submit(job(r"\boxed{5}"))
    assert pool.submit(job(r"\boxed{5}")) is not pool.submit(job(r"\boxed{5}", gold="5"))


def _die(job: GradeJob) -> Verdict:
    os._exit(3)


def _leave(job: GradeJob) -> Verdict:
    raise SystemExit(3)


@pytest.mark.parametrize("end", [_die, _leave])
def test_a_dead_worker_is_a_verdict(
    pool: GraderPool, monkeypatch: pytest.MonkeyPatch, end: Callable[[GradeJob], Verdict]
) -> None:
    monkeypatch.setattr(pool_module, "_grade_job", end)
    verdict = pool.submit(job(rf"\boxed{{{end.__name__}}}")).result(timeout=60)
    assert (verdict.status, verdict.correct) == (Status.TIMEOUT, False)
    assert "worker" in verdict.why
    monkeypatch.undo()
    assert pool.submit(job(rf"\boxed{{1+3+0*{len(end.__name__)}}}")).result(timeout=60).correct


def _cannot_start() -> None:
    os._exit(1)


def test_workers_that_cannot_start_are_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "_prepare_worker", _cannot_start)
    with GraderPool(workers=1, deadline_s=DEADLINE_S) as broken:
        with pytest.raises(RunError, match="grading processes do not start"):
            broken.submit(job(r"\boxed{4}")).result(timeout=60)
        with pytest.raises(RunError, match="grading processes do not start"):
            broken.submit(job(r"\boxed{5}"))

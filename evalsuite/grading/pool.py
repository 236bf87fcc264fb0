"""Grading in worker processes, with a deadline enforced from outside."""

import contextlib
import multiprocessing
import resource
import signal
from concurrent.futures import CancelledError, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import astuple, dataclass
from hashlib import sha256
from types import TracebackType
from typing import Self

from pebble import ProcessPool

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.errors import RunError
from evalsuite.grading.grade import grade
from evalsuite.grading.verdict import Status, Verdict

WORKER_MEMORY = 4 * 2**30
BROKEN = "the grading processes do not start (too little memory?); `evalsuite grade RUN` grades what is missing"


@dataclass(frozen=True, slots=True)
class GradeJob:
    """The arguments of `grade`."""

    kind: AnswerKind
    gold: tuple[str, ...]
    options: tuple[str, ...]
    text: str
    answer_format: AnswerFormat
    cut_off: bool


class GraderPool:
    """Grades jobs in `workers` processes; a job that takes longer than `deadline_s` loses its worker, not the pool.

    Workers are spawned, since the process that grades also holds the threads of an engine. They ignore Ctrl-C, which
    is the parent's to handle. Equal jobs are graded once.
    """

    def __init__(self, workers: int, deadline_s: float = 10) -> None:
        self._deadline_s = deadline_s
        self._verdicts: dict[bytes, Future[Verdict]] = {}
        spawn = multiprocessing.get_context("spawn")
        self._pool = ProcessPool(max_workers=workers, context=spawn, initializer=_prepare_worker)

    def submit(self, job: GradeJob) -> Future[Verdict]:
        """The verdict to come. It is a verdict whatever the job does; only a pool that is stopped cancels it.

        Where the workers cannot start at all, a RunError is raised here or by the future: no verdict, no blame.
        """
        key = sha256(repr(astuple(job)).encode()).digest()
        if key not in self._verdicts:
            self._verdicts[key] = self._schedule(job)
        return self._verdicts[key]

    def _schedule(self, job: GradeJob) -> Future[Verdict]:
        verdict: Future[Verdict] = Future()
        verdict.set_running_or_notify_cancel()

        def settle(done: Future[Verdict]) -> None:
            try:
                verdict.set_result(done.result())
            except CancelledError as stopped:
                verdict.set_exception(stopped)
            except BrokenProcessPool:
                verdict.set_exception(RunError(BROKEN))
            except TimeoutError:
                verdict.set_result(_failed(f"comparing took longer than {self._deadline_s:g} s"))
            except BaseException as error:  # whatever ended the worker, SystemExit included, ended only this job
                verdict.set_result(_failed(f"the grading worker failed: {type(error).__name__}: {error}"))

        try:
            scheduled = self._pool.schedule(_grade_job, args=(job,), timeout=self._deadline_s)
        except RuntimeError:  # the pool has broken down or was ended
            raise RunError(BROKEN) from None
        scheduled.add_done_callback(settle)
        return verdict

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._pool.close()
        else:
            self._pool.stop()
        self._pool.join()


def _failed(why: str) -> Verdict:
    return Verdict(False, False, 0.0, None, "none", Status.TIMEOUT, False, why)


def _grade_job(job: GradeJob) -> Verdict:
    return grade(job.kind, job.gold, job.options, job.text, answer_format=job.answer_format, cut_off=job.cut_off)


def _prepare_worker() -> None:
    """Bound the worker's memory, leave Ctrl-C to the parent, and load what is slow to load before a deadline runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (WORKER_MEMORY, WORKER_MEMORY))
    import evalsuite.grading.symbolic  # noqa: F401

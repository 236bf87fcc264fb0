"""Grading in worker processes, with a deadline enforced from outside."""

import contextlib
import multiprocessing
import resource
import signal
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from hashlib import sha256
from types import TracebackType
from typing import Any, NamedTuple, Self

from pebble import ProcessPool

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.errors import RunError
from evalsuite.grading.grade import grade
from evalsuite.grading.verdict import Status, Verdict

WORKER_MEMORY = 4 * 2**30
LARGEST_CHUNK = 64
SENT_AHEAD = 2
"""Chunks a worker has before it, the one it works on included: it never waits for the next."""
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

    @property
    def key(self) -> bytes:
        """A hash that only equal jobs share."""
        asked = repr((self.kind, self.gold, self.options, self.answer_format, self.cut_off))
        return sha256((asked + self.text).encode("utf-8", "surrogatepass")).digest()


_Question = tuple[AnswerKind, tuple[str, ...], tuple[str, ...]]
"""Kind, gold and options: what all samples of an item have in common."""


class _Asked(NamedTuple):
    job: GradeJob
    verdict: Future[Verdict]


class GraderPool:
    """Grades jobs in `workers` processes; a job that takes longer than `deadline_s` loses its worker, not the pool.

    Workers are spawned, since the process that grades also holds the threads of an engine. They ignore Ctrl-C, which
    is the parent's to handle. Equal jobs are graded once. A job goes to a worker at once if one is free; what waits
    meanwhile is sent in chunks, the samples of an item together, since a worker compares an answer that many of them
    give only once. A chunk that takes too long or loses its worker is tried again job by job, so that the deadline is
    each job's own.
    """

    def __init__(self, workers: int, deadline_s: float = 10) -> None:
        self._deadline_s = deadline_s
        self._workers = workers
        self._verdicts: dict[bytes, Future[Verdict]] = {}
        self._waiting: dict[_Question, deque[_Asked]] = {}
        self._running = 0
        self._stopped = False
        self._lock = threading.RLock()
        spawn = multiprocessing.get_context("spawn")
        self._pool = ProcessPool(max_workers=workers, context=spawn, initializer=_prepare_worker)

    def submit(self, job: GradeJob) -> Future[Verdict]:
        """The verdict to come. It is a verdict whatever the job does; only a pool that is stopped cancels it.

        Where the workers cannot start at all, a RunError is raised here or by the future: no verdict, no blame.
        """
        key = job.key
        with self._lock:
            if key not in self._verdicts:
                verdict: Future[Verdict] = Future()
                verdict.set_running_or_notify_cancel()
                self._verdicts[key] = verdict
                question = (job.kind, job.gold, job.options)
                self._waiting.setdefault(question, deque()).append(_Asked(job, verdict))
                self._send_waiting()
        if isinstance(error := _error(self._verdicts[key]), RunError):
            raise error
        return self._verdicts[key]

    def _send_waiting(self) -> None:
        """Send what waits, as long as there are fewer chunks on their way than keep the workers busy."""
        with self._lock:
            while self._waiting and self._running < SENT_AHEAD * self._workers:
                waiting = sum(map(len, self._waiting.values()))
                self._send(self._take(min(LARGEST_CHUNK, -(-waiting // self._workers))))

    def _take(self, size: int) -> list[_Asked]:
        """The next jobs, question by question."""
        chunk: list[_Asked] = []
        while len(chunk) < size:
            question = next(iter(self._waiting))
            asked = self._waiting[question]
            while asked and len(chunk) < size:
                chunk.append(asked.popleft())
            if not asked:
                del self._waiting[question]
        return chunk

    def _send(self, chunk: list[_Asked]) -> None:
        try:
            jobs = [asked.job for asked in chunk]
            scheduled = self._pool.schedule(_each, args=(_grade_job, jobs), timeout=self._deadline_s)
        except RuntimeError:  # the pool has broken down or was ended
            error = CancelledError() if self._stopped else RunError(BROKEN)
            for asked in chunk:
                asked.verdict.set_exception(error)
            return
        self._running += 1
        scheduled.add_done_callback(lambda done: self._settle(chunk, done))

    def _settle(self, chunk: list[_Asked], done: Future[list[Verdict]]) -> None:
        error = _error(done)
        with self._lock:
            self._running -= 1
            if _is_fault_of_a_job(error) and len(chunk) > 1:
                for asked in chunk:
                    self._send([asked])
                return
            self._send_waiting()
        for position, asked in enumerate(chunk):
            if error is None:
                asked.verdict.set_result(done.result()[position])
            elif isinstance(error, CancelledError):
                asked.verdict.set_exception(error)
            elif isinstance(error, BrokenProcessPool):
                asked.verdict.set_exception(RunError(BROKEN))
            elif isinstance(error, TimeoutError):
                asked.verdict.set_result(_failed(f"comparing took longer than {self._deadline_s:g} s"))
            else:  # whatever ended the worker, SystemExit included, ended only this job
                why = f"the grading worker failed: {type(error).__name__}: {error}"
                asked.verdict.set_result(_failed(why))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            wait(list(self._verdicts.values()))
            self._pool.close()
        else:
            self._stopped = True
            self._pool.stop()
        self._pool.join()


def _error(done: Future[Any]) -> BaseException | None:
    """What a future ended with instead of a result; None also while it runs."""
    if not done.done():
        return None
    return CancelledError() if done.cancelled() else done.exception()


def _is_fault_of_a_job(error: BaseException | None) -> bool:
    return error is not None and not isinstance(error, CancelledError | BrokenProcessPool)


def _failed(why: str) -> Verdict:
    return Verdict(False, False, 0.0, None, "none", Status.TIMEOUT, False, why)


def _each(grade_one: Callable[[GradeJob], Verdict], jobs: list[GradeJob]) -> list[Verdict]:
    return [grade_one(job) for job in jobs]


def _grade_job(job: GradeJob) -> Verdict:
    return grade(job.kind, job.gold, job.options, job.text, answer_format=job.answer_format, cut_off=job.cut_off)


def _prepare_worker() -> None:
    """Bound the worker's memory, leave Ctrl-C to the parent, and load what is slow to load before a deadline runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (WORKER_MEMORY, WORKER_MEMORY))
    import evalsuite.grading.symbolic  # noqa: F401

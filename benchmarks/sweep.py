"""What a sweep of token limits and parsers costs: read from one generation, against running each cell for itself.

    .venv/bin/python benchmarks/sweep.py models/SmolLM2-135M-Instruct --rounds 2

Three arms over one loaded engine, taking turns. `one cell`: a run at the largest limit, graded. `sweep`: the same run,
then read at all five limits with both parsers. `each for itself`: five runs, one a limit; the parsers still share them.
Times are wall time from the first request to the last verdict on disk; loading the engine counts for none of them.
"""

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from evalsuite.baselines.scores import score_table
from evalsuite.catalog.checkpoint import open_checkpoint
from evalsuite.engines.base import Engine
from evalsuite.engines.shared import SharedEngine
from evalsuite.engines.vllm import VllmEngine
from evalsuite.evaluate.limits import at_limits
from evalsuite.evaluate.loop import evaluate
from evalsuite.evaluate.plan import Wish, make_plan
from evalsuite.evaluate.regrade import make_pool
from evalsuite.evaluate.run import load_run
from evalsuite.rollouts.record import Rollout

LIMITS = (256, 128, 64, 32, 16)
PARSERS = ("lenient", "strict")
LONGEST = 2048
WISH = Wish(None, "demo_arithmetic,demo_number,demo_math", ("boxed",), 0.8, 1.0, 2, LIMITS[0], 32, 0)


class Counter:
    """A `Watch` that counts tokens."""

    def __init__(self) -> None:
        self.tokens = 0

    def say(self, line: str) -> None:
        """Nothing to say."""

    def begin(self, what: str, total: int, done: int = 0) -> None:
        """Nothing to show."""

    def generated(self, rollout: Rollout) -> None:
        """Count tokens."""
        self.tokens += len(rollout.token_ids or ())

    def graded(self, rollout: Rollout, verdict: object) -> None:
        """Nothing to count."""


def run_at(limit: int, model: Path, folder: Path, engine: Engine, watch: Counter) -> None:
    """One run under one limit."""
    plan = make_plan(open_checkpoint(str(model)), replace(WISH, max_tokens=limit), (), None)
    evaluate(plan, folder, lambda log, longest: engine, watch)


def read_all(folder: Path) -> int:
    """Every limit and parser from the run's rollouts; returns how many settings have a score for every item."""
    with make_pool(beside_engine=False) as pool:
        run = load_run(folder)
        at = dict(zip(LIMITS, at_limits(run, LIMITS, pool, Counter()), strict=True))
    readings = [(limit, parser) for limit in LIMITS for parser in PARSERS]
    whole = 0
    for protocol in run.protocols:
        items = [item for task, item in run.items if task == protocol.task]
        table = score_table(at, [protocol], readings, items)  # type: ignore[arg-type]
        whole += int((~(table.values != table.values)).all(axis=2).sum())
    return whole


def measure(arm: str, model: Path, engine: Engine) -> tuple[int, float]:
    """Tokens and seconds of one arm."""
    watch = Counter()
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        if arm == "each for itself":
            for limit in LIMITS:
                run_at(limit, model, Path(folder) / str(limit), engine, watch)
        else:
            run_at(LIMITS[0], model, Path(folder) / "run", engine, watch)
            if arm == "sweep" and (whole := read_all(Path(folder) / "run")) != 3 * len(LIMITS) * len(PARSERS):
                raise SystemExit(f"only {whole} settings could be read")
        return watch.tokens, time.perf_counter() - started


def main() -> None:
    """Parse the command line, take turns, print one Markdown table."""
    parser = argparse.ArgumentParser(description="The cost of sweeping token limits and parsers.")
    parser.add_argument("model", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    arms = ("one cell", "sweep", "each for itself")
    with (
        tempfile.TemporaryDirectory() as folder,
        SharedEngine(lambda log, longest: VllmEngine(arguments.model, log, longest, {}), LONGEST) as shared,
    ):
        engine = shared.lend(Path(folder) / "engine.log", LONGEST)
        measure("one cell", arguments.model, engine)  # to warm up
        found: dict[str, list[tuple[int, float]]] = {arm: [] for arm in arms}
        for _ in range(arguments.rounds):
            for arm in arms:
                found[arm].append(measure(arm, arguments.model, engine))
    base = found["one cell"]
    print("| arm | tokens | seconds, each round | tokens over one cell | time over one cell |\n|---|---|---|---|---|")
    for arm, rounds in found.items():
        tokens = rounds[0][0] / base[0][0]
        seconds = sum(s for _, s in rounds) / sum(s for _, s in base)
        each = ", ".join(f"{s:.1f}" for _, s in rounds)
        print(f"| {arm} | {rounds[0][0]:,} | {each} | {tokens:.2f} | {seconds:.2f} |")


if __name__ == "__main__":
    main()

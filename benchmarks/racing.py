"""How often a race chooses what the full grid would have chosen, and how many of its tokens it saves.

    .venv/bin/python benchmarks/racing.py --synthetic
    .venv/bin/python benchmarks/racing.py results/runs/*sweep*    # stored sweeps, made with --full

A stored sweep is raced again over its own rollouts, with its choice items in random orders.

The synthetic grids have 24 cells with 9 readings: three token limits, each with a lenient parser, one that wants the
format kept, and one that errs both ways. Items differ in difficulty, which all cells share, and a cell's liking for an
item is its own. Each item has 4 samples. What varies: how the cells' accuracies lie, the best one, and how many items.
"""

import argparse
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from evalsuite.baselines.race import Replay, replay
from evalsuite.baselines.sweep import read_sweep
from evalsuite.cli.progress import RunProgress
from evalsuite.evaluate.regrade import make_pool
from evalsuite.evaluate.run import load_run

CELLS, SAMPLES = 24, 4
GRIDS, ORDERS = 100, 2
SIZES, BESTS = (100, 200, 400), (0.2, 0.5, 0.7)
LIMITS = (1024, 512, 256)
DIFFICULTY, LIKING = 1.5, 0.5

Floats = NDArray[np.float64]

# How far the cells lie below the best, as shares of a best of 0.5 or more; scaled down below that.
GAPS: dict[str, Callable[[np.random.Generator], Floats]] = {
    "a few close, the rest 5–40 points below": lambda rng: np.r_[
        0.0, rng.uniform(0, 0.03, 3), rng.uniform(0.05, 0.4, 20)
    ],
    "evenly over 25 points": lambda rng: np.linspace(0, 0.25, CELLS),
    "half equal, half 15 points below": lambda rng: np.repeat([0.0, 0.15], CELLS // 2),
    "nearly flat: within 4 points": lambda rng: rng.uniform(0, 0.04, CELLS),
    "flat": lambda rng: np.zeros(CELLS),
}


def replay_many(scores: Floats, cost: NDArray[np.number], replays: int, seed: int) -> list[Replay]:
    """Race the same grid over its items in random orders; shapes as for `replay`."""
    rng = np.random.default_rng(seed)
    return [replay(scores, cost, rng.permutation(scores.shape[2])) for _ in range(replays)]


def synthetic(gaps: Floats, top: float, items: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Scores of shape [cells, readings, items] and tokens of shape [cells, items]."""
    accuracy = top - rng.permutation(gaps) * min(1.0, top / 0.5)
    ease = rng.normal(0, DIFFICULTY, items) + rng.normal(0, LIKING, (CELLS, items))
    chance = norm.cdf(norm.ppf(accuracy)[:, None] * np.sqrt(1 + DIFFICULTY**2 + LIKING**2) + ease)
    shape = (CELLS, SAMPLES, items)
    right = rng.random(shape) < chance[:, None]
    wordiness = rng.normal(np.log(400), 0.4, (CELLS, 1, 1)) - 0.2 * ease[:, None]
    length = np.exp(wordiness + rng.normal(0, 0.5, shape))
    kept = rng.random(shape) < rng.uniform(0.5, 1, (CELLS, 1, 1))
    erring = np.where(rng.random(shape) < 0.03, rng.random(shape) < 0.4, right)
    parsed = (right, right & kept, erring)
    readings = [(answers & (length <= limit)).mean(axis=1) for limit, answers in product(LIMITS, parsed)]
    return np.stack(readings, axis=1), np.minimum(length, max(LIMITS)).sum(axis=1)


def summary(replays: list[Replay]) -> str:
    """The same choice, and the tokens saved, in per cent of the replays and of the full grid."""
    same, spent = np.mean([run.same for run in replays]), np.mean([run.spent for run in replays])
    return f"{100 * same:.1f}, {100 * (1 - spent):.0f}"


def on_synthetic_grids() -> None:
    """Print one Markdown table."""
    print(f"Same choice, tokens saved (per cent); {GRIDS} grids in {ORDERS} orders each\n")
    print(
        "| accuracies of the cells | best | " + " | ".join(f"{n} items" for n in SIZES) + " | worst shortfall, points |"
    )
    print("|---|---|" + "---|" * len(SIZES) + "---|")
    for (name, gaps), top in product(GAPS.items(), BESTS):
        columns = []
        for items in SIZES:
            rng = np.random.default_rng(items)
            grids = [synthetic(gaps(rng), top, items, rng) for _ in range(GRIDS)]
            columns.append([run for seed, grid in enumerate(grids) for run in replay_many(*grid, ORDERS, seed)])
        worst = max(run.shortfall for runs in columns for run in runs)
        print(f"| {name} | {top} | " + " | ".join(map(summary, columns)) + f" | {100 * worst:.1f} |", flush=True)


def on_stored_sweeps(folders: list[Path], replays: int) -> None:
    """Print one Markdown table, a row for each task that was run in full."""
    print(f"{replays} random orders of the choice items each\n")
    print("| sweep | task | cells | readings | items | best | same choice, tokens saved (per cent) | worst shortfall |")
    print("|---|---|---|---|---|---|---|---|")
    for folder in folders:
        with make_pool(beside_engine=False) as pool, RunProgress(None) as progress:
            state = read_sweep(load_run(folder), pool, progress)
        for task in state.tasks:
            values = task.table.values
            if np.isnan(values).any():
                print(f"| {folder.name} | {task.task} | not run in full: sweep it with --full |", flush=True)
                continue
            runs = replay_many(values, task.table.tokens, replays, seed=0)
            sizes = " | ".join(map(str, values.shape))
            worst = 100 * max(run.shortfall for run in runs)
            top = 100 * values.mean(axis=2).max()
            print(f"| {folder.name} | {task.task} | {sizes} | {top:.1f} | {summary(runs)} | {worst:.1f} |", flush=True)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="How often a race chooses as the full grid does, and what it saves.")
    parser.add_argument("sweeps", nargs="*", type=Path, help="folders of sweeps")
    parser.add_argument("--replays", type=int, default=200)
    parser.add_argument("--synthetic", action="store_true", help="race over made-up grids")
    arguments = parser.parse_args()
    if arguments.synthetic:
        on_synthetic_grids()
    if arguments.sweeps:
        on_stored_sweeps(arguments.sweeps, arguments.replays)


if __name__ == "__main__":
    main()

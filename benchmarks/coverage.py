"""How often the interval of a mean over items holds the true mean, by simulation; nominal is 95 %.

    .venv/bin/python benchmarks/coverage.py

Items' success rates are Beta-distributed with mean `a` and concentration `s`; each item has K samples.
"""

from itertools import product

import numpy as np

from evalsuite.stats.intervals import mean_interval

RUNS = 2000
SIZES = ((30, 1), (30, 8), (200, 1), (200, 8), (500, 8))


def coverage(n: int, samples: int, accuracy: float, concentration: float, rng: np.random.Generator) -> float:
    """The share of simulated runs whose interval holds `accuracy`."""
    chances = rng.beta(accuracy * concentration, (1 - accuracy) * concentration, (RUNS, n))
    means = rng.binomial(samples, chances) / samples
    intervals = [mean_interval(run) for run in means]
    return float(np.mean([interval.low <= accuracy <= interval.high for interval in intervals]))


def main() -> None:
    """Print one Markdown table."""
    rng = np.random.default_rng(0)
    print("| a | s | " + " | ".join(f"n={n}, K={k}" for n, k in SIZES) + " |")
    print("|---|---|" + "---|" * len(SIZES))
    for concentration, accuracy in product((0.3, 2.0), (0.02, 0.3, 0.9)):
        shares = [coverage(n, k, accuracy, concentration, rng) for n, k in SIZES]
        print(f"| {accuracy} | {concentration} | " + " | ".join(f"{100 * share:.1f}" for share in shares) + " |")


if __name__ == "__main__":
    main()

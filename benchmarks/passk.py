"""Pass@k at size: 2,000 items of 512 samples to Pass@1 … 512 with intervals from 2,000 resampled sets of items.

    .venv/bin/python benchmarks/passk.py

Prints the time it takes, and the largest memory of the process before and after.
"""

import resource
import time

import numpy as np

from evalsuite.report.passk.curves import curve
from evalsuite.report.sources import Source

ITEMS, SAMPLES = 2000, 512


def main() -> None:
    """Print one line a measure."""
    rng = np.random.default_rng(0)
    right = rng.binomial(SAMPLES, rng.beta(0.3, 0.7, ITEMS))
    counts = {f"item{i}": (SAMPLES, int(c)) for i, c in enumerate(right)}
    source = Source(name="made up", task="made up", origin="-", counts=counts)
    before = _peak()
    start = time.perf_counter()
    found = curve(source, list(range(1, SAMPLES + 1)))
    seconds = time.perf_counter() - start
    print(f"{ITEMS:,} items of {SAMPLES} samples ({ITEMS * SAMPLES:,} rollouts)")
    print(f"Pass@1 … {found.points[-1].k} with intervals from 2,000 resampled sets of items: {seconds:.1f} s")
    print(f"largest memory of the process: {before:.0f} MiB before, {_peak():.0f} MiB after")


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()

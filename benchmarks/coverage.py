"""How often intervals of 95 % hold the truth, by simulation: of a mean, a paired difference, a suite's average, and of
all steps of a training run at once.

    .venv/bin/python benchmarks/coverage.py [--paired | --suite | --steps]

Items' success rates are Beta-distributed with mean `a` and concentration `s`; each item has K samples. Beside each
interval of the product stand the usual ones. It takes some minutes.
"""

import argparse
import warnings
from collections.abc import Callable
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, bootstrap
from statsmodels.stats.proportion import proportion_confint

from evalsuite.catalog.index import Catalog
from evalsuite.stats.averages import weighted_mean
from evalsuite.stats.intervals import Estimate, mean_interval
from evalsuite.stats.paired import interval_of_differences
from evalsuite.stats.simultaneous import joined_moments, mean_moments, moments, simultaneous

RUNS = 2000
SIZES = (30, 83, 500)
ACCURACIES = (0.02, 0.3, 0.9)
SAMPLES = (1, 8)
CONCENTRATIONS = (0.3, 2.0)
PAIRS = ((0.02, 0.02, 0.8), (0.3, 0.3, 0.5), (0.3, 0.6, 0.5), (0.9, 0.9, 0.8))
"""Accuracy of the first model, that of the second on the items where it differs, and the share where it does not."""

Floats = NDArray[np.float64]
Bounds = tuple[Floats, Floats]
"""Of each run: the low ends and the high ends."""


def main() -> None:
    """Print one Markdown table."""
    parser = argparse.ArgumentParser()
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--paired", action="store_true")
    which.add_argument("--suite", action="store_true")
    which.add_argument("--steps", action="store_true")
    asked = parser.parse_args()
    warnings.filterwarnings("ignore", module="scipy")  # of runs without any spread, where BCa has no interval
    rng = np.random.default_rng(0)
    if asked.paired:
        _of_differences(rng)
    elif asked.suite:
        _of_averages(rng)
    elif asked.steps:
        _of_steps(rng)
    else:
        _of_means(rng)


def _of_means(rng: np.random.Generator) -> None:
    single: dict[str, Callable[[Floats], Bounds]] = {"Clopper–Pearson": _clopper_pearson, "Wilson": _wilson}
    always: dict[str, Callable[[Floats, int], Bounds]] = {
        "evalsuite": lambda means, _: _ours(means),
        "Wald": lambda means, _: _wald(means),
        "BCa": lambda means, _: _bca(means),
        "Beta-Binomial": _beta_binomial,
    }
    _row("n", "a", "s", "K", *always, *single)
    _row(*["---"] * (4 + len(always) + len(single)))
    for n, accuracy, samples in product(SIZES, ACCURACIES, SAMPLES):
        # With one sample an item the rates' spread does not show: every s is the same.
        for concentration in CONCENTRATIONS[: None if samples > 1 else 1]:
            rates = rng.beta(accuracy * concentration, (1 - accuracy) * concentration, (RUNS, n))
            means = rng.binomial(samples, rates) / samples
            found = [_share(method(means, samples), accuracy) for method in always.values()]
            found += [_share(method(means), accuracy) if samples == 1 else "" for method in single.values()]
            _row(n, accuracy, concentration if samples > 1 else "", samples, *found)


def _of_differences(rng: np.random.Generator) -> None:
    _row("n", "a", "b", "same", "K", "evalsuite", "Wald", "BCa")
    _row(*["---"] * 8)
    for n, (first, second, same), samples in product(SIZES, PAIRS, SAMPLES):
        rates = [rng.beta(a * 0.5, (1 - a) * 0.5, (RUNS, n)) for a in (first, second)]
        rates[1] = np.where(rng.random((RUNS, n)) < same, rates[0], rates[1])
        one, other = (rng.binomial(samples, rate) / samples for rate in rates)
        differences = other - one
        truth = (1 - same) * (second - first)
        ours = _stacked([interval_of_differences(run, samples=samples) for run in differences])
        found = [_share(bounds, truth) for bounds in (ours, _wald(differences), _bca(differences))]
        _row(n, first, second, same, samples, *found)


def _of_averages(rng: np.random.Generator) -> None:
    catalog = Catalog([])
    _row("suite", "tasks", "items", "K", "evalsuite", "one pool of items")
    _row(*["---"] * 6)
    for name, samples in product(("avg8", "avg6"), SAMPLES):
        sizes = [catalog.task(task).items or 0 for task in catalog.suite(name).tasks]
        held: list[bool] = []
        pooled: list[bool] = []
        for _ in range(RUNS):
            accuracies = rng.uniform(0.02, 0.95, len(sizes))
            tasks = [
                rng.binomial(samples, rng.beta(a * 0.5, (1 - a) * 0.5, n)) / samples
                for a, n in zip(accuracies, sizes, strict=True)
            ]
            truth = float(accuracies.mean())
            for into, interval in (
                (held, weighted_mean([mean_interval(task) for task in tasks])),
                (pooled, mean_interval(np.concatenate(tasks))),
            ):
                into.append(interval.low <= truth <= interval.high)
        _row(name, len(sizes), sum(sizes), samples, f"{100 * np.mean(held):.1f}", f"{100 * np.mean(pooled):.1f}")


def _of_steps(rng: np.random.Generator) -> None:
    """Six steps of two tasks, each step keeping most items' rates: the share of runs in which all intervals hold."""
    steps, same, start, later = 6, 0.7, 1 / 3, 1 / 2
    _row("n", "K", "average", "each task", "average, each step by itself")
    _row(*["---"] * 5)
    for n, samples in product(SIZES, SAMPLES):
        truth = (1 - same) * (later - start)
        held = np.zeros(3)
        for _ in range(RUNS):
            tasks = []
            for _ in range(2):
                rates = rng.beta(0.5, 1, n)
                moved = np.where(rng.random((steps, n)) < same, rates, rng.beta(1, 1, (steps, n)))
                means = rng.binomial(samples, np.vstack([rates, moved])) / samples
                tasks.append(moments(means[1:] - means[0], samples))
            average = mean_moments(tasks)
            alone = np.abs(average.centres - truth) <= 1.96 * np.sqrt(np.diag(average.covariance))
            for place, together in enumerate((average, joined_moments(tasks))):
                held[place] += all(one.low <= truth <= one.high for one in simultaneous(together).estimates)
            held[2] += alone.all()
        _row(n, samples, *(f"{100 * share:.1f}" for share in held / RUNS))


def _ours(means: Floats) -> Bounds:
    return _stacked([mean_interval(run) for run in means])


def _wald(means: Floats) -> Bounds:
    half = 1.96 * means.std(axis=1, ddof=1) / sqrt(means.shape[1])
    return means.mean(axis=1) - half, means.mean(axis=1) + half


def _bca(means: Floats) -> Bounds:
    found: Any = bootstrap((means,), np.mean, axis=1, n_resamples=999, batch=50, method="BCa", random_state=0)
    return found.confidence_interval.low, found.confidence_interval.high


def _beta_binomial(means: Floats, samples: int) -> Bounds:
    """Jeffreys' interval at the effective number of samples of a Beta-Binomial model fitted by moments."""
    n, p = means.shape[1], means.mean(axis=1)
    one = np.clip(p * (1 - p), 1e-9, None)
    alike = np.clip((means.var(axis=1, ddof=1) * samples / one - 1) / max(samples - 1, 1), 0, 1)
    size = n * samples / (1 + (samples - 1) * alike)
    a, b = size * p + 0.5, size * (1 - p) + 0.5
    return beta.ppf(0.025, a, b), beta.ppf(0.975, a, b)


def _clopper_pearson(means: Floats) -> Bounds:
    return _of_counts(means, "beta")


def _wilson(means: Floats) -> Bounds:
    return _of_counts(means, "wilson")


def _of_counts(means: Floats, method: str) -> Bounds:
    low, high = proportion_confint(np.rint(means.sum(axis=1)), means.shape[1], method=method)
    return low, high


def _stacked(intervals: list[Estimate]) -> Bounds:
    return np.array([one.low for one in intervals]), np.array([one.high for one in intervals])


def _share(bounds: Bounds, truth: float) -> str:
    """In per cent; a run without an interval (NaN) does not hold the truth."""
    low, high = bounds
    return f"{100 * np.mean((low <= truth) & (truth <= high)):.1f}"


def _row(*cells: object) -> None:
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()

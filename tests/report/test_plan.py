"""Plans: what is said of a suite, and where the variances come from."""

import io
import json

import numpy as np
import pytest
from rich.console import Console

from evalsuite.errors import RequestError
from evalsuite.report.plan.data import SamplePlan, conclusion, plan_json
from evalsuite.report.plan.variances import plan_for
from evalsuite.report.plan.view import plan_view
from evalsuite.report.sources import Source

SIZES = {"big": 5000, "small": 32}


def source(name: str, right: np.ndarray, samples: int, task: str = "big") -> Source:
    counts = {f"i{i:04}": (samples, int(c)) for i, c in enumerate(right)}
    return Source(name=name, task=task, origin=name, counts=counts)


def words(plan: SamplePlan) -> str:
    out = io.StringIO()
    Console(file=out, width=80).print(plan_view(plan))
    assert max(map(len, out.getvalue().splitlines())) <= 80
    return " ".join(out.getvalue().split())


def test_a_small_benchmark_never_shows_a_few_points():
    plan = plan_for("two", SIZES, {}, 0.02, 1)
    big, small = plan.tasks
    assert big.samples is not None
    assert big.rollouts == big.samples * 5000
    assert small.samples is None
    assert small.items_wanted > 2000
    assert plan.average.samples is None
    assert conclusion(plan).startswith("No number of samples makes the average of two show 2 points")
    assert "small cannot show it alone: only more items would help." in conclusion(plan)
    assert "assumed, not measured" in words(plan)


def test_the_average_is_shown_where_it_can_be():
    plan = plan_for("two", SIZES, {}, 0.1, 1)
    assert plan.average.samples is not None
    assert "To show 10 points, the average of two needs" in conclusion(plan)
    assert plan.average.rollouts == plan.average.samples * 5032


def test_variances_of_runs_take_the_place_of_the_assumed():
    rng = np.random.default_rng(0)
    rates = rng.beta(2, 2, 400)
    first, second = (source(name, rng.binomial(8, rates), 8) for name in ("a", "b"))
    measured = plan_for("two", SIZES, {"big": [first, second]}, 0.02, 1)
    assert measured.variances["big"].between < 0.01  # both models have the same rates
    assert measured.spreads["a"]["big"].within == pytest.approx(0.2, abs=0.02)
    assert "big: variances of the items' differences are those of the two runs." in words(measured)
    assert "what moves the accuracies of a" in words(measured)
    one = plan_for("two", SIZES, {"big": [first]}, 0.02, 1)
    assert one.variances["big"].between > measured.variances["big"].between
    assert "the other model's taken to be equal" in words(one)


def test_plain_data():
    data = json.loads(json.dumps(plan_json(plan_for("two", SIZES, {}, 0.02, 4))))
    assert [task["name"] for task in data["tasks"]] == ["big", "small"]
    assert data["samples_now"] == 4
    assert data["average"]["samples"] is None
    assert data["conclusion"].startswith("No number of samples")


def test_what_no_plan_is_made_of():
    one = source("a", np.array([1, 2]), 4, task="other")
    with pytest.raises(RequestError, match="other: no task of two, which is big, small"):
        plan_for("two", SIZES, {"other": [one]}, 0.02, 1)
    with pytest.raises(RequestError, match="a plan is for two models, but 3 are given: a, b, c"):
        plan_for("two", SIZES, {"big": [source(n, np.array([1, 2]), 4) for n in "abc"]}, 0.02, 1)

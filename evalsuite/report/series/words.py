"""What can be said of a training run's steps, in sentences, and the same as plain data."""

from dataclasses import asdict
from typing import Any

from evalsuite.baselines.series import Lead, Series, Step
from evalsuite.stats.intervals import Estimate


def conclusion(found: Series) -> list[str]:
    """At which steps the average leaves the baseline, and what the best step is worth; one sentence each."""
    above = [str(step.step) for step in found.steps if step.lead.beyond_noise and step.lead.difference.value > 0]
    below = [str(step.step) for step in found.steps if step.lead.beyond_noise and step.lead.difference.value < 0]
    many = len(found.steps)
    looks = "one step" if many == 1 else f"{many} steps"
    said = []
    if above:
        said.append(f"Above {found.baseline} beyond noise at {_steps(above)}, corrected for looking at {looks}.")
    if below:
        said.append(f"Below {found.baseline} beyond noise at {_steps(below)}, corrected for looking at {looks}.")
    if not said:
        said.append(
            f"At no step does the run leave {found.baseline} beyond noise, corrected for looking at {looks}. "
            f"A true difference of {100 * found.detectable:.1f} points would have been seen in 80 % of cases."
        )
    if many > 1:
        said.append(_of_best(found))
    return said


def _of_best(found: Series) -> str:
    best = max(found.steps, key=lambda step: step.average.value)
    if best.average.value <= found.start_average.value:
        return f"No step is higher than {found.baseline}."
    return (
        f"The highest is step {best.step}, picked after looking at these very items: "
        f"what it has over {found.baseline} is {points(best.lead.difference)} points, allowing for that pick."
    )


def points(difference: Estimate) -> str:
    """A difference in points with its interval, as "+1.5 [-0.3, +3.3]"."""
    return f"{100 * difference.value:+.1f} [{100 * difference.low:+.1f}, {100 * difference.high:+.1f}]"


def series_json(found: Series) -> dict[str, Any]:
    """Plain data: accuracies and leads are fractions; leads' intervals hold together at 95 %."""
    return {
        "level": 0.95,
        "baseline": {
            "name": found.baseline,
            "accuracies": {task: asdict(value) for task, value in found.start.items()},
            "average": asdict(found.start_average),
        },
        "tasks": [{"task": task, "items": items} for task, items in found.tasks.items()],
        "steps": [_step_json(step) for step in found.steps],
        "critical": found.critical,
        "detectable": found.detectable,
        "conclusion": conclusion(found),
        "notes": list(found.notes),
    }


def _step_json(step: Step) -> dict[str, Any]:
    return {
        "step": step.step,
        "checkpoint": step.name,
        "accuracies": {task: asdict(value) for task, value in step.accuracies.items()},
        "average": asdict(step.average),
        "leads": {task: _lead_json(lead) for task, lead in step.leads.items()},
        "lead": _lead_json(step.lead),
    }


def _lead_json(lead: Lead) -> dict[str, Any]:
    return asdict(lead) | {"beyond_noise": lead.beyond_noise}


def _steps(names: list[str]) -> str:
    if len(names) == 1:
        return f"step {names[0]}"
    return f"steps {', '.join(names[:-1])} and {names[-1]}"

"""The curves over training steps as a picture: the average and each task, with bands, beside the baseline's."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evalsuite.baselines.series import Lead, Series
from evalsuite.report.pictures import panels, save
from evalsuite.stats.intervals import Estimate


def plot_series(found: Series, path: Path) -> None:
    """Write the picture; its kind is that of the file's name.

    Raises:
        RequestError: it cannot be written there.
    """
    one_task = len(found.tasks) == 1
    figure, drawn = panels(1 if one_task else 1 + len(found.tasks))
    if not one_task:
        averages = [step.average for step in found.steps]
        _draw(drawn[0], found, "average", found.start_average, averages, [step.lead for step in found.steps])
    for panel, (task, items) in zip(drawn[0 if one_task else 1 :], found.tasks.items(), strict=True):
        values = [step.accuracies[task] for step in found.steps]
        _draw(
            panel, found, f"{task} · {items:,} items", found.start[task], values, [s.leads[task] for s in found.steps]
        )
    save(figure, path)


def _draw(
    panel: Any, found: Series, title: str, start: Estimate, values: Sequence[Estimate], leads: Sequence[Lead]
) -> None:
    steps = [step.step for step in found.steps]
    panel.axhspan(100 * start.low, 100 * start.high, color="grey", alpha=0.15, linewidth=0)
    panel.axhline(100 * start.value, color="grey", linestyle="--", linewidth=1, label=found.baseline)
    (line,) = panel.plot(steps, [100 * one.value for one in values], linewidth=1.2, label="steps")
    low, high = [100 * one.low for one in values], [100 * one.high for one in values]
    panel.fill_between(steps, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    for beyond, label in ((True, "beyond noise"), (False, "")):
        at = [i for i, lead in enumerate(leads) if lead.beyond_noise is beyond]
        fill = line.get_color() if beyond else "white"
        points = [100 * values[i].value for i in at]
        panel.plot(
            [steps[i] for i in at], points, "o", color=line.get_color(), markerfacecolor=fill, label=label or None
        )
    panel.set_xlabel("training step")
    panel.set_ylabel("accuracy, % [95 % interval]")
    panel.set_ylim(bottom=0)
    panel.set_title(title, fontsize=10)
    panel.legend(fontsize=8, frameon=False)
    panel.spines[["top", "right"]].set_visible(False)

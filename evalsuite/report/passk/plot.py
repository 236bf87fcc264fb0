"""The curves as a picture: a panel a task, k on a logarithmic axis, intervals as bands."""

from pathlib import Path
from typing import Any

from evalsuite.report.passk.data import PassK, TaskCurves
from evalsuite.report.pictures import panels, save


def plot(found: PassK, path: Path) -> None:
    """Write the picture; its kind is that of the file's name.

    Raises:
        RequestError: it cannot be written there.
    """
    figure, drawn = panels(len(found.tasks))
    for panel, task in zip(drawn, found.tasks, strict=True):
        _draw(panel, task)
    save(figure, path)


def _draw(panel: Any, task: TaskCurves) -> None:
    ks = sorted({point.k for one in task.curves for point in one.points})
    for one in task.curves:
        x = [point.k for point in one.points]
        estimates = [point.estimate for point in one.points]
        low, high = [100 * e.low for e in estimates], [100 * e.high for e in estimates]
        (line,) = panel.plot(x, [100 * e.value for e in estimates], marker="o", markersize=4, label=one.source.name)
        panel.fill_between(x, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    panel.set_xscale("log", base=2)
    panel.set_xticks(ks, [str(k) for k in ks])
    panel.minorticks_off()
    panel.set_xlabel("k")
    panel.set_ylabel("Pass@k, % [95 % interval]")
    panel.set_ylim(bottom=0)
    panel.set_title(f"{task.task} · {task.items:,} items", fontsize=10)
    panel.legend(fontsize=8, frameon=False)
    panel.spines[["top", "right"]].set_visible(False)

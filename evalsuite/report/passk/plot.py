"""The curves as a picture: a panel a task, k on a logarithmic axis, intervals as bands."""

from math import ceil
from pathlib import Path

from evalsuite.errors import RequestError
from evalsuite.report.passk.data import PassK, TaskCurves

SUFFIXES = (".png", ".svg", ".pdf")


def check_plot(path: Path) -> None:
    """Whether a picture can be written there, before the work is done.

    Raises:
        RequestError: another kind of file, or no such folder.
    """
    if path.suffix not in SUFFIXES:
        raise RequestError(f"--plot {path}: a picture ends in {', '.join(SUFFIXES)}")
    if not path.parent.is_dir():
        raise RequestError(f"--plot {path}: there is no folder {path.parent}")


def plot(found: PassK, path: Path) -> None:
    """Write the picture; its kind is that of the file's name."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(2, len(found.tasks))
    rows = ceil(len(found.tasks) / columns)
    figure = Figure(figsize=(5.2 * columns, 3.8 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel, task in zip(panels, found.tasks, strict=False):
        _draw(panel, task)
    for panel in panels[len(found.tasks) :]:
        panel.remove()
    try:
        figure.savefig(path, dpi=160)
    except OSError as error:
        raise RequestError(f"--plot {path}: cannot be written ({error.strerror})") from None


def _draw(panel, task: TaskCurves) -> None:  # type: ignore[no-untyped-def]  # matplotlib's axes
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

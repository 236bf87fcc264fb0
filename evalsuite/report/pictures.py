"""What all pictures share: where they may go, and panels beside each other."""

from math import ceil
from pathlib import Path
from typing import Any

from evalsuite.errors import RequestError

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


def panels(many: int) -> tuple[Any, list[Any]]:
    """A figure without a screen, and so many panels in it, two a row."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(2, many)
    rows = ceil(many / columns)
    figure = Figure(figsize=(5.2 * columns, 3.8 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    found = list(figure.subplots(rows, columns, squeeze=False).ravel())
    for panel in found[many:]:
        panel.remove()
    return figure, found[:many]


def save(figure: Any, path: Path) -> None:
    """Write the figure; its kind is that of the file's name.

    Raises:
        RequestError: it cannot be written.
    """
    try:
        figure.savefig(path, dpi=160)
    except OSError as error:
        raise RequestError(f"--plot {path}: cannot be written ({error.strerror})") from None

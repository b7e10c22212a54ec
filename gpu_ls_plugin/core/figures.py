"""What figures have in common."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.files import image_figure, image_format, save_figure

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure

BESIDE = 3  # panels in a row


def require_image(path: str | os.PathLike[str] | None) -> None:
    """Raise InvalidParameterError, before any work, where a path is not that of an image."""
    if path is not None:
        image_format(Path(path))


def panels(number: int, path: str | os.PathLike[str] | None) -> tuple[Figure, list[Any]]:
    """Return a figure with empty panels; a path that is not that of an image raises."""
    require_image(path)
    columns = min(number, BESIDE)
    rows = -(-number // columns)
    figure = image_figure(1.0 + 4.5 * columns, 0.5 + 3.5 * rows)
    return figure, [figure.add_subplot(rows, columns, index + 1) for index in range(number)]


def saved(figure: Figure, path: str | os.PathLike[str] | None) -> Figure:
    """Return the figure, written to a file where there is a path."""
    if path is not None:
        save_figure(figure, Path(path))
    return figure


def color(index: int) -> str:
    """Return the color of one of several, the same in all figures."""
    return f"C{index % 10}"


def plain(name: str) -> str:
    """Return a name such that Matplotlib shows it as it is: no formula, and not left out."""
    shown = name.encode("utf-8", "backslashreplace").decode().replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown

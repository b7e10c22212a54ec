"""Files that are written completely or not at all, and what their names stand for."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gpu_ls_plugin.exceptions import InvalidParameterError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure


@contextmanager
def atomically(path: Path) -> Iterator[Path]:
    """Yield a temporary file name beside `path` that takes its place if all goes well.

    What is no regular file, such as /dev/stdout, is yielded itself.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    target = path.resolve()
    temporary = target.with_name(f".{target.stem}.{os.getpid()}{target.suffix}")
    try:
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def is_packed(path: Path) -> bool:
    """Return whether the name of a JSON file is that of a compressed one.

    Raises
    ------
    InvalidParameterError
        It ends neither in ``.json`` nor in ``.json.gz``.
    """
    if not path.name.lower().endswith((".json", ".json.gz")):
        raise InvalidParameterError(f"path: {path.name!r} must end in .json or .json.gz")
    return path.suffix.lower() == ".gz"


def _image_canvas() -> type[FigureCanvasAgg]:
    """Return what figures are drawn on without a window."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
    except ImportError as error:
        raise MissingExtraError(
            'plot: drawing needs Matplotlib: pip install "gpu-ls-plugin[plot]"'
        ) from error
    return FigureCanvasAgg


def image_format(path: Path) -> str:
    """Return the format of an image file, which is the ending of its name.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.
    InvalidParameterError
        The name has no ending of an image format.
    """
    known = _image_canvas().get_supported_filetypes()
    ending = path.suffix.lower().lstrip(".")
    if ending not in known:
        raise InvalidParameterError(
            f"plot: {path.name!r} must end in one of {', '.join(f'.{name}' for name in known)}"
        )
    return ending


def image_figure(width: float, height: float) -> Figure:
    """Return an empty figure for `save_figure`, its size in inches.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.
    """
    canvas = _image_canvas()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    canvas(figure)  # which is then the figure's own
    return figure


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure to an image file, atomically.

    Raises
    ------
    InvalidParameterError
        The name has no ending of an image format.
    OSError
        The file cannot be written.
    """
    kind = image_format(path)
    with atomically(path) as file:
        figure.canvas.print_figure(file, dpi=150, format=kind)

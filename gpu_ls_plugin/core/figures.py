"""Helpers for Matplotlib figures: empty figures, panels, colours, labels, and image files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import InvalidParameterError, MissingExtraError
from gpu_ls_plugin.core.files import atomically

if TYPE_CHECKING:
    import os

    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

COLUMNS = 3  # maximum number of panels side by side
WIDTH_OF_LABEL = 1.6  # inches that an entry of a legend takes
FONTS: Any = {"pdf.fonttype": 42, "ps.fonttype": 42}  # TrueType: publishers refuse Type 3
LINES = ("-", "--", ":", "-.")


def require_image(path: str | os.PathLike[str] | None) -> None:
    """Raise InvalidParameterError if Matplotlib cannot write the image `path`; None is allowed."""
    if path is not None:
        _image_format(Path(path))


def image_figure(width: float, height: float) -> Figure:
    """Return an empty figure that needs no window; the size is in inches."""
    canvas = _image_canvas()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    canvas(figure)  # sets figure.canvas
    return figure


def panels(number: int, path: str | os.PathLike[str] | None) -> tuple[Figure, list[Any]]:
    """Return a figure and its `number` empty panels; raise if Matplotlib cannot write `path`."""
    require_image(path)
    columns = min(number, COLUMNS if number != 4 else 2)
    rows = -(-number // columns)
    figure = image_figure(0.8 + 3.4 * columns, 0.5 + 2.8 * rows)
    return figure, [figure.add_subplot(rows, columns, index + 1) for index in range(number)]


def saved(figure: Figure, path: str | os.PathLike[str] | None) -> Figure:
    """Return the figure; if there is a path, write it to that image file, atomically."""
    if path is not None:
        import matplotlib

        kind = _image_format(Path(path))
        with atomically(Path(path)) as file, matplotlib.rc_context(FONTS):
            figure.canvas.print_figure(file, dpi=150, format=kind)
    return figure


def color(index: int) -> str:
    """Return the colour of the series with this index, which is the same in all figures."""
    return f"C{index % 10}"


def line_style(index: int) -> str:
    """Return the line style of a series; the gaps of later ones show lines that they cover."""
    return LINES[index % len(LINES)]


def share_legend(figure: Figure) -> None:
    """Add one legend for all panels of a figure, below them."""
    found: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    columns = max(1, min(len(found), int(figure.get_figwidth() / WIDTH_OF_LABEL)))
    figure.legend(
        list(found.values()), list(found), loc="outside lower center", ncols=columns,
        fontsize="small",
    )  # fmt: skip


def plain(name: str) -> str:
    """Return a label that Matplotlib neither reads as a formula nor hides because of a "_"."""
    shown = name.encode("utf-8", "backslashreplace").decode().replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def _image_canvas() -> type[FigureCanvasAgg]:
    """Return the canvas that needs no window."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
    except ImportError as error:
        raise MissingExtraError(
            'plot: drawing needs Matplotlib: pip install "gpu-ls-plugin[plot]"'
        ) from error
    return FigureCanvasAgg


def _image_format(path: Path) -> str:
    """Return the format of an image file, which is its extension."""
    known = _image_canvas().get_supported_filetypes()
    ending = path.suffix.lower().lstrip(".")
    if ending not in known:
        raise InvalidParameterError(
            f"plot: {path.name!r} must end in one of {', '.join(f'.{name}' for name in known)}"
        )
    return ending

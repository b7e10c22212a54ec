"""Files that a solve leaves behind, and what can be checked before there is anything to write."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.exceptions import InvalidParameterError
from gpu_ls_plugin.files import atomically, image_figure, image_format, is_packed, save_figure
from gpu_ls_plugin.problems.tsplib import write_tour

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from gpu_ls_plugin.problems.tsp import TSP


def check_writable(path: Path) -> None:
    """Raise OSError, before any work is done, where a file could not be written afterwards."""
    folder = path.parent
    if path.is_dir():
        code = errno.EISDIR
    elif not folder.is_dir():
        code = errno.ENOENT
    elif not os.access(path if path.exists() else folder, os.W_OK):
        code = errno.EACCES
    else:
        return
    raise OSError(code, os.strerror(code), str(path))


def check_result(path: Path) -> None:
    """Raise, before any work is done, where a result could not be written afterwards.

    Raises
    ------
    InvalidParameterError
        The name ends neither in ``.json`` nor in ``.json.gz``.
    OSError
        The file cannot be written.
    """
    is_packed(path)
    check_writable(path)


def check_drawable(path: Path) -> None:
    """Raise, before any work is done, where a figure could not be drawn afterwards.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.
    InvalidParameterError
        The file name has no ending of an image format.
    OSError
        The file cannot be written.
    """
    image_format(path)
    check_writable(path)


def check_plottable(problem: TSP, path: Path) -> None:
    """Raise as `check_drawable` does, and where the problem has no coordinates.

    Raises
    ------
    InvalidParameterError
        It has none.
    """
    if problem.coordinates is None:
        raise InvalidParameterError(
            f"plot: {problem.name or 'the problem'} is a matrix without coordinates, so that no "
            "tour can be drawn; leave the plot out"
        )
    check_drawable(path)


def save_tour(problem: TSP, tour: NDArray[Any], path: Path) -> None:
    """Write a tour (n,) as a TSPLIB tour file, atomically."""
    length = problem.cost(tour)[0].item()
    with atomically(path) as file:
        write_tour(file, tour, name=problem.name or path.stem, length=length)


def save_plot(problem: TSP, tour: NDArray[Any], path: Path, title: str) -> None:
    """Draw a tour (n,) of a problem with coordinates into an image file, atomically."""
    assert problem.coordinates is not None
    points = problem.coordinates
    if problem.metric.name == "GEO":  # (latitude, longitude): north is up
        points = points[:, ::-1]
    x, y = points[[*tour, tour[0]]].T
    figure = image_figure(8, 8)
    axes = figure.add_subplot(aspect="equal", title=title)
    axes.plot(x, y, color="tab:blue", linewidth=1.0)
    axes.scatter(x, y, color="tab:red", s=min(16.0, 8000.0 / problem.n), zorder=2)
    axes.set_axis_off()
    save_figure(figure, path)

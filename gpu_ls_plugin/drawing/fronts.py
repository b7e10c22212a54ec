"""Pictures of fronts of several objectives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.figures import color, image_figure, plain, require_image, saved

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

NAMES = ("first", "second", "third")


def plot_fronts(
    fronts: Mapping[str, ArrayLike], path: str | os.PathLike[str] | None = None, *, title: str = ""
) -> Figure:
    """Draw fronts of two or three objectives into one picture.

    Parameters
    ----------
    fronts : mapping of name to array_like, shape (rows, objectives)
        Objectives, such as ``result.F`` of pymoo.
    path : path, optional
        Image file to write; its ending is the format. It appears complete or not at all.
    title : str
        Title above the picture.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.
    InvalidParameterError, InvalidTypeError
        `fronts` is empty or not a mapping, or the ending of `path` is not an image format.
    OSError
        The file cannot be written.
    """
    checks.instance("fronts", fronts, kind=Mapping, wanted="mapping of names to arrays")
    rows = {name: np.asarray(front, dtype=float) for name, front in fronts.items()}
    shapes = {array.shape[1:] for array in rows.values()}
    if shapes not in ({(2,)}, {(3,)}):
        raise InvalidParameterError(
            "fronts: pass one or more arrays of shape (rows, 2), or all of shape (rows, 3)"
        )
    require_image(path)
    figure = image_figure(6, 5)
    solid = {"projection": "3d"} if shapes == {(3,)} else {}
    axes = figure.add_subplot(title=title, **solid)
    draw_fronts(axes, rows)
    return saved(figure, path)


def draw_fronts(axes: Any, fronts: Mapping[str, NDArray[np.float64]]) -> None:
    """Draw fronts of two or three objectives, to match the axes; each has a color of its own."""
    for index, (name, front) in enumerate(fronts.items()):
        if len(front):
            axes.scatter(*front.T, s=8, color=color(index), label=plain(name))
    for direction, word in zip("xyz", NAMES, strict=True):
        if hasattr(axes, f"set_{direction}label"):
            axes.set(**{f"{direction}label": f"{word} objective"})
    axes.legend(fontsize="small")

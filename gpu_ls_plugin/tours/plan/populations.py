"""Pictures of populations: how many tours have each edge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.figures import image_figure, require_image, saved
from gpu_ls_plugin.core.rows import check_tours
from gpu_ls_plugin.tours.plan.drawing import coordinates
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem

COLORS = "viridis_r"  # what few tours have is pale
RARE, FREQUENT = 0.4, 1.8  # widths of lines


def plot_population(
    problem: Problem,
    tours: ArrayLike,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str = "",
) -> Figure:
    """Draw all edges of tours; the more of the tours have one, the darker and wider it is.

    Parameters
    ----------
    problem : Problem
        With coordinates.
    tours : array_like, shape (P, n), integer
        Not changed.
    path : path, optional
        Image file to write, complete or not at all; its ending is the format.
    title : str
        Above the picture.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.
    InvalidParameterError
        The problem has no coordinates, or the ending is not an image format.
    InvalidTourError, InvalidTypeError
        A row is not a permutation of the cities, or `problem` is not a TSP.
    OSError
        The file cannot be written.
    """
    problem = tour_problem(problem)
    points, rows = coordinates(problem), check_tours(problem, tours)
    require_image(path)
    figure = image_figure(8.5, 8)
    axes = figure.add_subplot(aspect="equal", title=title)
    edges = draw_population(axes, points, rows)
    figure.colorbar(edges, ax=axes, label="share of the tours", shrink=0.7)
    return saved(figure, path)


def draw_population(axes: Any, points: NDArray[Any], tours: NDArray[Any]) -> Any:
    """Draw the cities and the edges, the frequent ones above; return the edges."""
    from matplotlib.collections import LineCollection

    edges, shares = edge_shares(tours)
    order = np.argsort(shares, kind="stable")
    lines = LineCollection(list(points[edges[order]]), cmap=COLORS)
    lines.set_array(shares[order])
    lines.set_clim(0.0, 1.0)
    lines.set_linewidth((RARE + (FREQUENT - RARE) * shares[order]).tolist())
    axes.add_collection(lines)
    axes.scatter(*points.T, color="tab:red", s=min(16.0, 8000.0 / len(points)), zorder=2)
    axes.set_axis_off()
    return lines


def edge_shares(tours: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the edges of tours, in either direction, and what share of the tours has each."""
    first, second = tours.astype(np.int64), np.roll(tours, -1, axis=1)
    n = tours.shape[1]
    keys = np.minimum(first, second) * n + np.maximum(first, second)
    if n <= 2:  # there and back again is one edge
        keys = keys[:, :1]
    found, counts = np.unique(keys, return_counts=True)
    return np.stack(np.divmod(found, n), axis=1), counts / len(tours)

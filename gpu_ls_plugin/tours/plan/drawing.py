"""Pictures of tours and of populations of tours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTourError
from gpu_ls_plugin.core.figures import image_figure, require_image, saved
from gpu_ls_plugin.core.rows import check_tours
from gpu_ls_plugin.tours.problem.metrics import Globe
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.problem.tsp import TSP

COLORS = "viridis_r"  # rare edges are pale
RARE, FREQUENT = 0.4, 1.8  # widths of lines, in points


def plot_tour(
    problem: Problem,
    tour: ArrayLike,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str = "",
) -> Figure:
    """Draw a tour of a problem with coordinates.

    Parameters
    ----------
    problem : Problem
    tour : array_like, shape (n,), integer
        Not changed.
    path, title
        As in `plot_solution`.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InvalidTourError, InvalidTypeError
        The tour is not a permutation of the cities, or `problem` is not a TSP.
    MissingExtraError, InvalidParameterError, OSError
        As in `plot_solution`.
    """
    problem = tour_problem(problem)
    points = coordinates(problem)
    rows = check_tours(problem, tour, parameter="tour")
    if len(rows) > 1:
        raise InvalidTourError(f"tour: {len(rows)} tours, but one is drawn; pass one row")
    require_image(path)
    x, y = points[[*rows[0], rows[0, 0]]].T
    figure = image_figure(8, 8)
    axes = figure.add_subplot(aspect="equal", title=title)
    axes.plot(x, y, color="tab:blue", linewidth=1.0)
    axes.scatter(x, y, color="tab:red", s=min(16.0, 4000.0 / problem.n), zorder=2)
    axes.set_axis_off()
    return saved(figure, path)


def plot_population(
    problem: Problem,
    tours: ArrayLike,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str = "",
) -> Figure:
    """Draw all edges of tours; the more tours contain an edge, the darker and wider it is.

    Parameters
    ----------
    tours : array_like, shape (P, n), integer
        Not changed.
    problem, path, title
        As in `plot_tour`, which also lists the errors.

    Returns
    -------
    matplotlib.figure.Figure
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
    """Draw the cities and the edges, frequent ones on top; return the edges."""
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
    """Return the undirected edges of tours, and the share of tours that contain each."""
    first, second = tours.astype(np.int64), np.roll(tours, -1, axis=1)
    n = tours.shape[1]
    keys = np.minimum(first, second) * n + np.maximum(first, second)
    if n <= 2:  # both directions are one edge
        keys = keys[:, :1]
    found, counts = np.unique(keys, return_counts=True)
    return np.stack(np.divmod(found, n), axis=1), counts / len(tours)


def coordinates(problem: TSP) -> Any:
    """Return the coordinates for a picture, float64 (n, 2); raise if the problem has none."""
    if problem.coordinates is None:
        raise InvalidParameterError(
            f"plot: {problem.name or 'the problem'} is a matrix without coordinates, so no tour "
            "can be drawn; leave the plot out"
        )
    # On a globe, coordinates are (latitude, longitude); swapping them puts north at the top.
    on_globe = isinstance(problem.metric, Globe)
    return problem.coordinates[:, ::-1] if on_globe else problem.coordinates

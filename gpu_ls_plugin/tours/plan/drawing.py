"""Pictures of tours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTourError
from gpu_ls_plugin.core.figures import image_figure, require_image, saved
from gpu_ls_plugin.core.rows import check_tours
from gpu_ls_plugin.tours.problem.metrics import Globe
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.problem.tsp import TSP


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
        The tour is not a permutation of the cities, or `problem` is not a TSP.
    OSError
        The file cannot be written.
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
    axes.scatter(x, y, color="tab:red", s=min(16.0, 8000.0 / problem.n), zorder=2)
    axes.set_axis_off()
    return saved(figure, path)


def coordinates(problem: TSP) -> Any:
    """Return where cities are drawn, float64 (n, 2); a problem without coordinates raises."""
    if problem.coordinates is None:
        raise InvalidParameterError(
            f"plot: {problem.name or 'the problem'} is a matrix without coordinates, so that no "
            "tour can be drawn; leave the plot out"
        )
    # On a globe these are (latitude, longitude): north is up.
    on_globe = isinstance(problem.metric, Globe)
    return problem.coordinates[:, ::-1] if on_globe else problem.coordinates

"""Pictures of solutions of any kind of problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.runs.domain import domain_of

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from gpu_ls_plugin.core.problem import Problem


def plot_solution(
    problem: Problem,
    row: ArrayLike,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str = "",
) -> Figure:
    """Draw a solution as the domain of its problem does: a tour, routes on a map, ...

    Parameters
    ----------
    problem : Problem
    row : array_like, shape (n,), integer
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
    UnsupportedProblemError
        Solutions of such problems are not drawn.
    InvalidParameterError
        The problem has no coordinates, or the ending is not an image format.
    InvalidTourError, InvalidTypeError
        The row is not a solution, or `problem` is not a problem.
    OSError
        The file cannot be written.
    """
    return domain_of(problem).plot(problem, row, path, title)

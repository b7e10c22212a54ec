"""Pictures of solutions of all kinds of problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.runs.domain import domain_of

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from gpu_ls_plugin.core.problem import Problem


def plot_solution(
    problem: Problem, row: ArrayLike, path: str | os.PathLike[str] | None = None, *, title: str = ""
) -> Figure:
    """Draw a solution in the way of its domain: a tour, routes on a map, ...

    Parameters
    ----------
    problem : Problem
    row : array_like, shape (n,), integer
        Not changed.
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
    UnsupportedProblemError
        Solutions of such problems cannot be drawn.
    InvalidParameterError
        The problem has no coordinates, or the ending is not an image format.
    InvalidTourError, InvalidTypeError
        The row is not a solution, or `problem` is not a problem.
    OSError
        The file cannot be written.
    """
    return domain_of(problem).plot(problem, row, path, title)

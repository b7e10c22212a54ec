"""Moving pictures of runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.files import atomically, image_figure
from gpu_ls_plugin.core.rows import check_tours
from gpu_ls_plugin.tours.plan.drawing import coordinates
from gpu_ls_plugin.tours.plan.populations import draw_population
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from gpu_ls_plugin.core.problem import Problem

DOTS_PER_INCH = 80


def animate_run(
    problem: Problem,
    states: Iterable[ArrayLike],
    path: str | os.PathLike[str],
    *,
    titles: Iterable[str] = (),
    per_second: int = 4,
) -> None:
    """Write a GIF of how a tour or a population changes, a frame for each state.

    Parameters
    ----------
    problem : Problem
        With coordinates.
    states : iterable of array_like, shape (n,) or (P, n), integer
        A tour or the tours of each moment; drawn as `plot_population` does.
    path : path
        A ``.gif``, written complete or not at all.
    titles : iterable of str
        Above the frames, as far as they go; else the number of the frame.
    per_second : int
        Frames per second, at most 50.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.
    InvalidParameterError
        There is no state, the problem has no coordinates, or the path does not end in ``.gif``.
    InvalidTourError, InvalidTypeError
        A row is not a permutation of the cities, or `problem` is not a TSP.
    OSError
        The file cannot be written.
    """
    problem = tour_problem(problem)
    points = coordinates(problem)
    per_second = checks.integer("per_second", per_second, least=1, most=50)
    target = Path(path)
    if target.suffix.lower() != ".gif":
        raise InvalidParameterError(f"path: {target.name!r} must end in .gif")
    frames = [check_tours(problem, state, parameter="states") for state in states]
    if not frames:
        raise InvalidParameterError("states: there is none; pass a tour for each frame")
    named = dict(enumerate(titles))

    figure = image_figure(6, 6)
    from matplotlib.animation import PillowWriter

    writer = PillowWriter(fps=per_second)
    with atomically(target) as file, writer.saving(figure, str(file), DOTS_PER_INCH):
        for number, tours in enumerate(frames):
            figure.clear()
            title = named.get(number, f"{number + 1} of {len(frames)}")
            draw_population(figure.add_subplot(aspect="equal", title=title), points, tours)
            writer.grab_frame()

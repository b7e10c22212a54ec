"""Animations of runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.figures import image_figure
from gpu_ls_plugin.core.files import atomically
from gpu_ls_plugin.runs.domain import domain_of

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
    """Write an animated GIF of a changing tour or population, with a frame for each state.

    Parameters
    ----------
    problem : Problem
        With coordinates.
    states : iterable of array_like, shape (n,) or (P, n), integer
        A tour or a population for each frame; drawn as by `plot_population`.
    path : path
        A ``.gif`` file; it appears complete or not at all.
    titles : iterable of str
        Titles of the frames; further frames show their number.
    per_second : int
        Frames per second, at most 50.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.
    InvalidParameterError
        There is no state, the problem has no coordinates, or the path does not end in ``.gif``.
    InvalidTourError, InvalidTypeError
        A row is not a solution, or `problem` is not a problem.
    UnsupportedProblemError
        Solutions of such problems cannot be drawn.
    OSError
        The file cannot be written.
    """
    domain = domain_of(problem)
    per_second = checks.integer("per_second", per_second, least=1, most=50)
    target = Path(path)
    if target.suffix.lower() != ".gif":
        raise InvalidParameterError(f"path: {target.name!r} must end in .gif")
    frames = [problem.check(state, parameter="states") for state in states]
    if not frames:
        raise InvalidParameterError("states: it is empty; pass a tour for each frame")
    named = dict(enumerate(titles))

    figure = image_figure(6, 6)
    from matplotlib.animation import PillowWriter

    writer = PillowWriter(fps=per_second)

    def draw(number: int) -> None:
        figure.clear()
        title = named.get(number, f"{number + 1} of {len(frames)}")
        domain.draw(problem, frames[number], figure.add_subplot(title=title))

    draw(0)  # raises before there is a file if the problem cannot be drawn
    with atomically(target) as file, writer.saving(figure, str(file), DOTS_PER_INCH):
        for number in range(len(frames)):
            draw(number)
            writer.grab_frame()

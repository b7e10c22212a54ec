"""Pictures of solutions and fronts, and animations of runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.figures import color, image_figure, plain, require_image, saved
from gpu_ls_plugin.core.files import atomically
from gpu_ls_plugin.runs.domain import domain_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem

NAMES = ("first", "second", "third")  # names of the objectives on the axes
DOTS_PER_INCH = 80  # resolution of animations


def plot_solution(
    problem: Problem, row: ArrayLike, path: str | os.PathLike[str] | None = None, *, title: str = ""
) -> Figure:
    """Draw a solution in the style of its domain, such as a tour or routes on a map.

    Parameters
    ----------
    problem : Problem
    row : array_like, shape (n,), integer
        Not changed.
    path : path, optional
        Image file; its extension sets the format. It is written completely or not at all.
        None: write no file.
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
        Solutions of this kind of problem cannot be drawn.
    InvalidParameterError
        The problem has no coordinates, or the extension is not that of an image format.
    InvalidTourError, InvalidTypeError
        The row is not a solution, or `problem` is not a problem.
    OSError
        The file cannot be written.
    """
    return domain_of(problem).plot(problem, row, path, title)


def plot_schedule(
    problem: Problem, row: ArrayLike, path: str | os.PathLike[str] | None = None, *, title: str = ""
) -> Figure:
    """Draw a Gantt chart: the jobs on each machine, or the stops of each route, over time.

    Bars of routes show travel (grey), waiting (yellow) and service, and thin lines below them the
    time windows in the order of the visits. A late service is red. The bar then goes back in time
    to the end of the window, as `CVRP.schedule` does, so times after a late service are not real.

    Parameters
    ----------
    problem : FlowShop, SingleMachine, CVRP or VRP
        Or a problem of a plugin that has schedules.
    row : array_like, shape (n,), integer
        The order of the jobs, or a giant tour; not changed.
    path, title
        As in `plot_solution`.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    UnsupportedProblemError
        The problem has no schedule.
    InvalidParameterError
        The extension is not that of an image format.
    MissingExtraError, InvalidTourError, InvalidTypeError, OSError
        As in `plot_solution`.
    """
    return domain_of(problem).chart(problem, row, path, title)


def plot_fronts(
    fronts: Mapping[str, ArrayLike], path: str | os.PathLike[str] | None = None, *, title: str = ""
) -> Figure:
    """Draw fronts of two or three objectives in one picture.

    Parameters
    ----------
    fronts : mapping from name to array_like, shape (rows, objectives)
        The objectives of each row, such as ``result.F`` of pymoo.
    path, title
        As in `plot_solution`.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `fronts` is empty or not a mapping, or the extension of `path` is not that of an image.
    MissingExtraError, OSError
        As in `plot_solution`.
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
    """Draw fronts with as many objectives as there are axes, each front in its own colour."""
    for index, (name, front) in enumerate(fronts.items()):
        if len(front):
            axes.scatter(*front.T, s=8, color=color(index), label=plain(name))
    for direction, word in zip("xyz", NAMES, strict=True):
        if hasattr(axes, f"set_{direction}label"):
            axes.set(**{f"{direction}label": f"{word} objective"})
    axes.legend(fontsize="small")


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
        A problem with coordinates.
    states : iterable of array_like, shape (n,) or (P, n), integer
        A tour or a population for each frame; it is drawn as `plot_population` draws it.
    path : path
        A ``.gif`` file; it is written completely or not at all.
    titles : iterable of str
        Titles of the first frames; the other frames show their number.
    per_second : int
        Frames per second, at most 50.

    Raises
    ------
    InvalidParameterError
        There is no state, the problem has no coordinates, or the path does not end in ``.gif``.
    MissingExtraError, InvalidTourError, InvalidTypeError, UnsupportedProblemError, OSError
        As in `plot_solution`.
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

    draw(0)  # if the problem cannot be drawn, this raises before a file is created
    with atomically(target) as file, writer.saving(figure, str(file), DOTS_PER_INCH):
        for number in range(len(frames)):
            draw(number)
            writer.grab_frame()

"""The fronts that runs with several objectives end with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.exceptions import InvalidParameterError
from gpu_ls_plugin.experiments.figures.panels import color, panels, plain, saved

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure

    from gpu_ls_plugin.experiments.runs import Runs


def plot_fronts(results: Runs, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw the final fronts of all runs, a panel for each problem with several objectives.

    Of more than two objectives, the first two are drawn.

    Parameters
    ----------
    results : Runs
    path : path, optional
        Image file to write, complete or not at all; its ending is the format.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.
    InvalidParameterError
        No run has a front, or the ending is not an image format.
    OSError
        The file cannot be written.
    """
    runs = [record for record in results.records if record.objectives > 1 and record.costs]
    problems = [name for name in results.problems if any(r.problem == name for r in runs)]
    if not problems:
        raise InvalidParameterError("plot: no run has a front of several objectives")
    figure, places = panels(len(problems), path)
    for axes, problem in zip(places, problems, strict=True):
        axes.set(title=plain(problem), xlabel="first objective", ylabel="second objective")
        for index, name in enumerate(results.algorithms):
            found = [r.costs for r in runs if (r.algorithm, r.problem) == (name, problem)]
            if found:
                first, second, *_ = zip(*(row for costs in found for row in costs), strict=True)
                axes.scatter(first, second, s=8, color=color(index), label=plain(name))
        axes.legend(fontsize="small")
    return saved(figure, path)

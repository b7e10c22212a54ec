"""The fronts that runs with several objectives end with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.figures import panels, plain, saved
from gpu_ls_plugin.drawing.fronts import draw_fronts

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure

    from gpu_ls_plugin.experiments.runs import Runs


def plot_fronts(results: Runs, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw the final fronts of all runs by their first two objectives, a panel for each problem."""
    runs = [record for record in results.records if record.objectives > 1 and record.costs]
    problems = [name for name in results.problems if any(r.problem == name for r in runs)]
    if not problems:
        raise InvalidParameterError("plot: no run has a front of several objectives")
    figure, places = panels(len(problems), path)
    for axes, problem in zip(places, problems, strict=True):
        fronts = {
            name: [row for record in results.runs_of(name, problem) for row in record.costs]
            for name in results.algorithms
        }
        first_two = {name: np.array([row[:2] for row in rows]) for name, rows in fronts.items()}
        draw_fronts(axes, first_two)
        axes.set_title(plain(problem))
    return saved(figure, path)

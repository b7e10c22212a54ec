"""Gaps against time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.figures import color, panels, plain, saved
from gpu_ls_plugin.experiments.comparison import quantile

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from gpu_ls_plugin.experiments.runs import Runs, Steps

    Values = NDArray[np.float64]

MOMENTS = 200  # of a curve of medians
SHORTEST = 1e-6  # seconds; an axis in powers of ten has no zero


def plot_curves(results: Runs, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw the median gaps of an algorithm's runs, between quartiles, against time, by problems."""
    curves = {problem: _curves(results, problem) for problem in results.problems}
    curves = {problem: found for problem, found in curves.items() if found}
    if not curves:
        raise InvalidParameterError("plot: no run has found anything")
    figure, places = panels(len(curves), path)
    for axes, (problem, found) in zip(places, curves.items(), strict=True):
        axes.set(title=plain(problem), xlabel="seconds", ylabel="gap in %", xscale="log")
        moments = _moments([run for runs in found.values() for run in runs])
        drawn = []
        for algorithm, runs in found.items():
            low, middle, high = spread(runs, moments)
            look: dict[str, Any] = {"color": color(results.algorithms.index(algorithm))}
            axes.plot(moments, middle, label=plain(algorithm), drawstyle="steps-post", **look)
            axes.fill_between(moments, low, high, alpha=0.2, linewidth=0, step="post", **look)
            drawn.append(middle)
        _scale(axes, np.concatenate(drawn))
        axes.legend(fontsize="small")
    return saved(figure, path)


def spread(runs: Sequence[Steps], moments: Values) -> Values:
    """Return quartiles of the runs' gaps at moments, shape (3, moments); NaN where infinite."""
    at = np.array([_at(run, moments) for run in runs])
    shares = (0.25, 0.5, 0.75)
    found = np.array([[quantile(column.tolist(), share) for column in at.T] for share in shares])
    return np.where(np.isfinite(found), found, np.nan)


def _curves(results: Runs, problem: str) -> dict[str, list[Steps]]:
    """Return the runs by algorithm, of those of which at least one has found something."""
    found = {}
    for algorithm in results.algorithms:
        runs = [results.curves[record.key] for record in results.runs_of(algorithm, problem)]
        if any(math.isfinite(gap) for run in runs for _, gap in run):
            found[algorithm] = runs
    return found


def _moments(runs: Sequence[Steps]) -> Values:
    seconds = [max(moment, SHORTEST) for run in runs for moment, _ in run]
    return np.geomspace(min(seconds), max(seconds), MOMENTS)


def _at(run: Steps, moments: Values) -> Values:
    """Return the gaps of a run at moments, infinite before its first one."""
    gaps = np.array([math.inf, *(gap for _, gap in run)])
    found: Values = gaps[np.searchsorted([moment for moment, _ in run], moments, side="right")]
    return found


def _scale(axes: Any, gaps: Values) -> None:
    """Make the axis of the gaps logarithmic, linear near zero where some are there."""
    known = gaps[np.isfinite(gaps)]
    positive = known[known > 0]
    if len(positive) and len(positive) == len(known):
        axes.set_yscale("log")
    elif len(positive):
        axes.set_yscale("symlog", linthresh=min(1.0, max(1e-4, float(positive.min()))))

"""The figures of an experiment: curves, performance profiles, ranks and fronts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.figures import (
    color,
    image_figure,
    line_style,
    panels,
    plain,
    require_image,
    saved,
    share_legend,
)
from gpu_ls_plugin.drawing.pictures import draw_fronts
from gpu_ls_plugin.experiments.comparison import average_ranks, critical_difference, quantile
from gpu_ls_plugin.experiments.summaries import SIGNIFICANT

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from gpu_ls_plugin.experiments.runs import Runs, Steps

    Values = NDArray[np.float64]

MOMENTS = 200  # number of points of a drawn curve
SHORTEST = 1e-6  # seconds; replaces shorter times, since logarithmic axes cannot show 0


def plot_curves(results: Runs, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw the median and the quartiles of gaps against time, with a panel for each problem."""
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
            index = results.algorithms.index(algorithm)
            look: dict[str, Any] = {"color": color(index)}
            shape = {"linestyle": line_style(index), "drawstyle": "steps-post"}
            axes.plot(moments, middle, label=plain(algorithm), **shape, **look)
            axes.fill_between(moments, low, high, alpha=0.2, linewidth=0, step="post", **look)
            drawn.append(middle)
        _scale(axes, np.concatenate(drawn))
    share_legend(figure)
    return saved(figure, path)


def spread(runs: Sequence[Steps], moments: Values) -> Values:
    """Return the quartiles of gaps at given times, shape (3, times); NaN replaces infinite gaps."""
    at = np.array([_at(run, moments) for run in runs])
    shares = (0.25, 0.5, 0.75)
    found = np.array([[quantile(column.tolist(), share) for column in at.T] for share in shares])
    return np.where(np.isfinite(found), found, np.nan)


def _curves(results: Runs, problem: str) -> dict[str, list[Steps]]:
    """Return the runs of each algorithm that has a run with a finite gap."""
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
    """Return the gaps of a run at given times; infinite before its first point."""
    gaps = np.array([math.inf, *(gap for _, gap in run)])
    return gaps[np.searchsorted([moment for moment, _ in run], moments, side="right")]


def _scale(axes: Any, gaps: Values) -> None:
    """Make the axis of gaps logarithmic; linear near zero if a gap is 0."""
    known = gaps[np.isfinite(gaps)]
    positive = known[known > 0]
    if len(positive) and len(positive) == len(known):
        axes.set_yscale("log")
    elif len(positive):
        decade = math.floor(math.log10(positive.min()))  # no tick is between this and 0
        axes.set_yscale("symlog", linthresh=10.0 ** min(0, max(-4, decade)))


def plot_profiles(
    results: Runs, path: str | os.PathLike[str] | None, targets: Sequence[float]
) -> Figure:
    """Draw performance profiles of the times that algorithms need to reach gaps.

    There is a panel for each target (a gap in percent). The panel shows the share of pairs of a
    problem and a seed for which an algorithm reaches the gap within a multiple of the fastest
    algorithm's time (Dolan and More 2002).
    """
    if not targets:
        raise InvalidParameterError("targets: it is empty; pass gaps in percent such as (1, 0.1)")
    figure, places = panels(len(targets), path)
    for axes, target in zip(places, targets, strict=True):
        axes.set(title=f"gap of {target:g} %", xlabel="multiple of the fastest time", xscale="log")
        axes.set(ylabel="share of problems and seeds", ylim=(-0.02, 1.02))
        ratios = ratios_to_fastest(results, target)
        finite = [ratio for row in ratios.values() for ratio in row if math.isfinite(ratio)]
        most = 1.1 * max(finite, default=1.0)
        for index, name in enumerate(results.algorithms):
            steps = sorted(ratio for ratio in ratios[name] if math.isfinite(ratio))
            shares = np.arange(len(steps) + 1) / max(1, len(ratios[name]))
            x = [1.0, *steps, most]
            y = [0.0, *shares[1:], shares[-1]]
            look = {"color": color(index), "linestyle": line_style(index)}
            axes.step(x, y, where="post", label=plain(name), **look)
    share_legend(figure)
    return saved(figure, path)


def ratios_to_fastest(results: Runs, target: float) -> dict[str, list[float]]:
    """Return each algorithm's times as multiples of the fastest time per problem and seed."""
    found: dict[str, list[float]] = {name: [] for name in results.algorithms}
    for problem, seed in dict.fromkeys(key[1:] for key in results.curves):
        times = {}
        for name in results.algorithms:
            key = name, problem, seed
            seconds = results.seconds_to(key, target) if key in results.curves else math.inf
            times[name] = max(seconds, SHORTEST)
        least = min(times.values())
        for name, time in times.items():
            found[name].append(time / least if math.isfinite(least) else math.inf)
    return found


def plot_ranks(results: Runs, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw the average ranks of the algorithms over the problems (Demsar 2006).

    Bars join algorithms whose ranks differ by less than the critical difference of Nemenyi's test.
    """
    problems, medians = results.medians()
    number = len(results.algorithms)
    if number < 2 or not problems:
        raise InvalidParameterError("plot: ranks need a problem on which two algorithms were run")
    ranks = average_ranks(medians)
    order = np.argsort(ranks, kind="stable")
    distance = critical_difference(number, len(problems))
    groups = cliques(ranks[order].tolist(), distance)
    figure = image_figure(8, 1.4 + 0.25 * (number + len(groups)))
    require_image(path)
    axes = figure.add_subplot(xlim=(0.8, number + 0.2))
    what = f"critical difference {distance:.2f} at {SIGNIFICANT}; problems: {len(problems)}"
    axes.set_title(f"average ranks ({what})", fontsize="medium")
    axes.plot([1, min(number, 1 + distance)], [0.6, 0.6], color="black", marker="|")
    for row, index in enumerate(order, start=1):
        axes.plot([ranks[index]] * 2, [0, -row], color=color(index), linewidth=1)
        axes.annotate(
            f"{plain(results.algorithms[index])} ({ranks[index]:.3f}) ",
            (ranks[index], -row),
            ha="right",  # on the other side, stems of higher ranks would cross it
            va="center",
        )
    for row, (first, last) in enumerate(groups):
        height = -(number + 1 + 0.5 * row)
        ends = ranks[order[first]] - 0.03, ranks[order[last]] + 0.03
        axes.plot(ends, [height] * 2, color="black", linewidth=3)
    axes.xaxis.tick_top()
    axes.set_yticks([])
    axes.spines[["left", "right", "bottom"]].set_visible(False)
    return saved(figure, path)


def cliques(ranks: Sequence[float], distance: float) -> list[tuple[int, int]]:
    """Return the first and last index of each maximal group of ranks that are close together.

    `ranks` ascend; those of a group differ by less than `distance`. A group has at least two ranks.
    """
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ranks):
        last = max(i for i, other in enumerate(ranks) if other - rank < distance)
        if last > first and not (found and found[-1][1] >= last):
            found.append((first, last))
    return found


def plot_fronts(results: Runs, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw the first two objectives of the final fronts of all runs, in a panel per problem."""
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

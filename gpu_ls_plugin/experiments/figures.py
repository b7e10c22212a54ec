"""The figures of an experiment: gaps against time, performance profiles, average ranks."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.exceptions import InvalidParameterError
from gpu_ls_plugin.experiments.comparison import average_ranks, critical_difference, quantile
from gpu_ls_plugin.experiments.summaries import SIGNIFICANT, seconds_to
from gpu_ls_plugin.files import image_figure, image_format, save_figure

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from gpu_ls_plugin.experiments.records import Record
    from gpu_ls_plugin.experiments.runs import Runs

MOMENTS = 200  # of a curve of medians
BESIDE = 3  # panels in a row


def plot_curves(results: Runs, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw gaps against time: the median of an algorithm's runs, and a band of the quartiles.

    A panel for each problem with one objective. A run that has ended keeps its gap.

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
        No run has a curve, or the ending is not an image format.
    OSError
        The file cannot be written.
    """
    problems = [name for name in results.problems if _curves(results, name)]
    if not problems:
        raise InvalidParameterError("plot: no run has found anything with one objective")
    figure, panels = _panels(len(problems), path)
    for axes, problem in zip(panels, problems, strict=True):
        axes.set(title=problem, xlabel="seconds", ylabel="gap in %", xscale="log")
        curves = _curves(results, problem)
        moments = _moments([run for runs in curves.values() for run in runs])
        drawn = []
        for algorithm, runs in curves.items():
            color = f"C{results.algorithms.index(algorithm) % 10}"
            at = np.array([_at(results, run, moments) for run in runs])
            low, middle, high = (
                np.array([quantile(column.tolist(), share) for column in at.T])
                for share in (0.25, 0.5, 0.75)
            )
            drawn.append(middle)
            axes.plot(
                moments, _finite(middle), color=color, label=algorithm, drawstyle="steps-post"
            )
            band = {"color": color, "alpha": 0.2, "linewidth": 0, "step": "post"}
            axes.fill_between(moments, _finite(low), _finite(high), **band)
        _scale(axes, np.concatenate(drawn))
        axes.legend(fontsize="small")
    return _saved(figure, path)


def plot_profiles(
    results: Runs, path: str | os.PathLike[str] | None, targets: Sequence[float]
) -> Figure:
    """Draw performance profiles of the times to gaps.

    A panel for each target: the share of problems and seeds on which an algorithm reaches the gap
    within a multiple of the time of whichever is first (Dolan and More 2002).

    Parameters
    ----------
    results : Runs
    path : path, optional
        Image file to write, complete or not at all; its ending is the format.
    targets : sequence of float
        Gaps in percent.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.
    InvalidParameterError
        There is no target, or the ending is not an image format.
    OSError
        The file cannot be written.
    """
    if not targets:
        raise InvalidParameterError("targets: there is none; pass gaps in percent such as (1, 0.1)")
    figure, panels = _panels(len(targets), path)
    for axes, target in zip(panels, targets, strict=True):
        axes.set(title=f"gap of {target:g} %", xlabel="times the quickest", xscale="log")
        axes.set(ylabel="share of problems and seeds", ylim=(-0.02, 1.02))
        ratios = _ratios(results, target)
        finite = [ratio for row in ratios.values() for ratio in row if math.isfinite(ratio)]
        most = 1.1 * max(finite, default=1.0)
        for index, name in enumerate(results.algorithms):
            steps = sorted(ratio for ratio in ratios[name] if math.isfinite(ratio))
            shares = np.arange(len(steps) + 1) / max(1, len(ratios[name]))
            x = [1.0, *steps, most]
            y = [0.0, *shares[1:], shares[-1]]
            axes.step(x, y, where="post", color=f"C{index % 10}", label=name)
        axes.legend(fontsize="small")
    return _saved(figure, path)


def plot_ranks(results: Runs, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw the average ranks of the algorithms over the problems (Demsar 2006).

    Bars join algorithms whose ranks differ by less than the critical difference of Nemenyi's test.

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
        Fewer than two algorithms were run on a problem together, or the ending is not an image
        format.
    OSError
        The file cannot be written.
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
    if path is not None:
        image_format(Path(path))
    axes = figure.add_subplot(xlim=(0.8, number + 0.2), xlabel="average rank")
    title = f"critical difference {distance:.2f} ({len(problems)} problems, {SIGNIFICANT})"
    axes.set_title(title, fontsize="medium")
    axes.plot([1, min(number, 1 + distance)], [0.6, 0.6], color="black", marker="|")
    for row, index in enumerate(order, start=1):
        axes.plot([ranks[index]] * 2, [0, -row], color=f"C{index % 10}", linewidth=1)
        right = row > (number + 1) // 2
        axes.annotate(
            f" {results.algorithms[index]} ({ranks[index]:.2f}) ",
            (ranks[index], -row),
            ha="left" if not right else "right",
            va="center",
        )
    for row, (first, last) in enumerate(groups):
        height = -(number + 1 + 0.5 * row)
        ends = ranks[order[first]] - 0.03, ranks[order[last]] + 0.03
        axes.plot(ends, [height] * 2, color="black", linewidth=3)
    axes.set_yticks([])
    axes.spines[["left", "right", "top"]].set_visible(False)
    return _saved(figure, path)


def cliques(ranks: Sequence[float], distance: float) -> list[tuple[int, int]]:
    """Return first and last of the longest runs of ascending ranks that are within a distance."""
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ranks):
        last = max(i for i, other in enumerate(ranks) if other - rank < distance)
        if last > first and not (found and found[-1][1] >= last):
            found.append((first, last))
    return found


def _panels(number: int, path: str | os.PathLike[str] | None) -> tuple[Figure, list[Any]]:
    columns = min(number, BESIDE)
    rows = -(-number // columns)
    figure = image_figure(1.0 + 4.5 * columns, 0.5 + 3.5 * rows)
    if path is not None:
        image_format(Path(path))
    return figure, [figure.add_subplot(rows, columns, index + 1) for index in range(number)]


def _saved(figure: Figure, path: str | os.PathLike[str] | None) -> Figure:
    if path is not None:
        save_figure(figure, Path(path))
    return figure


def _curves(results: Runs, problem: str) -> dict[str, list[Record]]:
    """Return the runs with one objective that can be drawn, by algorithm."""
    found = {}
    for algorithm in results.algorithms:
        runs = [r for r in results.runs_of(algorithm, problem) if r.objectives == 1 and r.curve]
        if any(point.best is not None for run in runs for point in run.curve):
            found[algorithm] = runs
    return found


def _moments(runs: Sequence[Record]) -> NDArray[np.float64]:
    seconds = [max(point.seconds, 1e-6) for run in runs for point in run.curve]
    return np.geomspace(min(seconds), max(seconds), MOMENTS)


def _at(results: Runs, run: Record, moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the gaps of a run at moments, infinite before its first one."""
    gaps = [math.inf, *(results.gap(run.problem, point.best) for point in run.curve)]
    seconds = [point.seconds for point in run.curve]
    found: NDArray[np.float64] = np.array(gaps)[np.searchsorted(seconds, moments, side="right")]
    return found


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.isfinite(values), values, np.nan)


def _scale(axes: Any, gaps: NDArray[np.float64]) -> None:
    """Make the axis of the gaps logarithmic, linear near zero where some are there."""
    known = gaps[np.isfinite(gaps)]
    positive = known[known > 0]
    if len(positive) and len(positive) == len(known):
        axes.set_yscale("log")
    elif len(positive):
        axes.set_yscale("symlog", linthresh=min(1.0, max(1e-4, float(positive.min()))))


def _ratios(results: Runs, target: float) -> dict[str, list[float]]:
    """Return by algorithm, for each problem and seed, the time as a multiple of the quickest."""
    runs = {record.key: record for record in results.records if record.objectives == 1}
    found: dict[str, list[float]] = {name: [] for name in results.algorithms}
    for problem, seed in dict.fromkeys(key[1:] for key in runs):
        keys = {name: (name, problem, seed) for name in results.algorithms}
        times = {
            name: max(seconds_to(results, runs[key], target), 1e-6) if key in runs else math.inf
            for name, key in keys.items()
        }
        least = min(times.values())
        for name, time in times.items():
            found[name].append(time / least if math.isfinite(least) else math.inf)
    return found

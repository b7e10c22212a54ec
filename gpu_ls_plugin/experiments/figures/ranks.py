"""The critical-difference diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.figures import color, image_figure, plain, require_image, saved
from gpu_ls_plugin.experiments.comparison import average_ranks, critical_difference
from gpu_ls_plugin.experiments.summaries import SIGNIFICANT

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from gpu_ls_plugin.experiments.runs import Runs


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
        right = row > (number + 1) // 2
        axes.annotate(
            f" {plain(results.algorithms[index])} ({ranks[index]:.2f}) ",
            (ranks[index], -row),
            ha="left" if not right else "right",
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
    """Return first and last of the longest runs of ascending ranks that are within a distance."""
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ranks):
        last = max(i for i, other in enumerate(ranks) if other - rank < distance)
        if last > first and not (found and found[-1][1] >= last):
            found.append((first, last))
    return found

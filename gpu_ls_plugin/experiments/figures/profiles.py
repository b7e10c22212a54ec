"""Performance profiles of the times to gaps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.figures import color, panels, plain, saved

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from gpu_ls_plugin.experiments.runs import Runs

SHORTEST = 1e-6  # seconds; a run that has the gap from the start is that quick


def plot_profiles(
    results: Runs, path: str | os.PathLike[str] | None, targets: Sequence[float]
) -> Figure:
    """Draw performance profiles of the times to gaps.

    A panel for each target, a gap in percent: the share of problems and seeds on which an algorithm
    reaches the gap within a multiple of the time of whichever is first (Dolan and More 2002).
    """
    if not targets:
        raise InvalidParameterError("targets: there is none; pass gaps in percent such as (1, 0.1)")
    figure, places = panels(len(targets), path)
    for axes, target in zip(places, targets, strict=True):
        axes.set(title=f"gap of {target:g} %", xlabel="times the quickest", xscale="log")
        axes.set(ylabel="share of problems and seeds", ylim=(-0.02, 1.02))
        ratios = ratios_to_quickest(results, target)
        finite = [ratio for row in ratios.values() for ratio in row if math.isfinite(ratio)]
        most = 1.1 * max(finite, default=1.0)
        for index, name in enumerate(results.algorithms):
            steps = sorted(ratio for ratio in ratios[name] if math.isfinite(ratio))
            shares = np.arange(len(steps) + 1) / max(1, len(ratios[name]))
            x = [1.0, *steps, most]
            y = [0.0, *shares[1:], shares[-1]]
            axes.step(x, y, where="post", color=color(index), label=plain(name))
        axes.legend(fontsize="small")
    return saved(figure, path)


def ratios_to_quickest(results: Runs, target: float) -> dict[str, list[float]]:
    """Return by algorithm, for each problem and seed, the time as a multiple of the quickest."""
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

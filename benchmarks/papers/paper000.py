"""Problems of Schulz (2013) with all constraints, and the time of an iteration on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.helpers import common

COPIES = 0.08  # share of the nodes that are copies of the depot


def constrained(n: int) -> tuple[Any, Any]:
    """Return a problem of n nodes with all constraints, and a tour on the device."""
    import cupy

    import gpu_ls_plugin as gls

    random = np.random.default_rng(n)
    copies = max(2, int(COPIES * n))
    demands = np.r_[0, random.integers(1, 20, n - copies)]
    problem = gls.CVRP(
        common.uniform(n - copies + 1, seed=n),
        demands,
        int(np.ceil(1.25 * demands.sum() / copies)),
        route_limit=10 * common.COORDINATES,
        vehicles=copies,
    )
    return problem, cupy.asarray(gls.sweep(problem, 1, seed=1, backend="cuda"))


def iteration_seconds(search: Any, problem: Any, tours: Any, most: int) -> float:
    """Return the seconds of an iteration: those of longer runs less those of shorter ones."""
    import gpu_ls_plugin as gls

    def run(moves: int) -> tuple[float, int]:
        found: list[Any] = []

        def call() -> None:
            found.append(search(problem, tours, budget=gls.Budget(moves=moves), backend="cuda"))

        times = common.seconds_of(call, 3, on_gpu=True)
        return min(times), found[-1].statistics.passes

    run(1)  # compiles
    (short, few), (long, many) = run(1), run(most)
    return (long - short) / max(1, many - few)

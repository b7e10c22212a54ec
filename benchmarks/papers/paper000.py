"""Problems of Schulz (2013) with all constraints, and the time of an iteration on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.helpers import common

if TYPE_CHECKING:
    from pathlib import Path

COPIES = 0.08  # share of the nodes that are copies of the depot
# Instances of CVRPLIB with a route limit.
LIMITED = ("CMT6", "CMT8", "CMT10", "CMT13", "Golden_1", "Golden_3", "Golden_5", "Golden_7")


def constrained(n: int, *, tight: bool = False, backend: str = "cuda") -> tuple[Any, Any]:
    """Return a problem of n nodes with all constraints, and a tour on the device.

    The paper gives instances a route limit if they have none, and does not say which. Ours binds
    nothing or, if `tight`, is the duration of the longest route of the tour.
    """
    import gpu_ls_plugin as gls

    random = np.random.default_rng(n)
    copies = max(2, int(COPIES * n))
    demands = np.r_[0, random.integers(1, 20, n - copies)]
    places, capacity = (
        common.uniform(n - copies + 1, seed=n),
        int(np.ceil(1.25 * demands.sum() / copies)),
    )
    limit = 10 * common.COORDINATES
    problem = gls.CVRP(places, demands, capacity, route_limit=limit, vehicles=copies)
    tours = gls.sweep(problem, 1, seed=1, backend=backend)
    if tight:
        limit = int(problem.route_sums(tours).durations.max())
        problem = gls.CVRP(places, demands, capacity, route_limit=limit, vehicles=copies)
    return problem, on_device(tours, backend)


def on_device(tours: Any, backend: str) -> Any:
    """Return tours as an array of a backend."""
    if backend == "cpu":
        return tours
    import cupy

    return cupy.asarray(tours)


def limited_instance(folder: Path, name: str) -> Any:
    """Read an instance of CVRPLIB with a route limit; lengths are rounded."""
    import gpu_ls_plugin as gls

    return gls.CVRP.read(folder / name.split("_")[0].rstrip("0123456789") / f"{name}.vrp",
                         rounding="nearest")  # fmt: skip


def search_of(edges: int, *given: Any) -> Any:
    """Return the search by complete 2-opt or 3-opt, best improvement; `given` is a filter."""
    import gpu_ls_plugin as gls

    part: Any = gls.TwoOpt() if edges == 2 else gls.ThreeOpt()
    part = gls.FilteredNeighbourhood(part, *given) if given else part
    return gls.LocalSearch([part], candidates=gls.All(), pivoting=gls.Best())


def iteration_seconds(
    search: Any, problem: Any, tours: Any, most: int, backend: str = "cuda"
) -> float:
    """Return the seconds of an iteration: those of longer runs less those of shorter ones."""
    import gpu_ls_plugin as gls

    def run(moves: int) -> tuple[float, int]:
        found: list[Any] = []

        def call() -> None:
            found.append(search(problem, tours, budget=gls.Budget(moves=moves), backend=backend))

        times = common.seconds_of(call, 3, on_gpu=backend == "cuda")
        return min(times), found[-1].statistics.passes

    run(1)  # compiles
    (short, few), (long, many) = run(1), run(most)
    return (long - short) / max(1, many - few)

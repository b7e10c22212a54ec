"""Small generated problems of each kind; together they need the kernels of all default calls.

Kernels depend on the metric, on the type of lengths (by their size and by whether they are
integers), on whether all lengths fit into a table, and on the bytes of a city's number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment import GeneralisedAssignment, GraphColouring, QuadraticAssignment
from gpu_ls_plugin.backends.tuning import LARGEST_SHORT
from gpu_ls_plugin.routes import CVRP, TimeWindows
from gpu_ls_plugin.sequences import FlowShop, LinearOrdering, SingleMachine
from gpu_ls_plugin.tours import TSP
from gpu_ls_plugin.tours.engines.chains.chain_layouts import LONGEST_WHOLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

USUAL_METRICS = ("EUC_2D", "EUC")
OTHER_METRICS = ("CEIL_2D", "GEO", "ATT", "MAN_2D")
CITIES = 200
IN_PARTS, WITH_LONG_NUMBERS = LONGEST_WHOLE + 1000, LARGEST_SHORT + 1000  # cities of long tours
WIDE, WIDEST = 100_000, 10**9  # extents whose lengths need more than 16 and 27 bits
DEGREES = 80
# A GPU lays out tours of different sizes differently, each with kernels of its own: the sizes grow
# by so little that hardly a layout lies between two of them.
SIZES = [int(20 * 1.03**step) for step in range(158)]  # up to 2,000 cities
SIZES_OF_ROUTES = [n for n in SIZES[::8] if n <= CITIES * 5]
CUSTOMERS, MORE_CUSTOMERS, IN_PARTS_ROUTES = 100, 1000, 3500  # the first fit into a table
JOBS, MACHINES = 50, (5, 10, 20)  # of published flow shops
MANY_JOBS = 60  # enough for another construction
FLEET, CAPACITY, LONGEST_ROUTE = 8, 300, 4000


def points(n: int, extent: float = 1000, *, real: bool = False) -> NDArray[Any]:
    """Return random coordinates (n, 2)."""
    made = np.random.default_rng(n).uniform(0, extent, (n, 2))
    return made if real else np.floor(made)


def planar(metric: str, n: int = CITIES, extent: float = 1000) -> TSP:
    """Return a problem with random cities."""
    return TSP(points(n, DEGREES if metric == "GEO" else extent, real=metric == "EUC"), metric)


def matrix(*, symmetric: bool, real: bool, longest: float = 1000) -> TSP:
    """Return a problem with a random matrix."""
    lengths = np.random.default_rng(1).uniform(1, longest, (CITIES, CITIES))
    lengths = lengths if real else lengths.astype(np.int64)
    return TSP.from_matrix(lengths + lengths.T if symmetric else lengths)


def usual_tours() -> dict[str, TSP]:
    """Return the most common problems of tours, by name."""
    return {metric: planar(metric) for metric in USUAL_METRICS}


def other_tours() -> dict[str, TSP]:
    """Return other problems of tours, by name."""
    made = {metric: planar(metric) for metric in OTHER_METRICS}
    for metric in ("EUC_2D", "CEIL_2D"):
        made[f"{metric}, long lengths"] = planar(metric, extent=WIDEST)
    for metric in USUAL_METRICS:
        made[f"{metric}, {IN_PARTS:,} cities"] = planar(metric, IN_PARTS)
        made[f"{metric}, {WITH_LONG_NUMBERS:,} cities"] = planar(metric, WITH_LONG_NUMBERS)
    for real, kind in ((False, "integers"), (True, "reals")):
        made[f"matrix of {kind}"] = matrix(symmetric=True, real=real)
        made[f"asymmetric matrix of {kind}"] = matrix(symmetric=False, real=real)
    made["matrix of long integers"] = matrix(symmetric=True, real=False, longest=WIDEST)
    return made


def routing(metric: str, n: int = CUSTOMERS, extent: float = 1000, **options: Any) -> CVRP:
    """Return a routing problem with n customers; its vehicles have hardly any room to spare."""
    demands = np.r_[0, np.random.default_rng(n).integers(1, 30, n)]
    capacity = -(-demands.sum() * 101 // (100 * FLEET)) if n == CUSTOMERS else CAPACITY
    places = points(n + 1, extent, real=metric == "EUC")
    return CVRP(places, demands, int(capacity), metric=metric, **options)


def usual_routes() -> dict[str, CVRP]:
    """Return the most common routing problems, by name."""
    return {metric: routing(metric) for metric in USUAL_METRICS}


def other_routes() -> dict[str, CVRP]:
    """Return other routing problems, by name."""
    made = {}
    for metric in USUAL_METRICS:
        made[f"{metric}, few vehicles"] = routing(metric, vehicles=FLEET)
        made[f"{metric}, durations"] = routing(metric, route_limit=LONGEST_ROUTE)
        made[f"{metric}, durations and vehicles"] = routing(
            metric, route_limit=LONGEST_ROUTE, vehicles=FLEET + 3
        )
        for n in (MORE_CUSTOMERS, IN_PARTS_ROUTES):
            made[f"{metric}, {n:,} customers"] = routing(metric, n)
    made["EUC_2D, longer lengths"] = routing("EUC_2D", extent=WIDE)
    begins = np.random.default_rng(1).integers(0, LONGEST_ROUTE, CUSTOMERS + 1)
    begins[0] = 0  # the depot
    windows = TimeWindows(np.c_[begins, np.where(begins == 0, 3, 1) * LONGEST_ROUTE + begins])
    for metric in (*USUAL_METRICS, "FLOOR_2D"):  # the last one is of files with decimal places
        made[f"{metric}, windows"] = routing(metric).with_resources(windows)
    return made


def colouring() -> GraphColouring:
    """Return a random graph to colour."""
    ends = np.random.default_rng(1).integers(0, 100, (1000, 2))
    return GraphColouring(100, ends[ends[:, 0] != ends[:, 1]], 16)


def generalised(largest: int = 50, sense: str = "min") -> GeneralisedAssignment:
    """Return a problem of jobs and agents."""
    random = np.random.default_rng(1)
    costs, needs = random.integers(1, largest, (2, 60, 5))
    return GeneralisedAssignment(costs, needs, np.full(5, int(13 * needs.mean())), sense)


def quadratic(largest: int = 100) -> QuadraticAssignment:
    """Return a quadratic assignment problem."""
    flows, distances = np.random.default_rng(1).integers(0, largest, (2, 20, 20))
    return QuadraticAssignment(flows, distances)


def assignments() -> dict[str, Any]:
    """Return assignment problems, by name."""
    return {
        "quadratic assignment": quadratic(),
        "quadratic assignment, larger numbers": quadratic(1000),
        "quadratic assignment, large numbers": quadratic(10**6),
        "generalised assignment": generalised(),
        "generalised assignment, large numbers": generalised(10**10),
        "generalised assignment, profits": generalised(sense="max"),
        "graph colouring": colouring(),
    }


def sequences() -> dict[str, Any]:
    """Return sequence problems, by name."""
    random = np.random.default_rng(1)
    made: dict[str, Any] = {
        "single machine": SingleMachine.generated(JOBS, 1),
        "linear ordering": LinearOrdering(random.integers(0, 100, (JOBS, JOBS))),
    }
    for machines in MACHINES:
        for objective, jobs in (("makespan", JOBS), ("total_flowtime", MANY_JOBS)):
            times = random.integers(1, 100, (jobs, machines))
            made[f"{objective} of {machines} machines"] = FlowShop(times, objective)
    return made

"""What constructions of routes share: a batch of routes on a backend, and its giant tours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.composition import Kernel, Parameter, parse_parameters
from gpu_ls_plugin.backends.functor_words import kept_words, packed_words
from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.routes.problem.giant_tours import written
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.tours.problem.metrics import Metric

FOLDER = "routes/construction"
BEYOND = 1 << 62  # any duration
DEAREST = 1 << 60  # violations of all customers together, as integers
VEHICLES_HEADER = "routes/problem/vehicles.cuh"
VEHICLES = parse_parameters("const void* metric_data, const gls::uint64* words")


def vehicles_type(metric: str, time: str) -> str:
    """Return the C++ type of vehicles whose durations are of type `time`."""
    return f"gls::Vehicles<{metric}, {time}>"


def routes_kernel(
    name: str,
    metric: Metric,
    *,
    header: str,
    body: str,
    parameters: str | tuple[Parameter, ...],
    team: str,
    time: str,
) -> Kernel:
    """Compose a kernel of vehicles, ``{vehicles}`` in `body`, which it reads first.

    Headers without a folder are those of constructions.
    """
    if isinstance(parameters, str):
        parameters = parse_parameters(parameters)
    return metric_kernel(
        name,
        metric,
        header=header if "/" in header else f"{FOLDER}/{header}",
        body=body.replace("{vehicles}", vehicles_type("{metric}", time)),
        parameters=(*VEHICLES, *parameters),
        team=team,
    )


def repair_kernel(metric: Metric, team: str, time: str) -> Kernel:
    """Compose the kernel that makes fewer routes."""
    return routes_kernel(
        "repair_routes",
        metric,
        header="repair.cuh",
        body="gls::RepairRoutes<{team}, {vehicles}>",
        parameters="const int* rows, int* orders, unsigned char* begins, unsigned char* broken",
        team=team,
        time=time,
    )


def write_kernel(team: str) -> Kernel:
    """Compose the kernel that writes giant tours."""
    return Kernel(
        name="write_giant_tours",
        header=f"{FOLDER}/giant_tours.cuh",
        body=f"gls::WriteGiantTours<{team}>",
        parameters=parse_parameters(
            "int customers, int copies, const int* orders, const unsigned char* begins, int* tours"
        ),
        team=team,
        parts=("write_giant_tours",),
    )


class RouteBatch:
    """Routes of a batch of rows on a backend, which constructions fill in.

    `orders`, int32 (size, customers), has the customers, route after route, `begins`, uint8 of the
    same shape, 1 where a route begins. There should be at most `most` routes: the fleet, or the
    copies of the depot. `vehicles` are arguments of kernels.
    """

    def __init__(self, backend: Backend, problem: CVRP, size: int) -> None:
        xp = backend.xp
        self.backend, self.problem, self.size = backend, problem, size
        self.orders = xp.empty((size, problem.customers), "int32")
        self.begins = xp.empty((size, problem.customers), "uint8")
        self.most = problem.copies if problem.fleet is None else problem.fleet
        integers = problem.service_times.dtype.kind == "i"
        self.time = "gls::int64" if integers else "double"
        self.time_dtype = problem.service_times.dtype
        load_price, time_price = _prices(problem)
        data = {
            "customers": problem.customers,
            "capacity": problem.capacity,
            "most": self.most,
            "demands": problem.demands.astype(np.int32),
            "services": problem.service_times,
            "limit": _limit(problem, integers),
            "load_price": load_price,
            "time_price": time_price,
        }
        self._words = kept_words(xp, in_order(VEHICLES_HEADER, "VehiclesData", data))
        self.vehicles: Mapping[str, Any] = {
            "metric_data": metric_data(backend, problem.nodes),
            "words": packed_words(xp, self._words, backend.address),
        }

    def numbers(self, dtype: Any, *shape: int) -> Any:
        """Return an array for each row, its values not set."""
        return self.backend.xp.empty((self.size, *shape), dtype)

    def launch(self, kernel: Kernel, items: int, arguments: Mapping[str, Any]) -> None:
        """Run a kernel of vehicles on so many items: rows, unless the arguments say otherwise."""
        routes = {"orders": self.orders, "begins": self.begins}
        self.backend.launch(kernel, items, {**self.vehicles, **routes, **arguments})

    def too_many(self, most: Any) -> Any:
        """Return the numbers of the rows that have more routes than `most`, of all or of each."""
        xp = self.backend.xp
        return xp.flatnonzero(self.begins.sum(axis=1, dtype="int32") > most).astype("int32")

    def tours(self) -> Any:
        """Return the giant tours of the rows, int32 (size, n), after a repair of too many routes.

        Where the fleet is not limited, rows that cannot be repaired become `CVRP.simple_routes`.
        """
        broken = self._repair()
        backend, problem = self.backend, self.problem
        tours = self.numbers("int32", problem.n)
        arguments = {
            "customers": problem.customers,
            "copies": problem.copies,
            "orders": self.orders,
            "begins": self.begins,
            "tours": tours,
        }
        backend.launch(write_kernel(backend.warp()), self.size, arguments)
        if problem.fleet is None and broken.size:
            simple = written(problem.simple_routes(), problem.customers, problem.copies)
            tours[backend.xp.asarray(broken)] = backend.xp.asarray(simple)
        return tours

    def _repair(self) -> NDArray[np.intp]:
        """Make fewer routes where there are too many; return which rows break a constraint now."""
        rows = self.too_many(self.most)
        if not len(rows):
            return np.empty(0, np.intp)
        broken = self.backend.xp.zeros(self.size, "uint8")
        kernel = repair_kernel(self.problem.nodes.metric, self.backend.warp(), self.time)
        self.launch(kernel, len(rows), {"rows": rows, "broken": broken})
        return np.flatnonzero(self.backend.to_numpy(broken))


def _prices(problem: CVRP) -> list[float]:
    """Return what a unit of load and of duration too much costs, in integers that add up safely."""
    due = problem.penalties
    if due is None:  # nobody asks
        return [0, 0]
    if not problem.integer:
        return [float(due.load), float(due.duration)]
    whole = 2 * problem.customers * problem.longest + int(problem.service_times.sum())
    loaded = max(1, int(problem.demands.sum()))
    return [min(due.load, DEAREST // loaded), min(due.duration, DEAREST // max(1, int(whole)))]


def _limit(problem: CVRP, integers: bool) -> float:
    """Return what kernels compare durations with."""
    limit = problem.tolerated_limit
    if integers:
        return BEYOND if limit is None else int(limit)
    return float("inf") if limit is None else limit

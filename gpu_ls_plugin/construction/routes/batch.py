"""What constructions of routes share: a batch of routes on a backend, and its giant tours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.composition import metric_kernel
from gpu_ls_plugin.backends.words import kept_words, packed_words
from gpu_ls_plugin.problems.giant_tours import TOLERANCE, written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.problems.cvrp import CVRP
    from gpu_ls_plugin.problems.metrics import Metric

FOLDER = "construction/routes"
BEYOND = 1 << 62  # any duration
VEHICLES = "const void* metric_data, const gls::uint64* words, "


def vehicles_type(metric: str, time: str) -> str:
    """Return the C++ type of vehicles whose durations are of type `time`."""
    return f"gls::Vehicles<{metric}, {time}>"


def routes_kernel(
    name: str, metric: Metric, *, header: str, body: str, parameters: str, team: str, time: str
) -> Kernel:
    """Compose a kernel of vehicles, ``{vehicles}`` in `body`, which it reads first."""
    return metric_kernel(
        name,
        metric,
        header=f"{FOLDER}/{header}",
        body=body.replace("{vehicles}", vehicles_type("{metric}", time)),
        parameters=VEHICLES + parameters,
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


class RouteBatch:
    """Routes of a batch of rows on a backend, which constructions fill in.

    Attributes
    ----------
    orders : int32 array, shape (size, customers)
        The customers, route after route.
    begins : uint8 array, shape (size, customers)
        1 where a route begins.
    most : int
        Routes that there should be at most: the fleet, or the copies of the depot.
    vehicles : dict
        The kernels' arguments that hold the vehicles.
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
        self._words = kept_words(
            xp,
            [
                problem.customers,
                problem.capacity,
                self.most,
                problem.demands.astype(np.int32),
                problem.service_times,
                _limit(problem, integers),
            ],
        )
        self.vehicles: Mapping[str, Any] = {
            "metric_data": backend.metric_data(problem.nodes),
            "words": packed_words(xp, self._words, backend.address),
        }

    def numbers(self, dtype: Any, *shape: int) -> Any:
        """Return an array for each row, its values not set."""
        return self.backend.xp.empty((self.size, *shape), dtype)

    def launch(self, kernel: Kernel, items: int, arguments: Mapping[str, Any]) -> None:
        """Run a kernel of vehicles on so many items: rows, unless the arguments say otherwise."""
        routes = {"orders": self.orders, "begins": self.begins}
        self.backend.launch(kernel, items, {**self.vehicles, **routes, **arguments})

    def too_many(self) -> Any:
        """Return the numbers of the rows that have more routes than there should be."""
        xp = self.backend.xp
        return xp.flatnonzero(self.begins.sum(axis=1, dtype="int32") > self.most).astype("int32")

    def tours(self) -> NDArray[np.int32]:
        """Return the giant tours of the rows, in NumPy, after a repair where routes are too many.

        Where the fleet is not limited, rows that cannot be repaired become `CVRP.simple_routes`.
        """
        broken = self._repair()
        xp, problem = self.backend.xp, self.problem
        routes = xp.cumsum(self.begins, axis=1, dtype="int32")
        rows = xp.tile(xp.arange(problem.n, dtype="int32"), (self.size, 1))  # depots stay behind
        lines = xp.arange(self.size)[:, None]
        places = xp.arange(problem.customers, dtype="int32") + routes
        rows[lines, places] = self.orders
        line, first = xp.nonzero(self.begins)
        number = routes[line, first]
        depots = xp.where(number == 1, 0, problem.customers + number - 1)
        rows[line, places[line, first] - 1] = depots
        made: NDArray[np.int32] = self.backend.to_numpy(rows)
        if problem.fleet is None and broken.size:
            made[broken] = written(problem.simple_routes(), problem.customers, problem.copies)
        return made

    def _repair(self) -> NDArray[np.intp]:
        """Make fewer routes where there are too many; return which rows break a constraint now."""
        rows = self.too_many()
        broken = self.backend.xp.zeros(self.size, "uint8")
        if len(rows):
            kernel = repair_kernel(self.problem.nodes.metric, self.backend.warp(), self.time)
            self.launch(kernel, len(rows), {"rows": rows, "broken": broken})
        return np.flatnonzero(self.backend.to_numpy(broken))


def _limit(problem: CVRP, integers: bool) -> float:
    """Return what kernels compare durations with: sums in another order may be a little longer."""
    limit = problem.route_limit
    if integers:
        return BEYOND if limit is None else int(limit)
    return float("inf") if limit is None else limit + TOLERANCE * max(1.0, limit) / 2

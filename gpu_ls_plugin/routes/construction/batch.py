"""Batches of routes on a backend: constructions fill them, and a kernel writes giant tours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpu_ls_plugin.backends.arrays import reversed_rows
from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.structs import in_order, kept_words, packed_words, struct_of
from gpu_ls_plugin.backends.tuning import padded
from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.routes.problem.giant_tours import most_routes, written
from gpu_ls_plugin.routes.problem.routing import Routing
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.tours.problem.metrics import Metric

FOLDER = "routes/construction"
BEYOND = 1 << 62  # more than any duration
MOST_PENALTY = 1 << 60  # largest price of all violations of a row if costs are integers
VEHICLES_HEADER = "routes/problem/vehicles.cuh"
ROWS = struct_of("routes/problem/vehicles.cuh", "RouteRows")


@dataclass(frozen=True)
class VehiclesType:
    """The C++ type of the vehicles of a problem.

    `time` is the type of durations, `resources` that of the list of further resources, if there are
    any, and `sources` are the C++ texts of those that are not built in.
    """

    metric: Metric
    time: str = "gls::int64"
    resources: str = ""
    sources: tuple[str, ...] = ()

    @classmethod
    def of(cls, problem: CVRP) -> Self:
        """Return the type of vehicles of a problem."""
        time = "gls::int64" if problem.service_times.dtype.kind == "i" else "double"
        if not problem.resources:
            return cls(problem.nodes.metric, time)
        weight = "gls::int64" if problem.integer else "double"
        parts = ", ".join((weight, *(part.functor(problem) for part in problem.resources)))
        texts = sources_of(*problem.resources)
        return cls(problem.nodes.metric, time, f"gls::ResourceList<{parts}>", texts)

    @classmethod
    def of_lengths(cls, metric: Metric) -> Self:
        """Return the type of vehicles without service times and further resources."""
        return cls(metric, "gls::int64" if metric.integer else "double")

    @property
    def functor(self) -> str:
        """The type as C++ text."""
        further = f", {self.resources}" if self.resources else ""
        return f"gls::Vehicles<{self.metric.functor}, {self.time}{further}>"


def bytes_of_a_segment(problem: CVRP) -> int:
    """Return the size of a segment of all further resources in bytes, or a little more."""
    return sum(padded(part.segment_bytes(problem)) for part in problem.resources)


def construction_kernel(
    name: str, vehicles: VehiclesType, header: str, struct: str, body: str, team: str
) -> Kernel:
    """Compose the kernel of a construction; its header declares the parameters as `struct`.

    ``{vehicles}`` in `body` becomes the C++ type of vehicles.
    """
    header, body = f"{FOLDER}/{header}", body.replace("{vehicles}", vehicles.functor)
    parameters = (ROWS, struct_of(header, struct))
    kernel = metric_kernel(name, vehicles.metric, header, body, parameters, team)
    if not vehicles.sources:
        return kernel
    headers, functors = (*kernel.headers, VEHICLES_HEADER), (*kernel.functors, *vehicles.sources)
    return replace(kernel, headers=headers, functors=functors)


def repair_kernel(vehicles: VehiclesType, team: str) -> Kernel:
    """Compose the kernel that dissolves the surplus routes of rows."""
    body = "gls::RepairRoutes<{team}, {vehicles}>"
    return construction_kernel("repair_routes", vehicles, "repair.cuh", "RepairedRows", body, team)


def write_kernel(team: str) -> Kernel:
    """Compose the kernel that writes routes as giant tours."""
    name, header = "write_giant_tours", f"{FOLDER}/giant_tours.cuh"
    body = f"gls::WriteGiantTours<{team}>"
    parameters = parse_parameters(
        "int customers, int copies, const int* orders, const unsigned char* begins, int* tours"
    )
    return Kernel(name, header, body, parameters, team, parts=(name,))


class RouteBatch:
    """Routes of a batch of rows on a backend, which constructions fill in.

    `orders`, int32 (size, customers), lists the customers, route after route. `begins`, uint8 of
    the same shape, is 1 at the first customer of each route, otherwise 0. A row should have at most
    `most` routes: the size of the fleet or, if it is unlimited, the number of depot copies.
    `vehicles` holds the kernel arguments that describe the vehicles, by name.
    """

    def __init__(self, backend: Backend, problem: CVRP, size: int) -> None:
        xp = backend.xp
        self.backend, self.problem, self.size = backend, problem, size
        self.orders = xp.empty((size, problem.customers), "int32")
        self.begins = xp.empty((size, problem.customers), "uint8")
        self.most = most_routes(problem)
        self.type = VehiclesType.of(problem)
        self.time_dtype = problem.service_times.dtype
        load_price, time_price = _prices(problem)
        data = {
            "customers": problem.customers,
            "capacity": problem.capacity,
            "most": self.most,
            "demands": problem.demands.astype(np.int32),
            "services": problem.service_times,
            "limit": _limit(problem, self.time_dtype.kind == "i"),
            "load_price": load_price,
            "time_price": time_price,
            "resources": self._resource_words(),
        }
        self._words = kept_words(xp, in_order(VEHICLES_HEADER, "VehiclesData", data))
        self.vehicles: Mapping[str, Any] = {
            "nodes_data": metric_data(backend, problem.nodes),
            "vehicles": packed_words(xp, self._words, backend.address),
        }

    def _resource_words(self) -> Any:
        """Return the words of further resources, with their prices, on the backend."""
        words: list[Any] = []
        prices = self._further_weights(1.0)
        self._price_places = []
        for part, price in zip(self.problem.resources, prices, strict=True):
            self._price_places.append(len(words))
            words += [int(price), *part.words(self.backend, self.problem)]
        self._kept = kept_words(self.backend.xp, words)
        self._resources = packed_words(self.backend.xp, self._kept, self.backend.address)
        return self._resources

    def reprice(self, price: Any) -> None:
        """Multiply the prices of further resources by `price`; see `Routing.weights`."""
        if self._price_places:
            prices = self._further_weights(price)
            self._resources[self._price_places] = self.backend.xp.asarray(prices)

    def _further_weights(self, price: Any) -> NDArray[np.uint64]:
        routing = _routing(self.problem)
        return routing.weights(price)[len(routing.built_in) :]

    def numbers(self, dtype: Any, *shape: int) -> Any:
        """Return an uninitialised array on the backend, shape (size, *shape)."""
        return self.backend.xp.empty((self.size, *shape), dtype)

    def launch(self, kernel: Kernel, items: int, arguments: Mapping[str, Any]) -> None:
        """Run a kernel of `construction_kernel` on `items` rows."""
        routes = {"orders": self.orders, "begins": self.begins}
        self.backend.launch(kernel, items, {**self.vehicles, **routes, **arguments})

    def too_many(self, most: Any) -> Any:
        """Return the indices of rows with more than `most` routes (a number, or one per row)."""
        count = reversed_rows(self.begins).sum(axis=1, dtype="int32")
        return self.backend.xp.flatnonzero(count > most).astype("int32")

    def tours(self) -> Any:
        """Return the giant tours of the rows, int32 (size, n).

        Rows with too many routes are repaired first. If the fleet is unlimited, rows that cannot be
        repaired become `CVRP.simple_routes`.
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
        """Dissolve surplus routes; return the indices of rows that then break a constraint."""
        rows = self.too_many(self.most)
        if not len(rows):
            return np.empty(0, np.intp)
        broken = self.backend.xp.zeros(self.size, "uint8")
        kernel = repair_kernel(self.type, self.backend.warp())
        self.launch(kernel, len(rows), {"rows": rows, "broken": broken})
        return np.flatnonzero(self.backend.to_numpy(broken))


def _routing(problem: CVRP) -> Routing:
    objective = problem.tsp.objective
    assert isinstance(objective, Routing)
    return objective


def _prices(problem: CVRP) -> list[float]:
    """Return the prices of a unit of excess load and duration, small enough for sums in int64."""
    prices = problem.penalties
    if prices is None:  # hard constraints: kernels read no prices
        return [0, 0]
    if not problem.integer:
        return [float(prices.load), float(prices.duration)]
    whole = 2 * problem.customers * problem.longest + int(problem.service_times.sum())
    load, duration = max(1, int(problem.demands.sum())), max(1, int(whole))
    return [min(prices.load, MOST_PENALTY // load), min(prices.duration, MOST_PENALTY // duration)]


def _limit(problem: CVRP, integers: bool) -> float:
    """Return the limit that kernels compare durations with; `BEYOND` if durations are unlimited."""
    limit = problem.tolerated_limit
    if integers:
        return BEYOND if limit is None else int(limit)
    return float("inf") if limit is None else limit

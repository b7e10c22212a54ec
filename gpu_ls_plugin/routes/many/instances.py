"""Many vehicle routing problems in common arrays on a backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.structs import words_of
from gpu_ls_plugin.backends.tuning import ONE_THREAD
from gpu_ls_plugin.routes.construction.batch import VEHICLES_HEADER, VehiclesType
from gpu_ls_plugin.routes.kernels.linked_layouts import LinkedShape, list_bytes, row_bytes
from gpu_ls_plugin.routes.kernels.linked_rows import NEAR, OWN_INSTANCE, LinkedTypes
from gpu_ls_plugin.routes.many import kernels
from gpu_ls_plugin.routes.many.layouts import OwnRowsShape
from gpu_ls_plugin.tours.kernels.sites import (
    GRID_BYTES,
    ROUNDED_BY_SHIFT,
    TABLE_BYTES,
    length_type,
)
from gpu_ls_plugin.tours.problem.metrics import (
    FLOAT32_ERROR,
    FLOAT32_STEPS,
    FLOAT32_UNDERFLOW,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.problem.metrics import Metric

REAL_BYTES = 8
# Prices of a violation: far above its rounding errors, and small enough for sums in int64. Only
# their size matters, since constraints are hard.
PRICE, REAL_PRICE = 1 << 24, 2.0**40


@dataclass(frozen=True)
class RowsOfInstances:
    """Sizes of a row; see `RowSizes`."""

    n: int
    customers: int
    integer: bool
    route_limit: None = None
    resources: tuple[Any, ...] = ()

    @property
    def copies(self) -> int:
        """Number of copies of the depot."""
        return self.n - self.customers


@dataclass(frozen=True)
class GivenInstances:
    """Instances of N customers each as arrays of a backend; B is their number.

    Rows have `n` nodes, so that each instance has n - N copies of the depot.
    `longest` is a bound on all lengths, which matters to integer lengths alone.
    """

    metric: Metric  # EUC_2D, EUC or, for matrices, EXPLICIT_REAL
    places: Any  # coordinates (B, N + 1, 2), or lengths (B, N + 1, N + 1), float64
    demands: Any  # (B, N + 1) int64
    capacities: Any  # (B,) int64
    n: int
    fleets: Any = None  # (B,) int64: maximum number of routes; None: one for each copy of the depot
    longest: float = 0.0
    symmetric: bool = True
    grid: str = ""  # as in `Sites`


class RouteInstances:
    """Instances on a backend, with the arguments of kernels that search rows of them.

    Row r belongs to instance r // R if there are R rows of each instance. Nothing is copied to the
    host, and nothing waits for the device.

    Attributes
    ----------
    count : int
        Number of instances.
    sizes : RowsOfInstances
        Sizes of a row.
    arguments : dict
        Arguments of kernels by name, without the number of rows of each instance.
    """

    def __init__(self, backend: Backend, given: GivenInstances) -> None:
        xp, metric, n = backend.xp, given.metric, given.n
        self.backend, self.given = backend, given
        self.count, nodes = given.demands.shape
        self.sizes = RowsOfInstances(n, nodes - 1, metric.integer)
        self.vehicles = VehiclesType.of_lengths(metric)
        self.site_bytes = self._site_bytes()
        of_metric = n if metric.explicit else 2
        self.arguments: dict[str, Any] = {
            "n": n,
            "metric_data": xp.empty((self.count, n, of_metric), "float64"),
            "metric_bytes": n * of_metric * REAL_BYTES,
            "sites": xp.empty((self.count, self.site_bytes), "uint8"),
            "site_bytes": self.site_bytes,
            "error_absolute": 0.0,
            "error_relative": FLOAT32_STEPS if metric.integer else 0.0,
            "errors": xp.empty(self.count, "float32"),
            "nodes_data": None,
            "vehicles": xp.empty((self.count, words_of(VEHICLES_HEADER, "VehiclesData")), "uint64"),
            "weights": xp.asarray(np.full(3, PRICE if metric.integer else REAL_PRICE)),
            "soft": 0,
            "weight_bytes": 0,
            "near_each": min(NEAR, nodes - 1),
            "near_rows": nodes,
            "segments": None,
        }
        self._make()

    def _site_bytes(self) -> int:
        """Return the size of the sites of an instance."""
        grid, n = self.given.grid, self.given.n
        if grid in TABLE_BYTES:
            return (n * n * TABLE_BYTES[grid] + 15) // 16 * 16
        return (n * GRID_BYTES.get(grid, self.given.metric.site_bytes) + 15) // 16 * 16

    def _make(self) -> None:
        """Fill the arrays, in two launches."""
        backend, given, arguments = self.backend, self.given, self.arguments
        nodes = self.sizes.customers + 1
        # Kernels have addresses of the demands, so the attribute keeps them alive.
        self._demands = backend.xp.empty((self.count, nodes), "int32")
        made = {
            "places": given.places,
            "demands": given.demands,
            "capacities": given.capacities,
            "fleets": given.fleets,
            "given": nodes,
            "at_corner": int(given.grid == "fine"),
            "error_share": FLOAT32_ERROR,
            "error_least": FLOAT32_UNDERFLOW,
            "longest_estimated": ROUNDED_BY_SHIFT,
            "node_demands": self._demands,
        }
        kernel = kernels.make_kernel(given.metric, given.grid, backend.warp())
        backend.launch(kernel, self.count, {**arguments, **made})
        each = arguments["near_each"]
        lists = backend.xp.empty((self.count, nodes, each), "int32")
        arguments["near"] = lists
        kernel = kernels.lists_kernel(given.metric, ONE_THREAD[backend.name])
        items = {**arguments, "replicas": 1, "lists": lists}
        backend.launch(kernel, self.count * nodes, items)

    def of_rows(self, rows: int) -> dict[str, Any]:
        """Return the arguments of kernels on a number of rows, a multiple of `count`."""
        return {**self.arguments, "replicas": rows // self.count}

    def layout(self, kinds: int = 1) -> LinkedShape:
        """Return the launch layout of rows with a number of kinds of moves."""
        if self.backend.name == "cpu":
            return LinkedShape.of_host(self.sizes)
        own = GRID_BYTES.get(self.given.grid, self.given.metric.site_bytes)
        return OwnRowsShape.on_gpu(self.backend.shared_memory, self.sizes, own, kinds=kinds)

    def types(self, layout: LinkedShape) -> LinkedTypes:
        """Return the C++ types of searches on linked lists."""
        given = self.given
        return LinkedTypes(
            given.metric,
            given.grid,
            length_type(given.metric, given.longest),
            layout,
            self.vehicles,
            symmetric=given.symmetric,
            scope=OWN_INSTANCE,
        )

    def scratch(self, rows: int, layout: LinkedShape, kinds: int = 1) -> Any:
        """Return memory for rows that are not in shared memory, or None."""
        if self.backend.name == "cpu" or layout.in_shared:
            return None
        return self.backend.xp.empty((rows, row_bytes(self.sizes, 4, kinds)), "uint8")

    def kept(self, rows: int, layout: LinkedShape) -> dict[str, Any]:
        """Return memory in which chains keep their lists and their best tours."""
        xp = self.backend.xp
        return {
            "kept": xp.empty((rows, list_bytes(self.sizes, layout.city_bytes)), "uint8"),
            "best_after": xp.empty((rows, self.sizes.n), "int32"),
        }

    def costs(self, tours: Any) -> tuple[Any, Any]:
        """Return the costs of giant tours (R, n), and the mean lengths of their edges (float32)."""
        xp, rows = self.backend.xp, len(tours)
        costs = xp.empty(rows, "int64" if self.sizes.integer else "float64")
        units = xp.empty(rows, "float32")
        kernel = kernels.costs_kernel(self.given.metric, self.backend.warp())
        costed = {"tours": tours, "costs": costs, "units": units}
        self.backend.launch(kernel, rows, {**self.of_rows(rows), **costed})
        return costs, units

    def soft(self, units: Any, prices: Sequence[float]) -> dict[str, Any]:
        """Return the arguments of rows whose routes may carry too much, at a price.

        Parameters
        ----------
        units : float32 array of the backend, shape (R,)
            Mean length of an edge of each row.
        prices : sequence of float
            Costs of an excess by the mean demand, in mean lengths of an edge. The rows of an
            instance take these numbers in turn.
        """
        xp, rows, weights = self.backend.xp, len(units), self.arguments["weights"]
        loads = self.given.demands.sum(axis=1).repeat(rows // self.count)
        turns = xp.tile(xp.asarray(np.resize(prices, rows // self.count)), self.count)
        each = turns * units * self.sizes.customers / xp.maximum(loads, 1)
        if self.sizes.integer:
            each = xp.maximum(xp.rint(each), 1)
        own = xp.empty((rows, len(weights)), weights.dtype)
        own[:] = weights
        priced = (each > 0) & (each < PRICE)  # free loads would look feasible
        own[:, 0] = xp.where(priced, each, PRICE).astype(weights.dtype)
        return {"soft": 1, "weights": own, "weight_bytes": own.itemsize * len(weights)}

    def first_tours(self, replicas: int = 1) -> Any:
        """Return giant tours (B * `replicas`, n); each route goes on to the nearest that fits.

        The rows of an instance are equal. They are feasible if the instance has as many copies of
        the depot as `CVRP.simple_routes` has routes.
        """
        xp, rows = self.backend.xp, self.count * replicas
        tours = xp.empty((rows, self.sizes.n), "int32")
        kernel = kernels.first_kernel(self.vehicles, self.backend.warp())
        first = {"first_tours": tours, "served": xp.zeros((rows, self.sizes.n), "uint8")}
        self.backend.launch(kernel, rows, {**self.of_rows(rows), **first})
        return tours


def bytes_per_instance(n: int, customers: int, replicas: int, site_bytes: int) -> int:
    """Return a bound on the bytes of device memory of an instance with its rows."""
    own = 4 * NEAR * (customers + 1) + 32 * n + site_bytes + 256
    return own + replicas * (n * 64 + 512)

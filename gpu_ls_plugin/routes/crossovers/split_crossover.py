"""Order crossover of customers; Split then cuts the child into routes (Prins 2004)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.arrays import reversed_rows
from gpu_ls_plugin.routes.construction.batch import RouteBatch
from gpu_ls_plugin.routes.construction.split import BYTES_PER_CITY, cut
from gpu_ls_plugin.routes.crossovers.route_recombination import RouteRecombination
from gpu_ls_plugin.routes.kernels.route_totals import route_totals
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.tours.crossovers.tour_crossovers import OrderRecombination
from gpu_ls_plugin.tours.crossovers.workspace import CostlessWorkspace
from gpu_ls_plugin.tours.kernels.edge_keys import nodes_of
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves


UNITS = 1 << 20  # largest rounded coordinate relative to the depot


@dataclass(frozen=True)
class SplitRecombination(RouteRecombination):
    """Cross orders of customers, without the depot, and cut the child into routes with Split.

    Order crossover combines giant tours without their copies of the depot; Split then cuts the
    child's order into the cheapest routes (Prins 2004; `split`). Routes respect the limits on load,
    duration and vehicles. Parents may break constraints, since the child inherits only orders of
    customers.

    If constraints are soft, routes may break them and pay for it. To save vehicles, the child then
    has at most as many routes as the first parent, or as the demands need if that is more (Vidal
    2022). If nodes have coordinates, the routes of both parents are first sorted by angle around
    the depot, so that a child inherits a sector of one of them (Vidal 2022).

    Parameters
    ----------
    every, generations
        See `Recombination`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    name = "split_recombination"

    def bytes_per_tour(self, n: int) -> int:
        """Return the device memory of one pair in bytes: its orders, their cuts and the child."""
        return (BYTES_PER_CITY + 24) * n + OrderRecombination().bytes_per_tour(n)

    def workspace(
        self,
        backend: Backend,
        problem: TSP,
        size: int,
        *,
        seed: int,
        first_row: int = 0,
        parts: CandidateMoves | None = None,
    ) -> CostlessWorkspace:
        """Return kernels and memory for batches of `size` pairs."""
        return _SplitWorkspace(backend, problem, size, seed, first_row)


@lru_cache(maxsize=4)
def _customers(count: int) -> TSP:
    """Return a TSP on the customers alone; its lengths are not used."""
    return TSP(np.zeros((count, 2)))


def _whole(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return coordinates (2, n) relative to the depot, rounded so that their sums are exact."""
    places = (points - points[0]).T
    farthest = max(np.abs(places).max(), np.finfo(float).tiny * UNITS)
    whole: NDArray[np.float64] = np.rint(places * (UNITS / farthest))
    return whole


class _SplitWorkspace(CostlessWorkspace):
    """Order crossover of the customers, then Split, for batches of one size."""

    def __init__(
        self, backend: Backend, problem: TSP, size: int, seed: int, first_row: int
    ) -> None:
        self.backend, self.problem = backend, problem
        self.routes = RouteBatch(backend, routing_problem(problem), size)
        asked = self.routes.problem
        alone, points = _customers(asked.customers), asked.nodes.coordinates
        self._places: Any = None if points is None else backend.xp.asarray(_whole(points))
        self._orders = OrderRecombination().workspace(
            backend, alone, size, seed=seed, first_row=first_row
        )

    def made(self, first: Any, second: Any, partners: Any, generation: int, seconds: float) -> Any:
        """Return the giant tours of the children."""
        routes = self.routes
        orders = self._orders.made(
            self._order_of(first), self._order_of(second), partners, generation, seconds
        )
        routes.orders[...] = orders + 1
        soft = routes.problem.penalties is not None
        cut(routes, self._used(first) if soft else None)
        return routes.tours()

    def _used(self, tours: Any) -> Any:
        """Return the number of routes of each giant tour, but no fewer than the demands need."""
        xp, problem, most = self.backend.xp, self.routes.problem, self.routes.most
        depots = nodes_of(xp, tours, problem.customers) == 0
        last = depots & ~xp.roll(depots, -1, axis=1)
        used = reversed_rows(last).sum(axis=1, dtype="int32")
        return used.clip(min(problem.least_vehicles, most), most)

    def _order_of(self, tours: Any) -> Any:
        """Return the order of the customers in giant tours; customers are numbered from 0.

        If nodes have coordinates, the routes are sorted by angle around the depot.
        """
        xp, problem = self.backend.xp, self.routes.problem
        nodes = nodes_of(xp, tours, problem.customers)
        n = nodes.shape[1]
        from_end = xp.arange(n, 0, -1, dtype="int32")
        start = n - xp.where(nodes == 0, from_end, 0).max(axis=1)[:, None]  # the first depot
        places = (start + xp.arange(n)) % n
        nodes = xp.take_along_axis(nodes, places, axis=1)
        # Copies of the depot are sorted to the end and cut off. Their number is known, so the host
        # need not wait for a GPU.
        keys = depots = nodes == 0
        if self._places is not None:
            lie = (axis[nodes] for axis in self._places)
            east, north = route_totals(xp, nodes, problem.copies, *lie)
            keys = xp.where(depots, xp.inf, xp.arctan2(north, east))
        order = keys.argsort(axis=1, kind="stable")[:, : problem.customers]
        return (xp.take_along_axis(nodes, order, axis=1) - 1).astype("int32")

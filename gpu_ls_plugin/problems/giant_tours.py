"""Giant tours from scratch: routes, their loads and durations; the referee of vehicle routing.

A giant tour is cyclic. Between two copies of the depot lies a route, perhaps an empty one. Node 0
and all nodes beyond the customers are copies of the depot. Plain NumPy, and nothing of a search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gpu_ls_plugin.problems.tour_rows import gather

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.problems.tsp import TSP

TOLERANCE = 1e-9  # of a real limit, which sums in another order may exceed


class RoutedProblem(Protocol):
    """What the referee, resources and the objective ask of a vehicle routing problem (`CVRP`)."""

    customers: int
    copies: int
    fleet: int | None
    capacity: int
    demands: NDArray[np.int64]
    service_times: NDArray[Any]
    route_limit: float | None
    nodes: TSP
    penalties: Any

    @property
    def integer(self) -> bool:
        """Whether costs are integers."""

    @property
    def symmetric(self) -> bool:
        """Whether both directions of every edge are equally long."""

    @property
    def longest(self) -> float:
        """A length that no edge exceeds."""

    @property
    def cost_dtype(self) -> np.dtype[Any]:
        """The type of costs."""


@dataclass(frozen=True)
class RouteSums:
    """Sums over the routes of a batch of giant tours, each from a copy of the depot on.

    Attributes
    ----------
    customers : int64 array, shape (P, copies)
        How many a route visits; 0 where it is empty.
    loads : int64 array, shape (P, copies)
    costs : array, shape (P, copies), int64 or float64
        Lengths.
    durations : array, shape (P, copies), int64 or float64
        Lengths and service times.
    """

    customers: NDArray[np.int64]
    loads: NDArray[np.int64]
    costs: NDArray[Any]
    durations: NDArray[Any]


@dataclass(frozen=True)
class Violations:
    """By how much each row of a batch breaks each constraint: 0 where it does not.

    Attributes
    ----------
    load : int64 array, shape (P,)
        Demand beyond the capacity, over all routes.
    duration : array, shape (P,), int64 or float64
        Duration beyond the route limit, over all routes.
    vehicles : int64 array, shape (P,)
        Routes beyond the fleet.
    """

    load: NDArray[np.int64]
    duration: NDArray[Any]
    vehicles: NDArray[np.int64]

    @property
    def none(self) -> NDArray[np.bool_]:
        """Which rows break no constraint, shape (P,)."""
        return (self.load == 0) & (self.duration == 0) & (self.vehicles == 0)


def from_depot(rows: NDArray[Any], customers: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return giant tours (P, n) rotated to begin with a copy of the depot, and where copies are."""
    n = rows.shape[1]
    depots = (rows == 0) | (rows > customers)
    places = (depots.argmax(axis=1)[:, np.newaxis] + np.arange(n)) % n
    turned = gather(rows, places)
    return turned, (turned == 0) | (turned > customers)


def route_sums(problem: RoutedProblem, rows: NDArray[np.int32]) -> RouteSums:
    """Return the sums over the routes of giant tours (P, n), which are not checked."""
    rows, depots = from_depot(rows, problem.customers)
    nodes = np.where(depots, 0, rows)
    routes = depots.cumsum(axis=1) - 1 + problem.copies * np.arange(len(rows))[:, np.newaxis]
    lengths = problem.nodes.lengths(nodes, np.roll(nodes, -1, axis=1))
    lengths = np.where(depots & np.roll(depots, -1, axis=1), 0, lengths)
    # A length belongs to the route of the node that it leads from.

    def sums(values: NDArray[Any]) -> NDArray[Any]:
        total = np.zeros(len(rows) * problem.copies, values.dtype)
        np.add.at(total, routes.ravel(), values.ravel())
        return total.reshape(len(rows), problem.copies)

    return RouteSums(
        sums((~depots).astype(np.int64)),
        sums(problem.demands[nodes]),
        sums(lengths),
        sums(lengths + problem.service_times[nodes]),
    )


def violations(problem: RoutedProblem, rows: NDArray[np.int32]) -> Violations:
    """Return by how much giant tours (P, n), which are not checked, break each constraint."""
    sums = route_sums(problem, rows)
    used = (sums.customers > 0).sum(axis=1)
    fleet = problem.copies if problem.fleet is None else problem.fleet
    return Violations(
        np.maximum(sums.loads - problem.capacity, 0).sum(axis=1),
        beyond_limit(problem, sums.durations).sum(axis=1),
        np.maximum(used - fleet, 0),
    )


def beyond_limit(problem: RoutedProblem, durations: NDArray[Any]) -> NDArray[Any]:
    """Return how much longer than the limit routes take; rounding alone counts for nothing."""
    if problem.route_limit is None:
        return np.zeros_like(durations)
    beyond = np.maximum(durations - problem.route_limit, 0)
    if beyond.dtype.kind == "f":
        beyond[beyond <= TOLERANCE * max(1.0, problem.route_limit)] = 0
    return beyond


def routes_of(row: NDArray[Any], customers: int) -> list[list[int]]:
    """Return the customers of each route of one giant tour (n,); empty routes are left out."""
    turned, depots = from_depot(row[np.newaxis], customers)
    parts = np.split(turned[0], np.flatnonzero(depots[0]))
    return [part[1:].tolist() for part in parts if len(part) > 1]


def written(routes: list[list[int]], customers: int, copies: int) -> NDArray[np.int32]:
    """Return the giant tour (n,) of routes that are at most as many as copies of the depot."""
    depots = [0, *range(customers + 1, customers + copies)]
    cities: list[int] = []
    for number, depot in enumerate(depots):
        cities.append(depot)
        if number < len(routes):
            cities += routes[number]
    return np.array(cities, np.int32)


def canonical(rows: NDArray[Any], *, symmetric: bool = True, customers: int) -> NDArray[np.int32]:
    """Return the one way of writing the routes of giant tours (P, n), which are not checked.

    Routes are in the order of their first customers, empty ones last; they begin with the smaller
    one of their ends where their direction does not matter.
    """
    size, n = rows.shape
    turned, depots = from_depot(rows, customers)
    copies, number = n - customers, depots.cumsum(axis=1) - 1  # of the route at each place
    starts = depots.nonzero()[1].reshape(size, copies)
    longs = np.diff(starts, axis=1, append=n)  # the depot included
    at = np.arange(size)[:, np.newaxis]
    firsts, lasts = turned[at, (starts + 1) % n], turned[at, starts + longs - 1]
    backward = (lasts < firsts) & symmetric
    leads = np.where(longs == 1, n, np.where(backward, lasts, firsts))
    order = leads.argsort(axis=1, kind="stable")
    lengths = longs[at, order]
    begins = np.empty_like(starts)  # of each route as it is written
    begins[at, order] = lengths.cumsum(axis=1) - lengths
    offset = np.arange(n) - starts[at, number]
    turns = backward[at, number] & ~depots
    offset = np.where(turns, longs[at, number] - offset, offset)
    made = np.empty((size, n), np.int32)
    made[at, begins[at, number] + offset] = turned
    labels = np.arange(customers, n, dtype=np.int32)  # of the depot's copies, in their order
    labels[0] = 0
    made[(made == 0) | (made > customers)] = np.tile(labels, size)
    return made

"""The referee of vehicle routing: computes routes, loads and durations of giant tours from scratch.

A giant tour is cyclic. The customers between two successive copies of the depot form a route, which
may be empty. Node 0 and all nodes beyond the customers are copies of the depot. The code is plain
NumPy, independent of the searches.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gpu_ls_plugin.core.rows import blocks, gather, row_offsets
from gpu_ls_plugin.tours.problem.referee import row_sums

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.problem.tsp import TSP

TOLERANCE = 1e-9  # durations may exceed a real limit by this share of it, because of rounding
ULPS = 1e-15  # relative rounding error of a sum of three numbers


class RoutedProblem(Protocol):
    """The part of `CVRP` that the referee, resources and the objective read."""

    customers: int
    copies: int
    fleet: int | None
    capacity: int
    demands: NDArray[np.int64]
    service_times: NDArray[Any]
    route_limit: float | None
    nodes: TSP
    durations: NDArray[Any] | None
    penalties: Any
    resources: tuple[Any, ...]
    scale: int

    @property
    def inexpressible(self) -> list[str]: ...

    @property
    def integer(self) -> bool: ...

    @property
    def symmetric(self) -> bool: ...

    def published(self, cost: Any) -> Any: ...

    @property
    def longest(self) -> float: ...

    @property
    def tolerated_limit(self) -> float | None: ...

    @property
    def cost_dtype(self) -> np.dtype[Any]: ...


@dataclass(frozen=True)
class RouteSums:
    """Sums over each route of giant tours, shape (P, copies), in the order of the tours."""

    customers: NDArray[np.int64]  # 0 if a route is empty
    loads: NDArray[np.int64]
    costs: NDArray[Any]  # length
    durations: NDArray[Any]  # length plus service times


@dataclass(frozen=True)
class Violations:
    """Excess of each row of a batch over each limit, shape (P,); 0 if the limit is respected."""

    load: NDArray[np.int64]  # total demand beyond the capacity, over all routes
    duration: NDArray[Any]  # total duration beyond the route limit, over all routes
    vehicles: NDArray[np.int64]  # number of routes beyond the fleet
    resources: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    @property
    def none(self) -> NDArray[np.bool_]:
        """Whether each row satisfies all constraints, shape (P,)."""
        broken: NDArray[np.bool_] = (self.load > 0) | (self.duration > 0) | (self.vehicles > 0)
        for excess in self.resources.values():
            broken = broken | (excess > 0)
        return ~broken


def from_depot(rows: NDArray[Any], customers: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return giant tours (P, n) rotated to begin with a depot copy, and a mask of the copies."""
    depots: NDArray[np.bool_] = (rows == 0) | (rows > customers)
    if depots[:, 0].all():
        return rows, depots
    n = rows.shape[1]
    places = (depots.argmax(axis=1)[:, np.newaxis] + np.arange(n)) % n
    return gather(rows, places), gather(depots, places)


def route_sums(problem: RoutedProblem, rows: NDArray[np.int32]) -> RouteSums:
    """Return the sums over each route of giant tours (P, n), which are not checked."""
    rows, depots = from_depot(rows, problem.customers)
    nodes = np.where(depots, 0, rows)
    lengths = problem.nodes.lengths(nodes, np.roll(nodes, -1, axis=1))
    # An edge counts for the route of its first node, unless it joins two copies of the depot.
    lengths[depots & np.roll(depots, -1, axis=1)] = 0
    costs, services = _per_route(lengths, depots), problem.service_times
    return RouteSums(
        _per_route((~depots).astype(np.int64), depots),
        _per_route(problem.demands[nodes], depots),
        costs,
        costs + _per_route(services[nodes], depots) if services.any() else costs,
    )


def sums_of(problem: RoutedProblem, rows: NDArray[np.int32], values: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of values of nodes over each route of giant tours (P, n)."""
    rows, depots = from_depot(rows, problem.customers)
    return _per_route(values[np.where(depots, 0, rows)], depots)


def _per_route(values: NDArray[Any], depots: NDArray[np.bool_]) -> NDArray[Any]:
    """Return the sums of values (P, n) over each route, which begins at a copy of the depot."""
    sums: NDArray[Any] = np.add.reduceat(values.ravel(), np.flatnonzero(depots))
    return sums.reshape(len(values), -1)


def travelled(problem: RoutedProblem, rows: NDArray[np.int32]) -> NDArray[Any]:
    """Return the lengths of giant tours (P, n), which are not checked, shape (P,)."""
    costs = np.empty(len(rows), problem.cost_dtype)
    for block in blocks(*rows.shape):
        nodes = np.where(rows[block] > problem.customers, 0, rows[block])
        after = np.roll(nodes, -1, axis=1)
        lengths = problem.nodes.lengths(nodes, after)
        lengths[(nodes == 0) & (after == 0)] = 0  # from depot to depot
        costs[block] = row_sums(lengths)
    return costs


def most_routes(problem: RoutedProblem) -> int:
    """Return the size of the fleet, or the copies of the depot if the fleet is unlimited."""
    return problem.copies if problem.fleet is None else problem.fleet


def violations(problem: RoutedProblem, rows: NDArray[np.int32]) -> Violations:
    """Return the violations of giant tours (P, n), which are not checked."""
    sums = route_sums(problem, rows)
    used = (sums.customers > 0).sum(axis=1)
    return Violations(
        np.maximum(sums.loads - problem.capacity, 0).sum(axis=1),
        beyond_limit(problem, sums.durations).sum(axis=1),
        np.maximum(used - most_routes(problem), 0),
        {part.name: part.excess(problem, rows) for part in problem.resources},
    )


def beyond_limit(problem: RoutedProblem, durations: NDArray[Any]) -> NDArray[Any]:
    """Return the excess of durations over the route limit; 0 without a limit."""
    if problem.route_limit is None:
        return np.zeros_like(durations)
    return beyond(durations, problem.route_limit)


def tolerated(limit: float, alone: NDArray[Any]) -> float:
    """Return the limit that searches compare durations with; with a tolerance if it is a float.

    The tolerance is half of that in `beyond`. The other half allows for rounding: a route that a
    search considers feasible is feasible, whatever the order in which its duration is added up.
    Routes to a single customer, whose durations are `alone`, are feasible for a search if they are
    for the referee.
    """
    if alone.dtype.kind == "i":
        return limit
    longest = float(alone[beyond(alone, limit) == 0].max())
    return max(limit * (1 + TOLERANCE / 2), longest * (1 + ULPS))


def durations_alone(nodes: TSP, services: NDArray[Any]) -> NDArray[Any]:
    """Return the duration of a route to each customer alone; 0 for the depot.

    Terms are added in the same order as in `route_sums`.
    """
    depot, customers = np.zeros(nodes.n, np.int64), np.arange(nodes.n)
    alone: NDArray[Any] = nodes.lengths(depot, customers) + nodes.lengths(customers, depot)
    alone = alone + services
    alone[0] = 0
    return alone


def least_durations(nodes: TSP, services: NDArray[Any]) -> NDArray[Any]:
    """Return for each customer a lower bound on the duration of any route that serves it."""
    every = np.arange(nodes.n)
    there = fastest(lambda node: nodes.lengths(np.full_like(every, node), every) + services[node])
    back = fastest(lambda node: nodes.lengths(every, np.full_like(every, node)) + services)
    both, alone = there + back, durations_alone(nodes, services)
    return np.where(both < alone * (1 - ULPS), both, alone)  # not because of rounding


def fastest(times: Callable[[int], NDArray[Any]]) -> NDArray[Any]:
    """Return the least times between the depot and each node, directly or over other nodes.

    `times(node)` returns the direct times between one node and each node.
    """
    least = times(0)
    while True:
        before = least.copy()
        for node in least.argsort():
            np.minimum(least, least[node] + times(int(node)), out=least)
        if (least == before).all():
            return least


def beyond(durations: NDArray[Any], limit: float) -> NDArray[Any]:
    """Return the excess of durations over a limit; an excess due to rounding counts as 0."""
    excess = np.maximum(durations - limit, 0)
    if excess.dtype.kind == "f":
        excess[excess <= TOLERANCE * limit] = 0
    return excess


def routes_of(row: NDArray[Any], customers: int) -> list[list[int]]:
    """Return the customers of each non-empty route of one giant tour (n,)."""
    turned, depots = from_depot(row[np.newaxis], customers)
    parts = np.split(turned[0], np.flatnonzero(depots[0]))
    return [part[1:].tolist() for part in parts if len(part) > 1]


def written(routes: list[list[int]], customers: int, copies: int) -> NDArray[np.int32]:
    """Return the giant tour (n,) of routes; there must be at most `copies` routes."""
    depots = [0, *range(customers + 1, customers + copies)]
    cities: list[int] = []
    for number, depot in enumerate(depots):
        cities.append(depot)
        if number < len(routes):
            cities += routes[number]
    return np.array(cities, np.int32)


def canonical(rows: NDArray[Any], *, symmetric: bool = True, customers: int) -> NDArray[np.int32]:
    """Return the canonical form of giant tours (P, n), as new rows.

    Routes are sorted by their first customers; empty ones come last. If directions do not matter
    (`symmetric`), each route begins with the smaller of its two end customers. Copies of the depot
    are in ascending order.
    """
    rows, depots = from_depot(rows, customers)
    size, n = rows.shape
    copies = n - customers
    flat, starts = rows.ravel(), np.flatnonzero(depots)
    lengths = np.diff(starts, append=flat.size)  # number of customers, plus 1 for the depot
    first = np.where(lengths > 1, flat.take(starts + 1, mode="clip"), n)
    last = np.where(lengths > 1, flat[starts + lengths - 1], n)
    backward = symmetric & (last < first)
    order = np.minimum(first, last) if symmetric else first
    sorted_ = order.reshape(size, copies).argsort(axis=1, kind="stable") + row_offsets(
        depots[:, :copies]
    )
    begins = np.empty(size * copies, np.intp)  # place of each route in the new rows
    begins[sorted_.ravel()] = lengths[sorted_.ravel()].cumsum() - lengths[sorted_.ravel()]

    route = np.repeat(np.arange(len(starts)), lengths)
    offset = np.arange(flat.size) - starts[route]
    turned = backward[route] & (offset > 0)
    offset[turned] = lengths[route[turned]] - offset[turned]
    made = np.empty(flat.size, np.int32)
    made[begins[route] + offset] = flat
    made[begins[sorted_]] = np.r_[0, customers + 1 : customers + copies]
    return made.reshape(size, n)


def edges_of(row: NDArray[Any], customers: int, symmetric: bool) -> NDArray[np.int64]:
    """Return a key for each edge of one giant tour (n,); all copies of the depot are one node.

    There is no edge between neighbouring copies. The two edges of a route to a single customer get
    different keys even if directions do not matter.
    """
    nodes = np.where(row > customers, 0, row).astype(np.int64)
    after = np.roll(nodes, -1)
    a, b = (np.minimum(nodes, after), np.maximum(nodes, after)) if symmetric else (nodes, after)
    alone = (nodes > 0) & (after == 0) & (np.roll(nodes, 1) == 0)
    a[alone], b[alone] = nodes[alone], after[alone]
    return (a * (customers + 1) + b)[(nodes > 0) | (after > 0)]


def new_edges(
    row: NDArray[Any], *, customers: int, symmetric: bool
) -> Callable[[NDArray[Any]], float]:
    """Return a function that maps another giant tour to the share of its edges that `row` lacks."""
    own = edges_of(row, customers, symmetric)

    def share(other: NDArray[Any]) -> float:
        edges = edges_of(other, customers, symmetric)
        return float(np.isin(edges, own, invert=True).mean())

    return share

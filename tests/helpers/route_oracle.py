"""Constructions of routes in plain Python, from their definitions."""

from __future__ import annotations

import math
from itertools import combinations, pairwise, permutations, product
from typing import TYPE_CHECKING

import numpy as np

import gpu_ls_plugin as gls
from tests.helpers.philox import philox
from tests.helpers.routing import random_cvrp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


Route = list[int]


def some_cvrp(kind: str, customers: int, seed: int, capacity: int) -> gls.CVRP:
    """Return a random problem; with kind "tight", routes often just reach the limit."""
    if kind != "tight":
        return random_cvrp(kind, customers, seed, capacity)
    random = np.random.default_rng(seed)
    points = random.integers(0, 6, (customers + 1, 2))
    demands = np.r_[0, random.integers(1, 10, customers)]
    limit = 2 * np.ceil(np.hypot(*(points - points[0]).T)).max() + random.integers(1, 10)
    services = {"service_times": 1, "route_limit": float(limit), "copies": customers}
    return gls.CVRP(points, demands, capacity, **services)


def matrix(problem: gls.CVRP) -> list[list[float]]:
    """Return all lengths between nodes."""
    nodes = np.arange(problem.customers + 1)
    return problem.nodes.distance(nodes[:, None], nodes[None, :]).tolist()


def cost(d: list[list[float]], route: Route) -> float:
    """Return the length of a route."""
    stops = [0, *route, 0]
    return sum(d[a][b] for a, b in pairwise(stops))


def serves(problem: gls.CVRP, d: list[list[float]], route: Route) -> bool:
    """Return whether a vehicle can serve a route."""
    if problem.demands[route].sum() > problem.capacity:
        return False
    duration = cost(d, route) + problem.service_times[route].sum()
    in_time = problem.route_limit is None or bool(duration <= problem.route_limit + 1e-9)
    return in_time and allows(problem, route)


def allows(problem: gls.CVRP, route: Route) -> bool:
    """Return whether further resources allow a route; they must allow each customer alone."""
    return not any(excesses(problem, route).values())


def excesses(problem: gls.CVRP, route: Route) -> dict[str, float]:
    """Return the excess of each further resource; they must allow each customer alone."""
    if not problem.resources:
        return {}
    others = [[c] for c in range(1, problem.customers + 1) if c not in route]
    row = problem.tour([route, *others])[np.newaxis]
    return {part.name: part.excess(problem, row)[0] for part in problem.resources}


def best_cost(problem: gls.CVRP) -> float:
    """Return the cost of the best feasible routes, by all subsets of customers; else infinity."""
    count, nodes = problem.customers, problem.nodes
    fleet = problem.copies if problem.fleet is None else problem.fleet
    everyone = range(1, count + 1)
    of_route: dict[frozenset[int], float] = {}
    for size in everyone:
        for some in combinations(everyone, size):
            if problem.demands[list(some)].sum() > problem.capacity:
                continue
            orders = np.array([p for p in permutations(some) if allows(problem, list(p))])
            if not len(orders):
                continue
            ends = np.zeros((len(orders), 1), int)
            ways = nodes.lengths(np.c_[ends, orders], np.c_[orders, ends]).sum(axis=1)
            takes = ways.min() + problem.service_times[list(some)].sum()
            if problem.route_limit is None or takes <= problem.route_limit * (1 + 1e-9):
                of_route[frozenset(some)] = ways.min()
    best: dict[frozenset[int], float] = {frozenset(): 0}
    for _ in range(fleet):
        for served, cost in list(best.items()):
            left = next((c for c in everyone if c not in served), None)
            for route, way in of_route.items():
                if left in route and not route & served:
                    both = route | served
                    best[both] = min(best.get(both, math.inf), cost + way)
    return best.get(frozenset(everyone), math.inf)


def due(problem: gls.CVRP, d: list[list[float]], route: Route) -> float:
    """Return the penalty of a route under soft constraints.

    If more than loads is limited, a load of more than two vehicles is infeasible.
    """
    price = problem.penalties
    overload = max(0, int(problem.demands[route].sum()) - problem.capacity)
    if problem.route_limit is None and not problem.resources:
        return price.load * overload
    if overload > problem.capacity:
        return math.inf
    if problem.resources:
        found = excesses(problem, route).items()
        return price.load * overload + sum(price.resources[name] * more for name, more in found)
    duration = cost(d, route) + problem.service_times[route].sum()
    late = duration - problem.route_limit
    return price.load * overload + (price.duration * late if late > 1e-9 else 0)


def savings(problem: gls.CVRP) -> list[Route]:
    """Return the routes of Clarke and Wright's parallel savings over all pairs."""
    d, customers = matrix(problem), range(1, problem.customers + 1)
    pairs = [(a, b) for a in customers for b in customers if a != b]
    if problem.reversible:
        pairs = [(a, b) for a, b in pairs if a < b]
    saved = {(a, b): d[a][0] + d[0][b] - d[a][b] for a, b in pairs}
    route_of = {c: [c] for c in customers}
    for a, b in sorted(pairs, key=lambda pair: (-saved[pair], pair)):
        if saved[a, b] <= 0 or route_of[a] is route_of[b]:
            continue
        first, second = route_of[a], route_of[b]
        if problem.reversible:
            first = first[::-1] if first[0] == a and first[-1] != a else first
            second = second[::-1] if second[-1] == b and second[0] != b else second
        if first[-1] == a and second[0] == b and serves(problem, d, first + second):
            joined = first + second
            route_of |= dict.fromkeys(joined, joined)
    return list({id(route): route for route in route_of.values()}.values())


def best_cut(problem: gls.CVRP, order: Route, most: int) -> float | None:
    """Return the least cost of cutting a sequence into at most `most` routes, None if impossible.

    Under soft constraints the cost includes penalties.
    """
    d, costs = matrix(problem), []
    for cuts in product((False, True), repeat=len(order) - 1):
        routes: list[Route] = [[order[0]]]
        for customer, begins in zip(order[1:], cuts, strict=True):
            routes += [[]] if begins else []
            routes[-1].append(customer)
        if len(routes) > most:
            continue
        if problem.penalties is not None:
            costs.append(sum(cost(d, route) + due(problem, d, route) for route in routes))
        elif all(serves(problem, d, route) for route in routes):
            costs.append(sum(cost(d, route) for route in routes))
    return min(costs, default=None)


def insertions(route: Route, customer: int) -> Iterator[tuple[int, Route]]:
    """Yield each place for a customer in a route, and the new route."""
    for place in range(len(route) + 1):
        yield place, [*route[:place], customer, *route[place:]]


def sweep(problem: gls.CVRP, around: list[int]) -> list[Route]:
    """Return the routes of a sweep over customers in the order of `around`."""
    d = matrix(problem)
    routes: list[Route] = [[around[0]]]
    for customer in around[1:]:
        allowed = [at for at in insertions(routes[-1], customer) if allows(problem, at[1])]
        _, longer = min(allowed, key=lambda at: (cost(d, at[1]), at[0]), default=(0, []))
        if longer and serves(problem, d, longer):
            routes[-1] = longer
        else:
            routes.append([customer])
    return routes


def cheapest_insertion(
    problem: gls.CVRP, at_once: int, open_routes: Callable[[int], range]
) -> list[Route]:
    """Return the routes of row 0; ties go to the smallest customer, then to the first edge.

    Edges are compared by their first node; the depot of a route counts after all customers.
    """
    d, waiting = matrix(problem), set(range(1, problem.customers + 1))
    routes: list[Route] = []

    def begin(far: Callable[[int], float]) -> None:
        customer = min(waiting, key=lambda c: (-far(c), c))
        waiting.remove(customer)
        routes.append([customer])

    seeds: list[int] = [0]
    while len(routes) < at_once and waiting:
        begin(lambda c: min(d[seed][c] for seed in seeds))
        seeds.append(routes[-1][0])
    while waiting:
        found = []
        for c in waiting:
            for r in open_routes(len(routes)):
                for place, longer in insertions(routes[r], c):
                    if serves(problem, d, longer):
                        a, b = ([0, *routes[r], 0][place + k] for k in (0, 1))
                        node = a or problem.customers + 1 + r
                        detour = d[a][c] + d[c][b] - d[a][b]
                        found.append((detour, c, node, r, longer))
        if not found:
            begin(lambda c: d[0][c])
            continue
        # Each customer has one best edge, so ties of customers come first.
        _, c, _, r, longer = min(found, key=lambda f: f[:3])
        waiting.remove(c)
        routes[r] = longer
    return routes


def end(problem: gls.CVRP, d: list[list[float]], path: Route) -> float:
    """Return when service at the last stop of a path from the depot begins; 0 without windows."""
    for part in problem.resources:
        if isinstance(part, gls.TimeWindows):
            last, time = 0, max(part.windows[0, 0], part.release_times[[0, *path]].max())
            for stop in path:
                time += problem.service_times[last] + d[last][stop]
                last, time = stop, max(time, part.windows[stop, 0])
            return float(time)
    return 0


def solomon(problem: gls.CVRP, seed: int, row: int) -> list[Route]:
    """Return the routes of a row of Solomon's I1; ties as in `cheapest_insertion`."""
    d, waiting = matrix(problem), list(range(1, problem.customers + 1))
    numbers = philox(seed, 11, row, 0)
    beginning, delays, distances = 0, 0, 16
    if row > 0:
        beginning, delays, distances = (next(numbers) * n >> 32 for n in (3, 8, 9))
        distances += 8
    windows = [part.windows for part in problem.resources if isinstance(part, gls.TimeWindows)]
    routes: list[Route] = []

    def first(c: int) -> tuple[float, int]:
        return (windows[0][c, 1] if windows and beginning == 2 else -d[0][c]), c

    def take(customer: int) -> None:
        waiting[waiting.index(customer)] = waiting[-1]
        waiting.pop()

    while waiting:
        found = []
        for c in waiting if routes else []:
            for place, longer in insertions(routes[-1], c):
                if serves(problem, d, longer):
                    a, b = ([0, *routes[-1], 0][place + k] for k in (0, 1))
                    known = end(problem, d, [*routes[-1][:place], b])
                    delay = end(problem, d, [*longer[: place + 1], b]) - known
                    costs = (8 - delays) * (d[a][c] + d[c][b] - d[a][b]) + delays * delay
                    found.append((costs, a or problem.customers + 1, c, longer))
        best = {c: min(f for f in found if f[2] == c) for c in {f[2] for f in found}}
        if best:
            chosen = min(best, key=lambda c: (best[c][0] - distances * d[0][c], c))
            routes[-1] = best[chosen][3]
        else:
            drawn = waiting[next(numbers) * len(waiting) >> 32] if beginning == 1 else 0
            chosen = drawn or min(waiting, key=first)
            routes.append([chosen])
        take(chosen)
    return routes

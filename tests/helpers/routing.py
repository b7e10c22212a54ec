"""Small vehicle routing problems and their giant tours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import gpu_ls_plugin as gls
from gpu_ls_plugin.routes.problem.giant_tours import TOLERANCE
from gpu_ls_plugin.routes.problem.resources.load import Load

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.engines.chains.chains import Chains

# Metric, route limit, fleet, extra copies of the depot, directed lengths, other resources.
KINDS = {
    "capacity": {},
    "real": {"metric": "EUC"},
    "duration": {"route_limit": 330, "service_times": 3},
    "real duration": {"metric": "EUC", "route_limit": 330.5, "service_times": 3.25},
    "fleet": {"vehicles": True},
    "directed": {"matrix": True},
    "directed duration": {"matrix": True, "route_limit": 330, "service_times": 3},
    "windows": {"service_times": 3, "resources": ["windows"]},
    "two loads": {"resources": ["load"]},
}
BUILT_IN = [kind for kind, given in KINDS.items() if "resources" not in given]


def random_cvrp(kind: str, customers: int, seed: int = 0, capacity: int = 25) -> gls.CVRP:
    """Return a random problem with as many copies of the depot as customers."""
    random = np.random.default_rng(seed)
    given = dict(KINDS[kind])
    demands = np.r_[0, random.integers(1, 10, customers)]
    needed = -(-int(demands.sum()) // capacity)
    if given.pop("vehicles", False):
        given["vehicles"] = needed + 1
    given["copies"] = max(customers, needed + 1)
    points = random.integers(0, 100, (customers + 1, 2))
    resources = [RESOURCES[name](customers, random) for name in given.pop("resources", [])]
    if given.pop("matrix", False):
        far = np.hypot(*(points[:, None] - points).T)
        matrix = (far * random.uniform(0.8, 1.2, far.shape)).astype(int)
        return gls.CVRP.from_matrix(matrix, demands, capacity, **given)
    return gls.CVRP(points, demands, capacity, **given).with_resources(*resources)


def random_vrp(customers: int, seed: int = 0, **options: Any) -> gls.VRP:
    """Return a random problem with time windows in tenths, which has feasible rows.

    Many random rows miss a window; routes to a single customer miss none.
    """
    random = np.random.default_rng(seed)
    points = random.integers(0, 1000, (customers + 1, 2))
    windows = random_windows(customers, random).windows * 10
    windows[1:, 1] += 1500
    windows[0, 1] = 12000
    given = {"windows": windows, "service_times": 100, "metric": "FLOOR_2D", "scale": 10}
    given |= {"demands": np.r_[0, random.integers(1, 10, customers)], "capacity": 25}
    return gls.VRP(points, **given | options)


def random_windows(customers: int, random: np.random.Generator) -> gls.TimeWindows:
    """Return windows that random tours often miss, and a route to a single customer never."""
    early = random.integers(100, 300, customers + 1)
    late = early + random.integers(45, 200, customers + 1)
    early[0], late[0] = 0, 700
    releases = random.integers(0, 120, customers + 1) * (random.random(customers + 1) < 0.2)
    late = np.maximum(late, np.maximum(releases, releases[0]) + 142)
    return gls.TimeWindows(np.stack([early, late], axis=1), releases)


def random_load(customers: int, random: np.random.Generator) -> Load:
    """Return a further load, which about four customers fill."""
    return Load(np.r_[0, random.integers(1, 10, customers)], 20, "load 2")


RESOURCES = {"windows": random_windows, "load": random_load}


def tolerated_cost(problem: gls.CVRP) -> float:
    """Return the largest difference of costs between kernels and the Python methods.

    Kernels allow for rounding errors at a real limit; the Python methods do not.
    """
    if problem.integer or problem.route_limit is None:
        return 0.0
    price: float = problem.tsp.objective.penalties.duration
    return price * TOLERANCE * problem.route_limit * problem.n


def scarce_cvrp() -> gls.CVRP:
    """Return twelve customers that fill four vehicles exactly; savings need a fifth."""
    places = np.random.default_rng(4).integers(0, 100, (13, 2))
    return gls.CVRP(places, [0, *[6, 6, 6, 6, 5, 5, 5, 5, 4, 4, 4, 4]], 15, vehicles=5)


def roomy_cvrp() -> gls.CVRP:
    """Return sixteen customers of demand 1 and vehicles of capacity 5: at least four."""
    return gls.CVRP(np.random.default_rng(1).random((17, 2)), np.r_[0, np.ones(16, int)], 5)


def giant_tours(problem: gls.CVRP, size: int, seed: int = 0) -> np.ndarray:
    """Return giant tours: routes filled with random customers first, then random permutations."""
    random = np.random.default_rng(seed)
    rows = [random.permutation(problem.n) for _ in range(size - size // 2)]
    for _ in range(size // 2):
        routes: list[list[int]] = [[]]
        for customer in 1 + random.permutation(problem.customers):
            longer = [*routes[-1], int(customer)]
            if len(longer) > 4 or problem.demands[longer].sum() > problem.capacity:
                routes.append([int(customer)])
            else:
                routes[-1] = longer
        rows.insert(0, problem.tour(routes))
    return np.stack(rows).astype(np.int32)


def rewritten(problem: gls.CVRP, row: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return the same routes in another order and rotation, some of them reversed."""
    routes = problem.routes(row)
    routes += [[] for _ in range(problem.copies - len(routes))]
    random.shuffle(routes)
    copies = random.permutation([0, *range(problem.customers + 1, problem.n)])
    cities: list[int] = []
    for copy, route in zip(copies, routes, strict=True):
        turn = problem.symmetric and random.random() < 0.5
        cities += [copy, *(route[::-1] if turn else route)]
    return np.roll(np.array(cities, np.int32), int(random.integers(problem.n)))


def renamed(problem: gls.CVRP, tours: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return the same routes with other copies of the depot, in another rotation."""
    depots = np.r_[0, problem.customers + 1 : problem.n]
    names = np.arange(problem.n)
    names[depots] = random.permutation(depots)
    return np.roll(names[tours], int(random.integers(problem.n)), axis=1)


def plain_violations(problem: gls.CVRP, row: np.ndarray) -> tuple[float, float, int]:
    """Return the excess of load, duration and routes, by a walk along a giant tour."""
    first = next(p for p, node in enumerate(row) if node == 0 or node > problem.customers)
    load = duration = used = 0
    route, over, late = 0, 0, 0.0
    nodes = [*np.roll(row, -first), 0]
    at = 0
    for node in nodes[1:]:
        to = 0 if node > problem.customers else int(node)
        if at or to:
            duration += problem.nodes.distance(at, to).item()
        if to:
            load += int(problem.demands[to])
            duration += problem.service_times[to].item()
            route = 1
        else:
            over += max(0, load - problem.capacity)
            if problem.route_limit is not None:
                late += max(0, duration - problem.route_limit)
            used += route
            load = duration = route = 0
        at = to
    fleet = problem.copies if problem.fleet is None else problem.fleet
    return over, late, max(0, used - fleet)


def assert_exact_costs(chains: Chains, problem: gls.CVRP) -> None:
    """Assert that the present and best tours of chains are giant tours with the right costs."""
    where = chains.start.backend
    for found in ((chains.tours, chains.costs), (chains.best_tours, chains.best_costs)):
        tours, costs = (where.to_numpy(array) for array in found)
        assert (np.sort(tours, axis=1) == np.arange(problem.n)).all()
        np.testing.assert_allclose(costs, problem.tsp.cost(tours), rtol=1e-9)


def assert_no_more_violations(problem: gls.CVRP, before: np.ndarray, after: np.ndarray) -> None:
    """Assert that no row violates a constraint by more than the same row before."""
    old, new = problem.violations(before), problem.violations(after)
    for name in ("load", "duration", "vehicles"):
        assert (getattr(new, name) <= getattr(old, name) + 1e-9).all()
    for name, excess in new.resources.items():
        assert (excess <= old.resources[name]).all()
    assert problem.feasible(after)[problem.feasible(before)].all()

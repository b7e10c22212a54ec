"""Data of any scale: lengths and demands that are tiny, huge or zero, and limits just kept."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidProblemError
from gpu_ls_plugin.routes.problem import giant_tours
from gpu_ls_plugin.routes.problem.routing import MAX_PRICE, price_of_demand
from gpu_ls_plugin.tours.problem.tsp import TSP
from tests.helpers.marks import diagonal, in_pairs
from tests.helpers.route_oracle import best_cost
from tests.tours.objectives.third_party import some_loads

LISTS = gls.Nearest(8)
ROUTE_MOVES = gls.LocalSearch([gls.RouteMoves()], candidates=LISTS)
SEARCHES = {
    "moves": ROUTE_MOVES,
    "chains": gls.IteratedLocalSearch(
        ROUTE_MOVES,
        gls.StringRemoval(),
        accept=gls.Annealing(0.3, 0.01),
        cooperation=gls.PricedMigration(1, 0.2),
    ),
    "generations": gls.HybridGeneticSearch(size=6, children=6),
}
BUDGETS = {"moves": None, "chains": gls.Budget(kicks=200), "generations": gls.Budget(kicks=18)}


def small_lengths(exponent, *, soft):
    """Return the same problem with all lengths times 2**exponent, which causes no rounding."""
    random = np.random.default_rng(5)
    points, demands = random.random((19, 2)), np.r_[0, 100_000 * random.integers(1, 10, 18)]
    made = {"metric": "EUC", "copies": 8}
    unlimited = gls.CVRP(points, demands, int(demands.sum() / 3.6), **made)
    longest = unlimited.route_sums(gls.savings(unlimited)).durations.max().item()
    limit = 1.1 * longest * 2.0**exponent
    points = points * 2.0**exponent
    problem = gls.CVRP(points, demands, unlimited.capacity, route_limit=limit, **made)
    return problem.penalised(load=price_of_demand(problem) / 2, duration=2) if soft else problem


@pytest.mark.usefixtures("clock")  # levels of acceptance depend on the ends of launches
@pytest.mark.parametrize(("name", "soft"), diagonal(SEARCHES, [False, True]))
def test_the_unit_of_lengths_makes_no_difference(name, soft):
    rows = []
    for exponent in (0, -30, -60):
        problem = small_lengths(exponent, soft=soft)
        starts = gls.savings(problem, size=4, seed=3, backend="cpu")
        found = SEARCHES[name](problem, starts, seed=1, budget=BUDGETS[name], backend="cpu")
        assert soft or problem.feasible(found.tours).all()
        rows.append(found.tours)
    np.testing.assert_array_equal(rows[1], rows[0])
    np.testing.assert_array_equal(rows[2], rows[0])


# ---- All tours of few customers ------------------------------------------------------------------


ZERO, ONE_PLACE = np.zeros((8, 2)), np.ones((8, 2))
ON_A_LINE = np.c_[[0, 0, 0, 5, 5, 0, 9, 9], np.zeros(8)]
AT_RANDOM = np.random.default_rng(1).random((8, 2))
HUGE = np.random.default_rng(2).integers(0, 2, (8, 2)) * 2.0**28
SMALL_DEMANDS = {"none": [0] * 7, "just fit": [3, 1, 1, 2, 3, 2, 3], "large": [2**27] * 7}
SMALL_PLACES = {
    "zero": ZERO,
    "one place": ONE_PLACE,
    "on a line": ON_A_LINE,
    "near": AT_RANDOM * 1e-9,
    "far": HUGE,
}


@pytest.mark.parametrize(
    ("points", "limited", "demands"),
    in_pairs(SMALL_PLACES, [False, True], SMALL_DEMANDS),
)
def test_few_customers_are_served_at_the_least_cost(points, limited, demands):
    for customers, metric in itertools.product((1, 2, 4, 7), ("EUC", "EUC_2D")):
        wanted = [0, *SMALL_DEMANDS[demands][:customers]]
        capacity = max(1, *wanted)
        vehicles = max(1, -(-sum(wanted) // capacity))
        some = SMALL_PLACES[points][: customers + 1]
        made = {"metric": metric, "vehicles": vehicles, "copies": max(3, vehicles)}
        problem = gls.CVRP(some, wanted, capacity, **made)
        if limited:
            alone = giant_tours.durations_alone(problem.nodes, problem.service_times)
            limit = alone.max().item()
            problem = gls.CVRP(some, wanted, capacity, route_limit=limit, **made)
        found, least = gls.solve(problem, seconds=0.05), best_cost(problem)
        if least < math.inf:
            assert problem.feasible(found.best_tour)[0]
            assert problem.cost(found.best_tour)[0] == pytest.approx(least, rel=1e-12, abs=0)


def test_tiny_problems_of_every_kind_end_at_their_optimum():
    random = np.random.default_rng(3)
    matrix = random.integers(1, 99, (6, 6))
    for problem in (
        TSP([(0, 0)]),
        TSP(random.random((2, 2)), "EUC"),
        TSP(random.random((7, 2)) * 99),
        TSP.from_matrix(matrix),
        gls.OpenPath(TSP(random.random((6, 2)) * 99), first=1).tsp,
        TSP(random.random((6, 2)) * 99).under(some_loads(6)),
    ):
        rows = np.array(list(itertools.permutations(range(problem.n))), np.int32)
        found = gls.solve(problem, seconds=0, population=3)
        assert found.costs[0] == pytest.approx(problem.cost(rows).min(), rel=1e-12)
        assert len(found.tours) == 3 and (np.diff(found.costs) >= 0).all()
        np.testing.assert_array_equal(found.costs, problem.cost(found.tours))


# ---- Prices --------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [0.0, 1e-300, 1.0, 1e17])
@pytest.mark.parametrize("demand", [0, 1, 2**31 - 1])
def test_prices_are_positive_and_finite(scale, demand):
    problem = gls.CVRP(np.eye(3, 2) * scale, [0, demand, demand], 2**31 - 1, metric="EUC")
    price = price_of_demand(problem)
    assert 0 < price < math.inf
    soft = problem.penalised(load=price)
    over = soft.tsp.objective.weights(1 / 64).view(problem.cost_dtype)[0]
    assert over > 0 and soft.penalties.load == price


def test_prices_of_integers_stay_below_what_sums_can_hold():
    problem = gls.CVRP([(0, 0), (1, 0)], [0, 1], 1)
    with pytest.raises(InvalidParameterError, match=r"load: .* is not between"):
        problem.penalised(load=2 * MAX_PRICE)


def test_violations_may_cost_nothing():
    problem = gls.CVRP([(0, 0), (3, 0), (4, 0)], [0, 1, 1], 1, vehicles=2).penalised(load=0)
    row = problem.tour([[1, 2]])
    assert problem.tsp.cost(row) == problem.cost(row) and not problem.feasible(row)[0]
    found = gls.LocalSearch([gls.Relocate(1)], gls.All())(problem, row[np.newaxis])
    assert found.costs[0] == problem.cost(row)[0]


# ---- Limits that a duration just keeps -----------------------------------------------------------


def limits_beside(duration):
    """Yield limits that a duration just keeps, or just exceeds, with various rounding errors."""
    for tolerance in (0, giant_tours.TOLERANCE / 2, giant_tours.TOLERANCE):
        at = duration / (1 + tolerance)
        for ulps in range(-3, 4):
            yield at + ulps * math.ulp(at)


def test_a_customer_that_can_be_served_alone_gets_a_route(monkeypatch):
    lengths = TSP.lengths
    random, made = np.random.default_rng(7), 0
    for _ in range(40):
        out, back, service = random.random(3) * 9
        for limit in limits_beside((out + back) + service):
            monkeypatch.setattr(TSP, "lengths", bounded(lengths, 50))
            matrix, given = [[0, out], [back, 0]], {"service_times": [0, service]}
            try:
                problem = gls.CVRP.from_matrix(matrix, [0, 1], 5, route_limit=limit, **given)
            except InvalidProblemError:
                continue
            made += 1
            assert problem.simple_routes() == [[1]]
            assert problem.feasible(problem.tour([[1]]))[0]
    assert made > 40 * 7


def bounded(function, most):
    """Return a function that fails after `most` calls, so that an endless loop ends."""
    calls = itertools.count()

    def called(*given):
        assert next(calls) < most, "it does not end"
        return function(*given)

    return called


def test_constructions_keep_limits_equal_to_durations_of_routes():
    constructions = (gls.savings, gls.cheapest_insertion, gls.sweep)
    for seed in range(12):
        random = np.random.default_rng(seed)
        points, services = random.random((9, 2)), np.r_[0, random.random(8)]
        made = {"metric": "EUC", "service_times": services}
        problem = gls.CVRP(points, np.r_[0, np.ones(8, int)], 9, **made)
        alone = giant_tours.durations_alone(problem.nodes, services)
        route = [[*range(1, 5)], [*range(5, 9)]]
        longest = problem.route_sums(problem.tour(route)).durations.max()
        for limit in limits_beside(max(longest, alone.max())):
            try:
                limited = gls.CVRP(points, problem.demands, 9, route_limit=limit, **made)
            except InvalidProblemError:
                continue
            orders = np.arange(1, 9)
            rows = [construct(limited, seed=1, backend="cpu")[0] for construct in constructions]
            rows += [gls.split(limited, orders, backend="cpu")[0]]
            rows += [limited.tour(limited.simple_routes())]
            assert limited.feasible(np.stack(rows)).all()


@pytest.mark.parametrize("limit", [2.0**62, 2**70, 1e300, 10**300])
def test_huge_limits_change_nothing(limit):
    for metric in ("EUC", "EUC_2D"):
        problem = gls.CVRP([(0, 0), (9, 0)], [0, 1], 1, metric=metric, route_limit=limit)
        assert problem.feasible(problem.tour([[1]]))[0]
        assert gls.solve(problem, seconds=0).best_cost == 18
        assert gls.savings(problem, backend="cpu").shape == (1, problem.n)

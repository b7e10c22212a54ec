"""Time that is up at any point of a search: complete rows with exact costs, and no error."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.budget import Budget, Stopwatch
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.runs.settings import Request, Settings
from gpu_ls_plugin.solver.plans import default_settings
from gpu_ls_plugin.tours.engines import engines
from gpu_ls_plugin.tours.plan.first_stages import first_tour_stage, nearest_neighbour_tour
from gpu_ls_plugin.tours.plan.preparation import with_lists
from tests.helpers.clock import JumpingClock
from tests.helpers.marks import slow_after
from tests.tours.objectives.third_party import some_loads

READINGS = [*range(14), 18, 25, 36]
LONG, SHORT = 20.0, 0.02  # seconds
STEPS = 400  # readings after which a clock without jumps reaches the end
RANDOM = np.random.default_rng(0)


def matrix(n, *, symmetric=True):
    lengths = RANDOM.integers(1, 100, (n, n))
    return lengths + lengths.T if symmetric else lengths


def routed(customers, **more):
    points, demands = RANDOM.random((customers + 1, 2)) * 100, RANDOM.integers(1, 9, customers)
    return gls.CVRP(points, np.r_[0, demands], 20, **more)


def points(n):
    return RANDOM.random((n, 2)) * 100


TOURS = {
    "plane": gls.TSP(points(30)),
    "matrix": gls.TSP.from_matrix(matrix(12)),
    "asymmetric": gls.TSP.from_matrix(matrix(12, symmetric=False)),
    "one city": gls.TSP([(0, 0)]),
    "two cities": gls.TSP.from_matrix(matrix(2, symmetric=False)),
    "three cities": gls.TSP(points(3)),
    "objective": gls.TSP(points(12)).under(some_loads(12)),
    "real": gls.TSP.from_matrix(matrix(12) + 0.5),
    "geographical": gls.TSP(np.floor(points(12)) / 2, "GEO"),
    "path": gls.OpenPath(gls.TSP(points(12))).tsp,
    "long": gls.TSP(points(13_000)),
}
ROUTES = {
    "routes": routed(10),
    "limited": routed(10, route_limit=400, vehicles=10),
    "one customer": routed(1),
    "two customers": routed(2, vehicles=2),
    "soft": routed(10, route_limit=400).penalised(load=3, duration=2),
    "real routes": routed(10, metric="EUC", route_limit=400.5),
    "directed routes": gls.CVRP.from_matrix(matrix(9, symmetric=False), [0, *[2] * 8], 5),
}
LISTS = gls.Nearest(8)
OR_OPT = gls.LocalSearch([gls.OrOpt(3)], LISTS)
ROUTE_MOVES = gls.LocalSearch([gls.RouteMoves()], LISTS)
LINKED = gls.IteratedLocalSearch(
    ROUTE_MOVES, gls.StringRemoval(), cooperation=gls.PricedMigration()
)
TOUR_SEARCHES = {
    "descent": OR_OPT,
    "chains": gls.IteratedLocalSearch(OR_OPT, gls.DoubleBridge()),
    "crossed": gls.IteratedLocalSearch(OR_OPT, cooperation=gls.EdgeAssembly()),
    "symmetrised": gls.Symmetrised(),
}
ROUTE_SEARCHES = {
    "moves": ROUTE_MOVES,
    "linked": LINKED,
    "generations": gls.HybridGeneticSearch(size=4, children=4),
    "parts": gls.Decomposed(LINKED, customers=5),
}


@pytest.fixture
def clock(monkeypatch):
    return JumpingClock(monkeypatch)


def each_end(clock, seconds, search):
    """Yield the result of a search for each number of readings after which time is up."""
    for readings in READINGS if seconds < LONG else READINGS[1::3]:
        clock.wind(seconds / STEPS, readings)
        yield search()
        if not clock.jumped:
            return


def check(problem, found):
    """Check that rows are complete and costs exact; return infeasibility and best cost."""
    rows = problem.check(found.tours)
    assert len(rows) == len(found.costs) > 0
    np.testing.assert_array_equal(found.costs, problem.cost(rows))
    feasible = problem.feasible(rows)
    return (not feasible.any(), found.costs[feasible].min() if feasible.any() else np.inf)


@pytest.mark.parametrize("seconds", [SHORT, LONG])
@pytest.mark.parametrize("kind", slow_after(2, list(TOURS)))
def test_a_solve_of_tours_ends_at_any_reading(clock, kind, seconds):
    problem = TOURS[kind]
    for found in each_end(clock, seconds, lambda: gls.solve(problem, seconds, backend="cpu")):
        cost = check(problem, found)
        if problem.matrix is not None and seconds == SHORT:
            assert cost <= (False, problem.cost(nearest_neighbour_tour(problem.matrix))[0])


@pytest.mark.parametrize("seconds", [SHORT, LONG])
@pytest.mark.parametrize("kind", slow_after(2, list(ROUTES)))
def test_a_solve_of_routes_ends_at_any_reading(clock, kind, seconds):
    problem = ROUTES[kind]
    built = gls.savings(problem, seed=1, backend="cpu")
    for found in each_end(clock, seconds, lambda: gls.solve(problem, seconds, backend="cpu")):
        cost = check(problem, found)
        assert not problem.feasible(built)[0] or cost <= (False, problem.cost(built)[0])


@pytest.mark.parametrize("n", [1, 2, 3, 40])
def test_the_first_tour_of_a_matrix_is_its_nearest_neighbour_tour(n):
    problem = gls.TSP.from_matrix(RANDOM.integers(0, 9, (n, n)))  # with many ties
    usual = gls.nearest_neighbour(problem, backend="cpu")[0]
    np.testing.assert_array_equal(nearest_neighbour_tour(problem.matrix), usual)


def test_many_instances_end_at_any_reading(clock):
    problems = [TOURS["plane"], TOURS["one city"], TOURS["three cities"], TOURS["plane"]]
    for seconds in (SHORT, LONG):
        for found in each_end(clock, seconds, lambda: gls.solve_many(problems, seconds, seed=1)):
            for problem, tour, cost in zip(problems, found.tours, found.costs, strict=True):
                assert problem.cost(tour) == cost


CASES = [(name, "plane") for name in TOUR_SEARCHES]
CASES += [(name, "routes") for name in ROUTE_SEARCHES]
CASES += [(name, kind) for name in TOUR_SEARCHES for kind in list(TOURS)[1:-1]]
CASES += [(name, kind) for name in ROUTE_SEARCHES for kind in list(ROUTES)[1:]]


@pytest.mark.parametrize(("name", "kind"), slow_after(6, CASES))
def test_a_search_ends_at_any_reading_and_without_a_budget(clock, name, kind):
    problem, search = {**TOURS, **ROUTES}[kind], {**TOUR_SEARCHES, **ROUTE_SEARCHES}[name]
    start = gls.savings if kind in ROUTES else gls.random_tours
    rows = start(problem, size=4, seed=1, backend="cpu")
    paid = (problem.tsp or problem).cost  # with penalties for soft constraints

    def within(**budget):
        return search(problem, rows, budget=Budget(**budget), backend="cpu")

    try:
        nothing = [within(**{limit: 0}) for limit in ("seconds", "kicks", "moves")]
    except UnsupportedProblemError as error:
        pytest.skip(str(error))
    for found in chain(nothing, each_end(clock, SHORT, lambda: within(seconds=SHORT))):
        check(problem, found)
        assert paid(found.tours).min() <= paid(rows).min()


def test_restarts_end_at_any_reading(clock):
    search, budget = gls.RandomRestarts(OR_OPT, 5), Budget(seconds=SHORT)
    for kind in ("plane", "one city", "two cities", "objective"):
        for found in each_end(clock, SHORT, lambda: search(TOURS[kind], budget=budget)):
            check(TOURS[kind], found)


def test_only_short_runs_begin_with_one_tour():
    def begins(problem, seconds, **more):
        given = Settings(seconds, backend="cpu", **more)
        request = Request(given, get_backend("cpu"))
        return first_tour_stage(problem, request, default_settings(problem, given)) is not None

    large = gls.TSP.from_matrix(matrix(400))
    assert begins(TOURS["matrix"], 0.01) and not begins(TOURS["matrix"], 1)
    assert begins(large, 0.1) and not begins(large, 1)
    assert not begins(large, 0.1, start="nearest_neighbour") and not begins(large, 0.1, kicks=1)


def test_lists_of_a_matrix_depend_on_its_size_and_the_time():
    small, large = TOURS["matrix"], gls.TSP.from_matrix(matrix(1200))

    def lists(problem, seconds):
        given = Settings(seconds, backend="cpu")
        return default_settings(problem, given).search.search.candidates

    assert lists(small, 1) == lists(large, 4) == gls.Alpha(5)
    assert lists(large, 0.7) == gls.Nearest(8)


@pytest.mark.parametrize("asked", [None, "two_opt/alpha(5)"])
def test_nearest_cities_replace_lists_that_take_too_long(monkeypatch, asked):
    given, waited = Settings(4.0, backend="cpu", search=asked), []

    def never(search, backend, problem, seconds):
        waited.append((search.candidates, round(seconds, 1)))
        return False

    monkeypatch.setattr(engines, "ready", never)
    search, watch = default_settings(TOURS["matrix"], given).search, Stopwatch.of(4.0)
    found = with_lists(search, TOURS["matrix"], "cpu", watch, flexible=asked is None)
    listed = found.search.candidates
    if asked is None:
        assert waited == [(gls.Alpha(5), 2.0), (gls.Nearest(8), 4.0)]
        assert listed == gls.Nearest(8)
    else:
        assert waited == [(gls.Alpha(5), 4.0)] and listed == gls.Alpha(5)


def test_no_seconds_are_left_when_time_is_up(clock):
    for readings in range(3):
        clock.wind(0.0, readings)
        watch = Stopwatch.of(1.0)
        assert watch.left >= 0 and watch.rest.seconds >= 0
    clock.wind(0.0, 1)
    watch = Stopwatch.of(1.0)
    assert watch.ahead < 0 == watch.left

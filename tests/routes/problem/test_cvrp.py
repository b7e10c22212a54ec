"""Vehicle routing problems: giant tours, the referee, wrong problems and wrong tours."""

from __future__ import annotations

import copy
import itertools
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
)
from tests.helpers.calls import calls_of
from tests.helpers.routing import KINDS, giant_tours, plain_violations, random_cvrp

INF, NAN = float("inf"), float("nan")
POINTS = [(0, 0), (0, 3), (0, 5), (4, 0)]
DEMANDS = [0, 2, 2, 3]
SQUARE = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
ALL_KINDS = pytest.mark.parametrize("kind", list(KINDS))


def small(**more):
    given = {"coordinates": POINTS, "demands": DEMANDS, "capacity": 4, "vehicles": 3}
    return gls.CVRP(**given | more)


@st.composite
def problems(draw):
    kind = draw(st.sampled_from(sorted(KINDS)))
    return random_cvrp(kind, draw(st.integers(1, 12)), draw(st.integers(0, 2**32 - 1)))


@st.composite
def problems_with_rows(draw, size=4):
    problem = draw(problems())
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return problem, np.stack([random.permutation(problem.n) for _ in range(size)]), random


def plain_routes(problem, row):
    """Return the routes of a giant tour, also empty ones, by a walk from a copy of the depot."""
    row = [0 if node > problem.customers else int(node) for node in row]
    row = row[row.index(0) :] + row[: row.index(0)]
    routes = []
    for node in row:
        if node == 0:
            routes.append([])
        else:
            routes[-1].append(node)
    return routes


def plain_length(problem, route):
    stops = [0, *route, 0] if route else []
    return sum(problem.nodes.distance(a, b).item() for a, b in itertools.pairwise(stops))


def shuffled(problem, row, random):
    """Return another giant tour with the same routes."""
    routes = plain_routes(problem, row)
    random.shuffle(routes)
    if problem.reversible:
        routes = [route[::-1] if random.random() < 0.5 else route for route in routes]
    depots = random.permutation([0, *range(problem.customers + 1, problem.n)]).tolist()
    cities = [node for route in routes for node in (depots.pop(), *route)]
    return np.roll(cities, random.integers(problem.n))


# the referee


@settings(deadline=None)
@given(problems_with_rows())
def test_the_referee_is_a_walk_along_the_routes(given_rows):
    problem, rows, _ = given_rows
    costs, violations = problem.cost(rows), problem.violations(rows)
    sums = problem.route_sums(rows)
    assert costs.dtype == problem.cost_dtype
    for number, row in enumerate(rows):
        routes = plain_routes(problem, row)
        lengths = [plain_length(problem, route) for route in routes]
        assert costs[number] == pytest.approx(sum(lengths), rel=1e-12)
        assert sums.customers[number].tolist() == [len(route) for route in routes]
        assert sums.loads[number].tolist() == [int(problem.demands[r].sum()) for r in routes]
        services = [problem.service_times[route].sum() for route in routes]
        np.testing.assert_allclose(sums.costs[number], lengths, rtol=1e-12)
        np.testing.assert_allclose(sums.durations[number], np.add(lengths, services), rtol=1e-12)
        if problem.integer:
            assert costs[number] == sum(lengths)
        load, duration, vehicles = plain_violations(problem, row)
        assert violations.load[number] == load and violations.vehicles[number] == vehicles
        assert violations.duration[number] == pytest.approx(duration, abs=1e-6)
        others = any(excess[number] > 0 for excess in violations.resources.values())
        broken = bool(load or vehicles or duration > 1e-6 or others)
        assert problem.feasible(rows)[number] == (not broken)
        assert bool(problem.complaints(row)) == broken
        kept = [route for route in routes if route]
        assert problem.routes(row) == kept
        again = problem.tour([[], *kept])
        assert again.dtype == np.int32 and again.shape == (problem.n,)
        assert problem.routes(again) == kept
        assert problem.cost(again)[0] == pytest.approx(costs[number], rel=1e-12)


def test_violations_by_hand():
    problem = small(route_limit=11, service_times=1, copies=4, vehicles=2)
    # 0-1-2-0: length 3 + 2 + 5, two services; 0-3-0: 4 + 4 and one.
    row = problem.tour([[1, 2], [3]])
    assert problem.cost(row) == [18]
    assert problem.complaints(row) == ["route 1: duration 12, 1 more than 11"]
    row = problem.tour([[3, 1], [2]])  # load 5; 4 + 5 + 3 and two services; 5 + 5 and one
    found = problem.violations(row)
    assert (found.load, found.duration, found.vehicles) == ([1], [3], [0])
    assert problem.complaints(row) == [
        "route 1: load 5, 1 more than 4",
        "route 1: duration 14, 3 more than 11",
    ]
    row = problem.tour([[1], [2], [3]])
    assert problem.complaints(row) == ["3 routes, 1 more than the fleet of 2"]
    assert problem.violations(row).vehicles.tolist() == [1]
    assert not problem.feasible(row)[0]


def test_rounding_alone_breaks_no_limit():
    # Out, back and service add up to a little more than 0.3.
    made = {"metric": "EUC", "service_times": 0.1}
    problem = gls.CVRP([(0, 0), (0.1, 0)], [0, 1], 1, route_limit=0.3, **made)
    assert 0.1 + 0.1 + 0.1 > 0.3 and problem.feasible([0, 1])[0]
    with pytest.raises(InvalidProblemError, match=r"takes 0\.3, more than 0\.2999"):
        gls.CVRP([(0, 0), (0.1, 0)], [0, 1], 1, route_limit=0.2999, **made)


# giant tours


@settings(deadline=None)
@given(problems_with_rows())
def test_the_same_routes_are_one_row(given_rows):
    problem, rows, random = given_rows
    others = np.stack([shuffled(problem, row, random) for row in rows])
    once = problem.canonical(rows)
    np.testing.assert_array_equal(once, problem.canonical(others))
    np.testing.assert_array_equal(once, problem.canonical(once))
    np.testing.assert_allclose(problem.cost(once), problem.cost(rows), rtol=1e-12)
    for row, other in zip(rows, others, strict=True):
        assert problem.difference(row)(other) == 0
        written = [
            r[::-1] if problem.reversible and r[-1] < r[0] else r for r in problem.routes(row)
        ]
        np.testing.assert_array_equal(problem.canonical(row)[0], problem.tour(sorted(written)))


@settings(deadline=None)
@given(problems_with_rows())
def test_other_routes_differ(given_rows):
    problem, rows, _ = given_rows
    canonical = problem.canonical(rows)
    for a in range(len(rows)):
        apart = problem.difference(rows[a])
        for b in range(len(rows)):
            assert (apart(rows[b]) == 0) == (canonical[a] == canonical[b]).all()
            assert 0 <= apart(rows[b]) <= 1


def test_difference_counts_edges():
    problem = small()
    row = problem.tour([[1, 2], [3]])
    apart = problem.difference(row)
    assert apart(problem.tour([[2, 1], [3]])) == 0
    assert apart(problem.tour([[1], [2], [3]])) == 2 / 6  # the ways back from 1 and out to 2
    directed = gls.CVRP.from_matrix(np.arange(16).reshape(4, 4), DEMANDS, 4, vehicles=3)
    assert directed.difference(row)(directed.tour([[2, 1], [3]])) == 3 / 5


def test_no_method_loops_over_rows():
    problem = random_cvrp("real duration", 400)
    rows = np.stack([np.random.default_rng(seed).permutation(problem.n) for seed in range(1000)])
    for method in (problem.cost, problem.violations, problem.canonical, problem.feasible):
        assert calls_of(lambda method=method: method(rows)) < len(rows)


# problems


@ALL_KINDS
def test_copies_and_pickles(kind):
    problem = random_cvrp(kind, 8)
    assert copy.copy(problem) is problem and copy.deepcopy(problem) is problem
    for original in (problem, problem.penalised(load=3, vehicles=7)):
        made = pickle.loads(pickle.dumps(original))
        for name in (
            *("n", "customers", "vehicles", "fleet", "copies", "capacity", "name", "comment"),
            *("route_limit", "optimum", "integer", "symmetric", "penalties"),
        ):
            assert getattr(made, name) == getattr(original, name), name
        rows = np.stack([np.random.default_rng(1).permutation(problem.n)])
        assert made.cost(rows) == original.cost(rows)
        assert made.tsp.cost(rows) == original.tsp.cost(rows)


def test_problems_do_not_change():
    demands = np.array(DEMANDS)
    problem = gls.CVRP(POINTS, demands, 4)
    demands[1] = 9
    assert problem.demands.tolist() == DEMANDS
    for array in (problem.demands, problem.service_times, problem.nodes.coordinates):
        with pytest.raises(ValueError, match="read-only"):
            array[1] = 7
    for change in (lambda: setattr(problem, "capacity", 5), lambda: delattr(problem, "capacity")):
        with pytest.raises(AttributeError, match="immutable"):
            change()


def test_an_unlimited_fleet_suffices():
    assert small(vehicles=None).vehicles == 3  # no more than customers
    some = random_cvrp("capacity", 60)
    problem = gls.CVRP(some.nodes.coordinates, some.demands, 25)
    assert problem.vehicles >= 3 + 1.3 * problem.demands.sum() / 25
    crowded = gls.CVRP(POINTS, [0, 1, 1, 1], 3, route_limit=10)
    assert crowded.vehicles == crowded.copies == 3 and crowded.fleet is None
    assert "3 customers, EUC_2D, capacity 3, route limit 10" in repr(crowded)
    large = small(vehicles=10**9)  # more vehicles than customers need no copies
    assert (large.vehicles, large.copies, large.n) == (10**9, 3, 6)


def test_service_times_and_limits():
    assert small(service_times=2).service_times.tolist() == [0, 2, 2, 2]
    assert small(service_times=[0, 1, 2, 3]).service_times.dtype == np.int64
    assert small(service_times=0.5).service_times.dtype == np.float64
    assert small(route_limit=12.7).route_limit == 12  # durations are integers
    assert small(route_limit=12.7, service_times=0.5).route_limit == 12.7


@pytest.mark.parametrize("unit", [1, 0.1])
def test_a_customer_may_be_in_time_only_behind_another_one(unit):
    """The triangle inequality is broken: 0, 1, 2 takes 10, and 0, 2 takes 25."""
    matrix = np.array([[0, 5, 25], [5, 0, 5], [10, 5, 0]]) * unit
    problem = gls.CVRP.from_matrix(matrix, [0, 1, 1], 2, route_limit=20 * unit, copies=2)
    tours = gls.split(problem, [[1, 2], [2, 1]], backend="cpu")
    assert [problem.routes(tour) for tour in tours] == [[[1, 2]], [[2], [1]]]
    assert problem.feasible(tours).tolist() == [True, False]
    assert gls.solve(problem, 0.1, backend="cpu").routes == [[1, 2]]
    with pytest.raises(InvalidProblemError, match="customer 2 alone takes"):
        gls.CVRP.from_matrix(matrix, [0, 1, 1], 2, route_limit=19 * unit)


def test_violations_of_soft_constraints_have_the_given_prices():
    problem = small(copies=4, vehicles=2).penalised(load=10, vehicles=1000)
    rows = np.stack([problem.tour([[1, 2, 3]]), problem.tour([[1], [2], [3]])])
    np.testing.assert_array_equal(problem.tsp.cost(rows) - problem.cost(rows), [30, 1000])


PROBLEM, PARAMETER, TYPE = InvalidProblemError, InvalidParameterError, InvalidTypeError


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"demands": [0, 2, 9, 3]}, PROBLEM, "demands: customer 2 demands 9, more than the capa"),
        ({"demands": [0, 2, -1, 3]}, PROBLEM, r"demands: entry 2 is -1, not in 0\.\."),
        ({"demands": [0, 2, 1.5, 3]}, PROBLEM, "demands: entry 2 is 1.5, not an integer; scale"),
        ({"demands": [0, NAN, 1, 3]}, PROBLEM, r"demands: entry \(1,\) is nan, not finite"),
        ({"demands": [1, 2, 2, 3]}, PROBLEM, "demands: entry 0, the depot's, is 1"),
        ({"demands": [0, 2, 2]}, PROBLEM, r"demands: shape \(3,\), but a .* 3 customers have \(4,"),
        ({"demands": list("0223")}, TYPE, "demands: entries must be numbers"),
        ({"coordinates": [], "demands": []}, PROBLEM, "coordinates: shape"),
        (
            {"coordinates": [(0, 0)], "demands": [0]},
            PROBLEM,
            "a depot alone; there are no",
        ),
        ({"capacity": 0}, PARAMETER, "capacity: 0 is not between 1 and"),
        ({"capacity": 4.5}, TYPE, "capacity: 4.5 is not an integer"),
        ({"vehicles": 0}, PARAMETER, "vehicles: 0 is not between 1 and"),
        ({"vehicles": 1}, PROBLEM, "1 of capacity 4 hold 4, .* demand 7; at least 2 are needed"),
        ({"copies": 2}, PARAMETER, "copies: 2 is not between 3 and"),
        (
            {"route_limit": 9},
            PROBLEM,
            "a route to customer 2 alone takes 10, more than 9",
        ),
        ({"route_limit": 10, "service_times": 1}, PROBLEM, "2 alone takes 11, more than 10"),
        ({"route_limit": -1}, PARAMETER, "route_limit: -1 is not at least 0"),
        ({"route_limit": INF}, PARAMETER, "route_limit: inf is not finite; leave it out"),
        ({"service_times": [0, 1, -1, 1]}, PROBLEM, "service_times: entry 2 is -1, less than 0"),
        (
            {"service_times": [1, 1, 1, 1]},
            PROBLEM,
            "the depot's, is 1, but a depot is not served",
        ),
        ({"service_times": NAN}, PROBLEM, "service_times: entry .* is nan, not finite"),
        ({"service_times": [0, 1]}, PROBLEM, r"service_times: shape \(2,\)"),
        ({"matrix": [[0, INF], [1, 0]]}, PROBLEM, r"matrix: entry \(0, 1\) is inf, not finite"),
        ({"matrix": [[0, -1], [1, 0]]}, PROBLEM, "matrix: "),
        ({"matrix": SQUARE[:2]}, PROBLEM, r"matrix: shape \(2, 3\)"),
    ],
)
def test_wrong_problems(changes, error, message):
    with pytest.raises(error, match=message) as raised:
        if "matrix" in changes:
            gls.CVRP.from_matrix(changes["matrix"], [0, 1], 1)
        else:
            small(**changes)
    assert raised.type is error and "\n" not in str(raised.value)


def test_wrong_penalties_and_rounding():
    with pytest.raises(InvalidParameterError, match="load: -1 is not between 0"):
        small().penalised(load=-1)
    with pytest.raises(InvalidParameterError, match=r"duration: 0\.5 is not an integer"):
        small().penalised(duration=0.5)
    with pytest.raises(InvalidParameterError, match="rounding: 'down' is not one of auto, nearest"):
        gls.CVRP.read("a.vrp", rounding="down")


WRONG_TOURS = {
    "too few copies": (
        [[0, 1, 2, 3, 4]],
        r"tours: shape \(1, 5\), but giant tours are \(P, 6\) or \(6,\): 3 customers and 3 copies "
        "of the depot; these have 2 of 3 copies",
    ),
    "too many copies": ([range(7)], r"3 customers and 3 copies of the depot$"),
    "no copies": ([[0, 1, 2]], "these have no copies"),
    "empty": ([], r"tours: shape \(0,\)"),
    "no rows": (np.empty((0, 6), int), r"tours: shape \(0, 6\)"),
    "three dimensions": (np.zeros((1, 1, 6), int), r"tours: shape \(1, 1, 6\)"),
    "a customer twice": ([[0, 1, 1, 3, 4, 5]], "row 0 is not a permutation: city 1 appears 2"),
    "a depot twice": ([[0, 1, 2, 3, 0, 5]], "row 0 is not a permutation: city 0 appears 2"),
    "out of range": ([[0, 1, 2, 3, 4, 6]], "row 0 holds city 6 at position 5"),
    "negative": ([[0, 1, 2, 3, 4, -1]], "row 0 holds city -1 at position 5"),
}


@pytest.mark.parametrize("method", ["check", "cost", "feasible", "violations", "canonical"])
@pytest.mark.parametrize("case", WRONG_TOURS)
def test_wrong_tours(case, method):
    tours, message = WRONG_TOURS[case]
    problem = small()
    given_tours = tours if isinstance(tours, np.ndarray) else [list(row) for row in tours]
    with pytest.raises(InvalidTourError, match=message):
        getattr(problem, method)(given_tours)


def test_tours_that_are_not_integers():
    with pytest.raises(InvalidTypeError, match="tours: cities must be integers"):
        small().cost(np.arange(6) + 0.5)


def test_routes_are_those_of_one_tour():
    problem = small()
    for method in (problem.routes, problem.complaints):
        with pytest.raises(InvalidTourError, match="tour: 2 rows; pass one of them"):
            method(np.stack([np.arange(6)] * 2))
    with pytest.raises(InvalidTourError, match="tour: 2 rows"):
        problem.write_solution(np.stack([np.arange(6)] * 2), Path("out.sol"))


@pytest.mark.parametrize(
    ("routes", "error", "message"),
    [
        ([[1, 2]], InvalidTourError, "customer 3 is not visited"),
        ([[1, 2], [2, 3]], InvalidTourError, "customer 2 is visited 2 times"),
        ([[1, 2, 3, -1]], InvalidTourError, r"-1 is not a customer 1\.\.3"),
        ([[0, 1], [2, 3]], InvalidTourError, r"0 is not a customer 1\.\.3"),
        ([[1, 2, 3, 4]], InvalidTourError, r"4 is not a customer 1\.\.3"),
        ([], InvalidTourError, "customer 1 is not visited"),
        ([[1.0, 2, 3]], InvalidTypeError, "routes: not lists of customers"),
        (["123"], InvalidTypeError, "routes: not lists of customers"),
        ([1, 2, 3], InvalidTypeError, "routes: not lists of customers"),
    ],
)
def test_wrong_routes(routes, error, message):
    with pytest.raises(error, match=message):
        small().tour(routes)
    with pytest.raises(InvalidTourError, match=r"3 of them, .* 2 copies .* copies=3"):
        small(vehicles=2).tour([[1], [2], [3]])


@pytest.mark.parametrize("kind", ["duration", "real duration"])
def test_the_same_problem_without_a_limit_of_durations(kind):
    problem = random_cvrp(kind, 20, 1)
    tours = giant_tours(problem, 10)
    untimed = problem.limited_by_load
    assert problem.penalised(load=3, duration=2).limited_by_load.penalties.load == 3
    assert untimed.route_limit is None
    assert (untimed.n, untimed.copies) == (problem.n, problem.copies)
    assert (untimed.cost(tours) == problem.cost(tours)).all()
    assert (untimed.violations(tours).load == problem.violations(tours).load).all()
    late = problem.violations(tours).duration > 0
    assert late.any() and untimed.feasible(tours)[late].any()


def test_levels_of_stretches_were_removed():
    problem = random_cvrp("capacity", 12)
    with pytest.warns(DeprecationWarning, match="with_hierarchy: .* remove the call"):
        assert problem.with_hierarchy(2, [4, 32]) is problem

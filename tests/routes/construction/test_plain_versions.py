"""Constructions against plain Python versions, and Split against all ways to cut an order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.routes.construction.sweep import customers_by_angle
from gpu_ls_plugin.tours.construction.random_tours import philox
from tests.helpers import route_oracle
from tests.helpers.examples import examples
from tests.helpers.instances import cvrp_instance
from tests.helpers.route_oracle import some_cvrp
from tests.helpers.routing import KINDS, random_cvrp, random_load, random_vrp

# savings

WITHOUT_FLEET = ["tight", *(kind for kind in KINDS if kind != "fleet")]


def test_savings_by_hand():
    # Two customers on either side of the depot, and one above. Savings: 3-4: 4 + 6 - 2 = 8, 1-2: 6,
    # 2-5: 5 + 4 - 6 = 3, 4-5: 6 + 4 - 7 = 3, 1-5 and 3-5: 2, all others: 0. Pair 2-5 fills its
    # route before pair 4-5 is tried.
    points = [(0, 0), (3, 0), (5, 0), (-4, 0), (-6, 0), (0, 4)]
    problem = gls.CVRP(points, [0, 1, 1, 1, 1, 1], 3)
    tours = gls.savings(problem, backend="cpu")
    assert problem.routes(tours[0]) == [[1, 2, 5], [3, 4]]
    assert problem.cost(tours).tolist() == [3 + 2 + 6 + 4 + 4 + 2 + 6]


@pytest.mark.parametrize("kind", WITHOUT_FLEET)
@examples(40)
@given(customers=st.integers(1, 40), seed=st.integers(0, 999), capacity=st.integers(9, 60))
def test_row_0_joins_like_the_plain_version(kind, customers, seed, capacity):
    problem = some_cvrp(kind, customers, seed, capacity)
    tour = gls.savings(problem, backend="cpu")
    expected = problem.tour(route_oracle.savings(problem))
    assert np.array_equal(problem.canonical(tour)[0], problem.canonical(expected)[0])


def test_further_rows_are_other_good_tours():
    problem = cvrp_instance("X/X-n200-k36")
    tours = gls.savings(problem, 40, seed=1, backend="cpu")
    costs = problem.cost(tours)
    assert len(np.unique(costs)) > 30
    assert costs.max() < 1.1 * 58578
    assert problem.feasible(tours).all()
    assert np.array_equal(gls.savings(problem, 7, seed=1, backend="cpu"), tours[:7])
    other = gls.savings(problem, 40, seed=2, backend="cpu")
    assert np.array_equal(other[0], tours[0])
    assert (other[1:] != tours[1:]).any(axis=1).all()


# cheapest insertion and sweeps

# Not "fleet": it may be too small for insertion. No real lengths: rounding decides their ties.
INTEGER = ("capacity", "duration", "tight", "directed", "directed duration", "windows", "two loads")
OPEN = {"parallel": range, "sequential": lambda routes: range(routes - 1, routes)}


@pytest.mark.parametrize("kind", INTEGER)
@pytest.mark.parametrize("order", OPEN)
@examples(25)
@given(customers=st.integers(1, 25), seed=st.integers(0, 999), capacity=st.integers(9, 60))
def test_row_0_inserts_the_cheapest_customer(kind, order, customers, seed, capacity):
    problem = some_cvrp(kind, customers, seed, capacity)
    tour = gls.cheapest_insertion(problem, order=order, backend="cpu")
    needed = -(-int(problem.demands.sum()) // capacity)
    at_once = needed if order == "parallel" else 1
    routes = route_oracle.cheapest_insertion(problem, at_once, OPEN[order])
    assert problem.routes(tour[0]) == routes


# Not "directed duration": after a negative detour, a customer may fit where it did not before.
WEIGHED = ("loads and windows", *(kind for kind in INTEGER if kind != "directed duration"))


@pytest.mark.parametrize("kind", WEIGHED)
@examples(25)
@given(customers=st.integers(1, 20), seed=st.integers(0, 999), capacity=st.integers(9, 60))
def test_solomon_weighs_detours_delays_and_distances(kind, customers, seed, capacity):
    problem = some_cvrp(kind.removeprefix("loads and "), customers, seed, capacity)
    if kind == "loads and windows":
        load = random_load(customers, np.random.default_rng(seed))
        problem = problem.with_resources(load, *problem.resources)
    tours = gls.cheapest_insertion(problem, 6, order="solomon", seed=seed, backend="cpu")
    for row, tour in enumerate(tours):
        assert problem.routes(tour) == route_oracle.solomon(problem, seed, row)


def test_delays_count_if_times_are_not_lengths():
    problem = random_vrp(40, durations=np.full((41, 41), 900.0))
    tours = gls.cheapest_insertion(problem, 64, order="solomon", backend="cpu")
    assert problem.feasible(tours).all()
    assert len(np.unique(tours, axis=0)) > 40


def test_orders_of_insertion_are_checked():
    with pytest.raises(InvalidParameterError, match="order: 'both'"):
        gls.cheapest_insertion(random_cvrp("capacity", 5), order="both", backend="cpu")


@pytest.mark.parametrize("kind", ["capacity", "duration", "tight", "windows", "two loads"])
@examples(40)
@given(customers=st.integers(1, 30), seed=st.integers(0, 999), capacity=st.integers(9, 60))
def test_sweeps_go_around_the_depot(kind, customers, seed, capacity):
    problem = some_cvrp(kind, customers, seed, capacity)
    around = customers_by_angle(problem.nodes.coordinates).tolist()
    tours = gls.sweep(problem, 20, seed=seed, backend="cpu")
    assert problem.routes(tours[0]) == route_oracle.sweep(problem, around)
    drawn = philox(seed).integers(0, 2 * customers, 19).tolist()
    for start, tour in zip(drawn, tours[1:], strict=True):
        way = [*around, *around][start % customers :][:customers]
        if start >= customers:
            way = [way[0], *way[:0:-1]]
        assert problem.routes(tour) == route_oracle.sweep(problem, way)


def test_rays_begin_behind_the_widest_gap():
    points = np.array([(0, 0), (-1, -1), (0, 1), (-1, 1), (0, 2)])
    assert customers_by_angle(points).tolist() == [2, 4, 3, 1]
    assert customers_by_angle(points + 7).tolist() == [2, 4, 3, 1]


def test_a_sweep_needs_coordinates():
    with pytest.raises(UnsupportedProblemError, match="problem: a sweep needs coordinates"):
        gls.sweep(random_cvrp("directed", 5), backend="cpu")


# Split


def orders(customers: int, size: int, seed: int = 0) -> np.ndarray:
    rows = np.tile(np.arange(1, customers + 1), (size, 1))
    return np.random.default_rng(seed).permuted(rows, axis=1)


def visited(problem: gls.CVRP, tour: np.ndarray) -> list[int]:
    return [customer for route in problem.routes(tour) for customer in route]


@pytest.mark.parametrize("kind", ["tight", *KINDS])
@examples(40)
@given(customers=st.integers(1, 8), seed=st.integers(0, 999), capacity=st.integers(9, 60))
def test_split_is_the_best_of_all_ways(kind, customers, seed, capacity):
    problem = some_cvrp(kind, customers, seed, capacity)
    rows = orders(customers, 3, seed)
    tours = gls.split(problem, rows, backend="cpu")
    for row, tour, found in zip(rows.tolist(), tours, problem.cost(tours), strict=True):
        best = route_oracle.best_cut(problem, row, problem.fleet or problem.copies)
        if best is None:
            assert problem.violations(tour).vehicles == 0
            assert problem.fleet is not None or problem.feasible(tour).all()
        else:
            assert found == pytest.approx(best, rel=1e-12)
            assert problem.feasible(tour).all()
            assert visited(problem, tour) == row


@examples(60)
@given(customers=st.integers(2, 8), most=st.integers(1, 8), seed=st.integers(0, 999))
def test_split_into_no_more_routes_than_vehicles(customers, most, seed):
    random = np.random.default_rng(seed)
    demands = np.r_[0, random.integers(0, 5, customers)]
    capacity = max(int(demands.max()), -(-int(demands.sum()) // most) + 1)
    # With the depot in the middle, short routes are cheap and negative savings common.
    matrix = random.integers(20, 60, (customers + 1, customers + 1))
    matrix[0] = matrix[:, 0] = 5
    np.fill_diagonal(matrix, 0)
    problem = gls.CVRP.from_matrix(matrix, demands, max(1, capacity), vehicles=most)
    (row,) = orders(customers, 1, seed).tolist()
    tour = gls.split(problem, row, backend="cpu")
    best = route_oracle.best_cut(problem, row, most)
    assert problem.violations(tour).vehicles == 0
    if best is not None:
        assert problem.cost(tour) == best
        assert problem.feasible(tour).all()
        assert visited(problem, tour[0]) == row


@pytest.mark.parametrize("kind", ["tight", *KINDS])
@examples(60)
@given(customers=st.integers(1, 8), seed=st.integers(0, 999), capacity=st.integers(9, 60))
def test_a_soft_split_pays_for_excess(kind, customers, seed, capacity):
    hard = some_cvrp(kind, customers, seed, capacity)
    load, duration, other = np.random.default_rng(seed).integers(0, 30, 3).tolist()
    others = {part.name: 1 + other for part in hard.resources}
    problem = hard.penalised(load=load, duration=duration, **others)
    rows = orders(customers, 3, seed)
    tours = gls.split(problem, rows, backend="cpu")
    if not problem.violations(tours).vehicles.any():
        most = problem.fleet or problem.copies
        for row, tour in zip(rows.tolist(), tours, strict=True):
            d = route_oracle.matrix(problem)
            paid = sum(
                route_oracle.cost(d, route) + route_oracle.due(problem, d, route)
                for route in problem.routes(tour)
            )
            assert paid == pytest.approx(route_oracle.best_cut(problem, row, most), rel=1e-12)
            assert visited(problem, tour) == row


def test_both_recursions_agree_if_durations_are_not_limited():
    problem = random_cvrp("capacity", 120, 3)
    places, demands = problem.nodes.coordinates, problem.demands
    limited = gls.CVRP(places, demands, problem.capacity, route_limit=10**6, copies=120)
    rows = orders(120, 10)
    tours = gls.split(problem, rows, backend="cpu")
    assert np.array_equal(gls.split(limited, rows, backend="cpu"), tours)


def test_the_way_back_to_the_depot_counts():
    windows = [(0, 90), (0, 90), (0, 90)]
    problem = gls.VRP([(0, 0), (30, 0), (0, 30)], [0, 1, 1], 2, windows=windows)
    assert len(problem.routes(gls.split(problem, [1, 2], backend="cpu")[0])) == 2
    cheap = problem.penalised(time_windows=1)  # 12 too late, but 18 shorter
    assert len(problem.routes(gls.split(cheap, [1, 2], backend="cpu")[0])) == 1


def test_customers_that_no_vehicle_can_serve_get_a_route_of_their_own():
    windows = gls.TimeWindows([(0, 90), (0, 90), (0, 20), (0, 90)])
    plain = gls.CVRP([(0, 0), (3, 0), (0, 30), (4, 0)], [0, 1, 1, 1], 3)
    problem = plain.with_resources(windows)
    (tour,) = gls.split(problem, [3, 2, 1], backend="cpu")
    assert problem.routes(tour) == [[3], [2], [1]]

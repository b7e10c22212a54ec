"""Split against all ways to cut an order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from tests.helpers import route_oracle
from tests.helpers.route_oracle import some_cvrp
from tests.helpers.routing import KINDS, random_cvrp


def orders(customers: int, size: int, seed: int = 0) -> np.ndarray:
    rows = np.tile(np.arange(1, customers + 1), (size, 1))
    return np.random.default_rng(seed).permuted(rows, axis=1)


def visited(problem: gls.CVRP, tour: np.ndarray) -> list[int]:
    return [customer for route in problem.routes(tour) for customer in route]


@pytest.mark.parametrize("kind", ["tight", *KINDS])
@settings(max_examples=40)
@given(customers=st.integers(1, 8), seed=st.integers(0, 999), capacity=st.integers(9, 30))
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


@settings(max_examples=60)
@given(customers=st.integers(2, 8), most=st.integers(1, 8), seed=st.integers(0, 999))
def test_split_into_as_many_routes_as_the_fleet_has_vehicles(customers, most, seed):
    random = np.random.default_rng(seed)
    demands = np.r_[0, random.integers(0, 5, customers)]
    capacity = max(int(demands.max()), -(-int(demands.sum()) // most) + 1)
    # The depot is in the middle, so that many routes are short, and negative savings usual.
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
@settings(max_examples=60)
@given(customers=st.integers(1, 8), seed=st.integers(0, 999), capacity=st.integers(9, 20))
def test_a_soft_split_pays_for_what_is_too_much(kind, customers, seed, capacity):
    hard = some_cvrp(kind, customers, seed, capacity)
    load, duration = np.random.default_rng(seed).integers(0, 30, 2).tolist()
    problem = hard.penalised(load=load, duration=duration)
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


def test_both_recursions_find_the_same_where_durations_are_not_limited():
    problem = random_cvrp("capacity", 120, 3)
    limited = gls.CVRP(
        problem.nodes.coordinates, problem.demands, problem.capacity, route_limit=10**6, copies=120
    )
    rows = orders(120, 10)
    tours = gls.split(problem, rows, backend="cpu")
    assert np.array_equal(gls.split(limited, rows, backend="cpu"), tours)


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ([[1, 2, 4]], InvalidTourError, "orders: "),
        ([[0, 1, 2]], InvalidTourError, "orders: "),
        ([[1, 2, 2]], InvalidTourError, "orders: .*city 3"),
        ([[1, 2]], InvalidTourError, r"orders: .*3"),
        ([[1.0, 2.5, 3.0]], InvalidTypeError, "orders: "),
    ],
)
def test_what_is_no_order(rows, error, words):
    problem = gls.CVRP([(0, 0), (1, 0), (2, 0), (3, 0)], [0, 1, 1, 1], 2)
    with pytest.raises(error, match=words):
        gls.split(problem, rows, backend="cpu")


def test_what_has_no_routes():
    with pytest.raises(UnsupportedProblemError, match=r"problem: .* has no routes; make a vehicle"):
        gls.split(gls.TSP(np.zeros((4, 2))), [[1, 2, 3]], backend="cpu")

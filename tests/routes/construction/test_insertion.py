"""Cheapest insertion and sweeps against plain versions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.routes.construction.sweep import customers_by_angle
from gpu_ls_plugin.tours.construction.random_tours import philox
from tests.helpers import route_oracle
from tests.helpers.route_oracle import some_cvrp
from tests.helpers.routing import random_cvrp

# Fleets may be too small for what insertion leaves, and real lengths tie by rounding alone.
INTEGER = ("capacity", "duration", "tight", "directed", "directed duration")
OPEN = {"parallel": range, "sequential": lambda routes: range(routes - 1, routes)}


@pytest.mark.parametrize("kind", INTEGER)
@pytest.mark.parametrize("order", OPEN)
@settings(max_examples=25)
@given(customers=st.integers(1, 25), seed=st.integers(0, 999), capacity=st.integers(9, 60))
def test_row_0_inserts_what_is_cheapest(kind, order, customers, seed, capacity):
    problem = some_cvrp(kind, customers, seed, capacity)
    tour = gls.cheapest_insertion(problem, order=order, backend="cpu")
    needed = -(-int(problem.demands.sum()) // capacity)
    at_once = needed if order == "parallel" else 1
    routes = route_oracle.cheapest_insertion(problem, at_once, OPEN[order])
    assert problem.routes(tour[0]) == routes


def test_insertion_has_two_orders():
    with pytest.raises(InvalidParameterError, match="order: 'both'"):
        gls.cheapest_insertion(random_cvrp("capacity", 5), order="both", backend="cpu")


@pytest.mark.parametrize("kind", ["capacity", "duration", "tight"])
@settings(max_examples=40)
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

"""Savings against a plain version over all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from tests.helpers import route_oracle
from tests.helpers.instances import cvrp_instance
from tests.helpers.route_oracle import some_cvrp
from tests.helpers.routing import KINDS

WITHOUT_FLEET = ["tight", *(kind for kind in KINDS if kind != "fleet")]


def test_savings_by_hand():
    # Two customers on either side of the depot, and one above. Savings: 3-4 4 + 6 - 2 = 8, 1-2 6,
    # 2-5 5 + 4 - 6 = 3, 4-5 6 + 4 - 7 = 3, 1-5 and 3-5 2, others 0. 4-5 comes after 2-5, whose
    # route is full then.
    points = [(0, 0), (3, 0), (5, 0), (-4, 0), (-6, 0), (0, 4)]
    problem = gls.CVRP(points, [0, 1, 1, 1, 1, 1], 3)
    tours = gls.savings(problem, backend="cpu")
    assert problem.routes(tours[0]) == [[1, 2, 5], [3, 4]]
    assert problem.cost(tours).tolist() == [3 + 2 + 6 + 4 + 4 + 2 + 6]


@pytest.mark.parametrize("kind", WITHOUT_FLEET)
@settings(max_examples=40)
@given(customers=st.integers(1, 40), seed=st.integers(0, 999), capacity=st.integers(9, 60))
def test_row_0_is_that_of_all_pairs(kind, customers, seed, capacity):
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

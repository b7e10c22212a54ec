"""Plans that combine routes of several plans are the cheapest ones that brute force finds."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin.routes.problem.giant_tours import most_routes
from gpu_ls_plugin.routes.searches.genetic import set_partitioning
from gpu_ls_plugin.routes.searches.genetic.set_partitioning import cheapest_plan, frequent_routes
from tests.helpers.examples import examples
from tests.helpers.routing import random_cvrp

if TYPE_CHECKING:
    import gpu_ls_plugin as gls

CUSTOMERS = 6


def random_plans(problem: gls.CVRP, seed: int, count: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    orders = (rng.permutation(CUSTOMERS) + 1 for _ in range(count))
    plans = np.array(
        [problem.tour(np.array_split(o, rng.integers(1, problem.copies + 1))) for o in orders]
    )
    return plans[problem.feasible(plans)]


@examples(60)
@given(st.integers(0, 10**6), st.integers(1, 8), st.sampled_from([None, 3, 4]))
def test_the_cheapest_plan_is_that_of_brute_force(seed, count, fleet):
    problem = random_cvrp("capacity", CUSTOMERS, seed, capacity=18)
    routes = frequent_routes(problem, random_plans(problem, seed, count))
    if fleet is not None and fleet >= problem.least_vehicles:
        problem = problem.with_fleet(fleet)
    costs = [
        sum(cost for cost, _ in plan)
        for size in range(1, min(most_routes(problem), len(routes)) + 1)
        for plan in combinations(routes, size)
        if sorted(c for _, route in plan for c in route) == list(range(1, CUSTOMERS + 1))
    ]
    least = min(costs, default=np.inf)
    if not routes:
        return
    for below in (1e9, least + 1, least):
        found = cheapest_plan(problem, routes, min(below, 1e9), 10.0)
        if least < below:
            assert found is not None
            assert problem.feasible(found).all()
            assert problem.cost(found)[0] == least
        else:
            assert found is None


def test_frequent_routes_come_first_in_their_cheapest_order(monkeypatch):
    problem = random_cvrp("capacity", CUSTOMERS)
    plans = [[[1, 2, 3], [4], [5], [6]], [[2, 1, 3], [4], [5, 6]], [[1, 2], [3], [4], [5, 6]]]
    rows = np.array([problem.tour(plan) for plan in plans])
    found = frequent_routes(problem, rows)
    assert [set(route) for _, route in found[:3]] == [{4}, {1, 2, 3}, {5, 6}]
    sums = problem.route_sums(rows[:2])
    costs = sums.costs[sums.customers == 3].tolist()
    assert found[1] == min(zip(costs, ([1, 2, 3], [2, 1, 3]), strict=True))
    monkeypatch.setattr(set_partitioning, "MOST", 2)
    assert len(frequent_routes(problem, rows)) == 2

"""Kicks of giant tours, alone and in chains."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.tours.engines.chains.start import Start
from tests.helpers.marks import slow_after
from tests.helpers.routing import KINDS, assert_exact_costs, giant_tours, random_cvrp

BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
STRINGS = gls.StringRemoval(6, 4)
LOCAL = gls.LocalSearch([gls.RouteMoves()], candidates=gls.Nearest(8))


def chains_with(accept):
    return gls.IteratedLocalSearch(LOCAL, STRINGS, accept)


@BOTH
@pytest.mark.parametrize("kind", KINDS)
def test_kicked_rows_are_giant_tours_that_remain_feasible(kind, backend):
    kick = STRINGS
    problem = random_cvrp(kind, 30, 1)
    tours = giant_tours(problem, 40, 2)
    before = tours.copy()
    kicked = kick.perturb(problem, tours, seed=3, backend=backend)
    assert (np.sort(kicked, axis=1) == np.arange(problem.n)).all()
    assert (tours == before).all()
    assert problem.feasible(kicked)[problem.feasible(tours)].all()
    assert (problem.canonical(kicked) != problem.canonical(tours)).any(axis=1).mean() > 0.7
    part = kick.perturb(problem, tours[5:9], seed=3, backend=backend, first_row=5)
    assert (part == kicked[5:9]).all()
    assert (kick.perturb(problem, tours, seed=3, backend=backend) == kicked).all()
    assert (kick.perturb(problem.tsp, tours, seed=3, backend=backend) == kicked).all()
    assert (kick.perturb(problem, tours, seed=4, backend=backend) != kicked).any()


def without(routes, customer):
    left = [[c for c in route if c != customer] for route in routes]
    return sorted(route for route in left if route)


@pytest.mark.parametrize("kind", ["capacity", "duration", "directed duration"])
def test_a_single_customer_goes_where_the_detour_is_shortest(kind):
    problem = random_cvrp(kind, 14, 5)
    tours = giant_tours(problem, 80, 6)
    tours = tours[problem.feasible(tours)]
    kicked = gls.StringRemoval(1, 1).perturb(problem, tours, seed=7, backend="cpu")
    cheapest = []
    for tour, other in zip(tours, kicked, strict=True):
        old, new = problem.routes(tour), problem.routes(other)
        moved = [c for c in range(1, 15) if without(old, c) == without(new, c)]
        assert moved
        if sorted(old) == sorted(new):
            continue  # any customer may have been removed
        rest = without(old, moved[0])
        options = [[*rest, [moved[0]]]]
        for number, route in enumerate(rest):
            for place in range(len(route) + 1):
                longer = [*route[:place], moved[0], *route[place:]]
                options.append([*rest[:number], longer, *rest[number + 1 :]])
        rows = np.stack([problem.tour(routes) for routes in options])
        least = problem.cost(rows)[problem.feasible(rows)].min()
        cheapest.append(problem.cost(other)[0] <= least)
    assert len(cheapest) > 10
    assert np.mean(cheapest) > 0.8  # kicks skip some places


@BOTH
def test_customers_near_the_depot_may_begin_or_end_any_route(backend):
    crowd = [(10, y) for y in range(34)]  # nearer to customer 37 than those of the far route
    problem = gls.CVRP([(0, 0), *crowd, (500, 0), (510, 0), (5, 0)], [0] + 37 * [1], 34)
    alone = problem.tour([[*range(1, 35)], [35, 36], [37]])
    kicked = gls.StringRemoval(1, 1).perturb(problem, np.tile(alone, (2000, 1)), backend=backend)
    routes = [problem.routes(tour) for tour in kicked]
    assert any({35, 37} <= {*route} for its in routes for route in its)
    assert problem.feasible(kicked).all()


QUICK = [("duration", False), ("real", True)]
SLOW = [("directed duration", True), ("fleet", False), ("real duration", False)]


@BOTH
@pytest.mark.parametrize(("kind", "soft"), slow_after(2, [*QUICK, *SLOW]))
def test_chains_know_the_costs_of_their_tours(kind, soft, backend):
    problem, where = random_cvrp(kind, 30, 1), get_backend(backend)
    problem = problem.penalised(load=3, duration=2, vehicles=50) if soft else problem
    starts = giant_tours(problem, 8, 2)
    search = chains_with(gls.Threshold(0.5))
    chains = search.chains(Start(where, problem.tsp, where.xp.array(starts), 3))
    assert type(chains).__name__ == "LinkedChains"
    for kicks in range(5, 80, 15):
        chains.advance(kicks, 0.5, 0.0, 60.0)
        assert_exact_costs(chains, problem)
        assert (where.to_numpy(chains.kicks) == kicks).all()
        best = problem.feasible(where.to_numpy(chains.best_tours))
        assert best[problem.feasible(starts)].all()


@BOTH
def test_chains_are_the_same_in_any_batch_and_launch(backend):
    problem = random_cvrp("duration", 40, 4)
    starts, search = giant_tours(problem, 6, 5), chains_with(gls.Threshold(0.5))
    options = {"seed": 9, "backend": backend, "budget": gls.Budget(kicks=60)}
    found = search(problem, starts, **options)
    part = search(problem, starts[2:4], first_row=2, **options)
    assert (part.tours == found.tours[2:4]).all()
    assert (found.costs <= search.search(problem, starts, backend=backend).costs).all()
    assert found.statistics.kicks == 60 * 6
    where = get_backend(backend)
    stretches = []
    for steps in ([60], [7, 31, 60]):
        chains = search.chains(Start(where, problem.tsp, where.xp.array(starts), 9))
        for until in steps:
            chains.advance(until, 0.0, 0.0, 60.0)
        stretches.append(where.to_numpy(chains.tours))
    assert (stretches[0] == stretches[1]).all()


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ["capacity", "duration", "fleet", "directed"])
def test_backends_agree(kind):
    problem, kick = random_cvrp(kind, 60, 9), gls.StringRemoval()
    starts = giant_tours(problem, 24, 10)
    kicked = [kick.perturb(problem, starts, seed=1, backend=b) for b in ("cpu", "cuda")]
    assert (kicked[0] == kicked[1]).all()
    budget = gls.Budget(kicks=40)
    search = gls.IteratedLocalSearch(LOCAL, kick, gls.BetterOrEqual())
    found = [search(problem, starts, seed=1, budget=budget, backend=b) for b in ("cpu", "cuda")]
    assert (found[0].tours == found[1].tours).all()


def test_kicks_that_change_no_cost_are_not_repaired():
    # A vehicle has room for one customer, so each kick gives all customers routes of their own.
    random = np.random.default_rng(1)
    cities, demands = random.integers(0, 100, (13, 2)), [0] + [5] * 12
    problem = gls.CVRP(cities, demands, 5)
    starts = gls.savings(problem, 4, backend="cpu")
    search = gls.IteratedLocalSearch(LOCAL, STRINGS)
    found = search(problem, starts, budget=gls.Budget(kicks=50), backend="cpu")
    once = LOCAL(problem, starts, backend="cpu")
    assert found.statistics.kicks == found.statistics.accepted == 200
    assert found.statistics.passes == once.statistics.passes


@pytest.mark.parametrize("customers", [1, 9])
def test_kicks_may_ask_for_more_customers_than_there_are(customers):
    problem = random_cvrp("capacity", customers, 3)
    tours = giant_tours(problem, 6, 4)
    kicked = gls.StringRemoval(32, 32).perturb(problem, tours, seed=1, backend="cpu")
    assert (np.sort(kicked, axis=1) == np.arange(problem.n)).all()
    assert problem.feasible(kicked).all()

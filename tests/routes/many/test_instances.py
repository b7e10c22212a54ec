"""Rows of many instances in single launches, compared with searches of each instance alone."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.routes.many.searches import InstanceChains, descend
from gpu_ls_plugin.tours.engines.chains.start import Start
from tests.helpers.many_routes import instances_of, least_cost, problems_of

BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
KINDS = pytest.mark.parametrize(
    ("metric", "grid"), [("EUC_2D", ""), ("EUC_2D", "shorts"), ("EUC", "reals")]
)
COUNT, CUSTOMERS = 4, 40
KICK = gls.StringRemoval(6, 4)


def chains_of(instances, tours, accept, seed=3, **options):
    start = Start(instances.backend, problems_of(1, 5)[0].tsp, tours, seed)
    return InstanceChains(instances, start, accept, KICK.arguments, **options)


@BOTH
@pytest.mark.parametrize("metric", ["EUC_2D", "EUC"])
def test_first_routes_are_simple_routes(metric, backend):
    problems = problems_of(COUNT, CUSTOMERS, metric)
    where = get_backend(backend)
    instances = instances_of(where, problems)
    first = instances.first_tours(replicas=2)
    costs = where.to_numpy(instances.costs(first)[0])
    for row, tour in enumerate(where.to_numpy(first)):
        problem = problems[row // 2]
        assert problem.routes(tour) == problem.simple_routes()
        assert costs[row] == problem.cost(tour)[0]


@KINDS
def test_descents_are_those_of_each_instance_alone(metric, grid):
    problems, where = problems_of(COUNT, CUSTOMERS, metric), get_backend("cpu")
    instances = instances_of(where, problems, grid)
    first = instances.first_tours()
    for moves in ([gls.RouteMoves()], [gls.RouteMoves(), gls.SwapStar()]):
        tours = first.copy()
        made = descend(instances, tours, neighbourhoods=moves)
        search = gls.LocalSearch(moves, gls.Nearest(32))
        for row, problem in enumerate(problems):
            alone = search(problem, first[row], backend="cpu")
            np.testing.assert_array_equal(tours[row], alone.best_tour)
            assert alone.statistics.moves == made[row] > 0
            assert problem.feasible(tours[row]).all()


@KINDS
def test_chains_are_those_of_each_instance_alone(metric, grid):
    problems, where = problems_of(COUNT, CUSTOMERS, metric), get_backend("cpu")
    instances, rows = instances_of(where, problems, grid), 3
    first = instances.first_tours(rows)
    search = gls.IteratedLocalSearch(
        gls.LocalSearch([gls.RouteMoves()], gls.Nearest(32)), KICK, gls.BetterOrEqual()
    )
    together = chains_of(instances, first.copy(), gls.BetterOrEqual())
    together.advance(90, 0.0, 0.0, 60.0)
    for number, problem in enumerate(problems):
        own = slice(number * rows, (number + 1) * rows)
        start = Start(where, problem.tsp, first[own].copy(), 3, own.start)
        alone = search.chains(start)
        alone.advance(90, 0.0, 0.0, 60.0)
        np.testing.assert_array_equal(together.best_tours[own], alone.best_tours)
        np.testing.assert_allclose(together.best_costs[own], alone.best_costs, rtol=1e-14)


@BOTH
@pytest.mark.parametrize("metric", ["EUC_2D", "EUC"])
def test_chains_know_the_costs_of_their_feasible_tours(metric, backend):
    problems, where = problems_of(COUNT, CUSTOMERS, metric, 5), get_backend(backend)
    instances = instances_of(where, problems)
    first = instances.first_tours(2)
    start = where.to_numpy(instances.costs(first)[0]).copy()
    chains = chains_of(instances, first, gls.Threshold(0.5))
    for kicks in (20, 60):
        chains.advance(kicks, 0.5, 0.0, 60.0)
        assert (where.to_numpy(chains.kicks) == kicks).all()
        for tours, costs in ((chains.tours, chains.costs), (chains.best_tours, chains.best_costs)):
            for row, tour in enumerate(where.to_numpy(tours)):
                problem = problems[row // 2]
                assert problem.feasible(tour).all()
                assert problem.cost(tour)[0] == pytest.approx(float(costs[row]), rel=1e-12)
    assert (where.to_numpy(chains.best_costs) < start).all()


@BOTH
@pytest.mark.parametrize("metric", ["EUC_2D", "EUC"])
def test_priced_chains_keep_feasible_best_tours(metric, backend):
    problems, where = problems_of(COUNT, CUSTOMERS, metric, 5), get_backend(backend)
    instances = instances_of(where, problems)
    first = instances.first_tours(2)
    start = where.to_numpy(instances.costs(first)[0]).copy()
    chains = chains_of(instances, first, gls.Threshold(0.5), prices=(1e9, 0.5))
    for kicks in (20, 60):
        chains.advance(kicks, 0.5, 0.0, 60.0)
        best = zip(where.to_numpy(chains.best_tours), chains.best_costs, strict=True)
        for row, (tour, cost) in enumerate(best):
            problem = problems[row // 2]
            assert problem.feasible(tour).all()
            assert problem.cost(tour)[0] == pytest.approx(float(cost), rel=1e-12)
    assert (where.to_numpy(chains.best_costs)[::2] < start[::2]).all()
    kept = [problems[r // 2].feasible(t)[0] for r, t in enumerate(where.to_numpy(chains.tours))]
    assert all(kept[::2])
    assert not any(kept[1::2])


def test_free_loads_cost_as_much_as_hard_limits():
    instances = instances_of(get_backend("cpu"), problems_of(COUNT, CUSTOMERS, "EUC"))
    weights = instances.soft(np.zeros(2 * COUNT, np.float32), (2.0,))["weights"]
    assert (weights[:, 0] >= 1 << 24).all()


@BOTH
@pytest.mark.parametrize("metric", ["EUC_2D", "EUC"])
@pytest.mark.parametrize("customers", [1, 2, 3, 5, 6])
def test_tiny_instances_reach_the_optimum(customers, metric, backend):
    problems, where = problems_of(4, customers, metric, 8), get_backend(backend)
    instances = instances_of(where, problems)
    tours = instances.first_tours(4)
    descend(instances, tours)
    chains = chains_of(instances, tours, gls.Threshold(0.5))
    chains.advance(100, 0.5, 0.0, 60.0)
    found = where.to_numpy(chains.best_costs).reshape(len(problems), 4)
    best = np.array([least_cost(problem) for problem in problems])
    assert (found >= best[:, np.newaxis] * (1 - 1e-12)).all()
    np.testing.assert_allclose(found.min(axis=1), best, rtol=1e-12)


def test_instances_may_limit_their_routes():
    problems, where = problems_of(2, 30), get_backend("cpu")
    used = [len(problem.simple_routes()) for problem in problems]
    limited = instances_of(where, problems, fleets=np.array(used))
    chains = chains_of(limited, limited.first_tours(4), gls.Always())
    chains.advance(200, 0.0, 0.0, 60.0)
    for row, tour in enumerate(chains.tours):
        assert len(problems[row // 4].routes(tour)) <= used[row // 4]

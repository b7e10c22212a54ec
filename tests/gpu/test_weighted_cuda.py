"""Searches of rows with different weights are the same on both backends."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.tours.fronts.front import Front
from gpu_ls_plugin.tours.fronts.pareto_search import ParetoLocalSearch
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs
from tests.helpers.both_backends import BACKENDS, assert_same_result, assert_same_rows
from tests.helpers.random_problems import random_problem, random_tours

pytestmark = pytest.mark.gpu

METRIC_LISTS = (["EUC_2D", "EUC_2D"], ["EUC", "CEIL_2D", "EXPLICIT"], ["EXPLICIT_REAL", "ATT"])
LISTS = gls.Nearest(6)


def weighted_problem(metrics, n, rows):
    parts = [random_problem(name, n, k, 900) for k, name in enumerate(metrics)]
    weights = np.random.default_rng(n).random((rows, len(parts))) + 0.01
    return gls.MultiObjectiveTSP(parts).weighted(weights)


@pytest.mark.parametrize("metrics", METRIC_LISTS)
@pytest.mark.parametrize("layout", ["warp", "block", "global"])
def test_descents(metrics, layout):
    problem, tours = weighted_problem(metrics, 90, 70), random_tours(90, 70)
    for moves in ([gls.TwoOpt(), gls.OrOpt(3)], [gls.LinKernighan()], [gls.ThreeOpt()]):
        search = gls.LocalSearch(moves, candidates=LISTS, layout=layout)
        assert_same_result(search, problem, tours)


@pytest.mark.parametrize("n", [30, 200, 6000])
def test_chains(n):
    problem, tours = weighted_problem(METRIC_LISTS[0], n, 40), random_tours(n, 40)
    search = gls.IteratedLocalSearch(gls.LocalSearch([gls.LinKernighan(3)], candidates=LISTS))
    budget = gls.Budget(kicks=100)
    assert_same_result(search, problem, tours, seed=2, budget=budget)


@pytest.mark.parametrize("layout", ["warp", "block", "global"])
def test_tchebycheff_distances(layout):
    parts = [random_problem("EUC_2D", 70, seed, 900) for seed in range(2)]
    problem, tours = gls.MultiObjectiveTSP(parts), random_tours(70, 50)
    weights = np.random.default_rng(0).random((50, 2)) + 0.01
    distant = problem.tchebycheff(weights, problem.cost(tours).min(axis=0) * 0.2)
    search = gls.LocalSearch([gls.LinKernighan(3)], candidates=LISTS, layout=layout)
    assert_same_result(search, distant, tours)
    iterated, budget = gls.IteratedLocalSearch(search), gls.Budget(kicks=60)
    assert_same_result(iterated, distant, tours, budget=budget)


@pytest.mark.parametrize("part", [gls.EdgeAssembly(), gls.PartitionRecombination()])
@pytest.mark.parametrize("metrics", METRIC_LISTS)
def test_crossovers(part, metrics):
    problem, search = weighted_problem(metrics, 80, 50), gls.LocalSearch(candidates=LISTS)
    first, second = (
        search(problem, random_tours(80, 50, seed), backend="cpu").tours for seed in (1, 2)
    )
    assert_same_rows(part.cross, problem, first, second, seed=3)


def test_costs_of_tours_on_the_device():
    cupy = pytest.importorskip("cupy")
    problem, tours = weighted_problem(METRIC_LISTS[1], 50, 9), random_tours(50, 9)
    expected = problem.cost(tours)
    assert np.allclose(problem.cost(cupy.asarray(tours)).get(), expected, rtol=1e-12)
    cuda = get_backend("cuda")
    with cuda.current():
        costs = tour_costs(cuda, problem, cupy.asarray(tours)).get()
    assert np.allclose(costs, expected, rtol=1e-12)
    found = gls.LocalSearch(candidates=LISTS)(problem, cupy.asarray(tours))
    assert np.allclose(found.costs.get(), problem.cost(found.tours.get()), rtol=1e-12)
    several = gls.MultiObjectiveTSP(problem.parts)
    assert np.allclose(several.cost(cupy.asarray(tours)).get(), several.cost(tours), rtol=1e-12)


def test_pareto_local_search():
    for objectives in (2, 3):
        parts = [random_problem("EUC_2D", 60, seed, 900) for seed in range(objectives)]
        problem, tours = gls.MultiObjectiveTSP(parts), random_tours(60, 20)
        host, device = (
            ParetoLocalSearch(5, place)(
                problem, Front.of(tours, problem.cost(tours)), np.random.default_rng(1)
            )
            for place in BACKENDS
        )
        assert np.array_equal(host.costs, device.costs)

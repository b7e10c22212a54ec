"""Constructions, kicks and restarts are the same on both backends."""

from __future__ import annotations

from typing import Any

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend, tuning
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.tours.kernels.evaluation import exact_costs
from tests.helpers.both_backends import assert_same_result, assert_same_rows
from tests.helpers.configurations import two_opt_climb
from tests.helpers.instances import tsp_instance
from tests.helpers.random_problems import METRICS, random_problem

pytestmark = pytest.mark.gpu

CONSTRUCTIONS = ("random_tours", "nearest_neighbour", "greedy", "space_filling_curve")


def instance(n: int) -> gls.TSP:
    """Return a TSPLIB instance of n cities, or random cities with many equal lengths."""
    if n in (1002, 2392):
        return tsp_instance(f"pr{n}")
    return random_problem("EUC_2D", n, span=3 * n)


def make(name: str, problem: gls.TSP, size: int, backend: str = "cpu", seed: int = 3) -> Any:
    return registry.lookup("construction", name)(problem, size, seed=seed, backend=backend)


def costs(problem: gls.TSP, tours: Any, backend: str = "cpu") -> Any:
    chosen = get_backend(backend)
    return chosen.to_numpy(exact_costs(chosen, problem, chosen.xp.asarray(tours)))[:, None]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_constructions_are_the_same(name, metric):
    if name == "space_filling_curve" and metric.startswith("EXPLICIT"):
        pytest.skip("a matrix has no curve")
    for n in (1, 4, 5, 40, 150):
        for span in (6, 5000):
            problem = random_problem(metric, n, span=span)
            for size in (1, 9):
                assert_same_rows(make, name, problem, size)


@pytest.mark.parametrize("name", CONSTRUCTIONS)
@pytest.mark.parametrize(("n", "size"), [(1002, 100), (20_001, 2)])
def test_constructions_of_many_cities_are_the_same(name, n, size):
    assert_same_rows(make, name, instance(n), size)


@pytest.mark.parametrize("metric", ["EUC_2D", "EUC"])
def test_costs_of_many_cities_are_the_same(metric):
    problem = random_problem(metric, tuning.MANY_CITIES + 1, span=2_000_000)
    assert_same_rows(costs, problem, make("random_tours", problem, 2))


@pytest.mark.parametrize("segment", [None, 6, 50])
def test_kicks_are_the_same(segment):
    for n in (6, 7, 8, 150, 1002):
        problem = instance(n)
        tours = make("random_tours", problem, 1000)
        assert_same_rows(gls.DoubleBridge(segment).perturb, problem, tours, seed=5)


@pytest.mark.parametrize("most", [1, 8])
@pytest.mark.parametrize("metric", ["EUC_2D", "GEO", "EXPLICIT"])
def test_restarts_are_the_same(metric, most):
    problem = random_problem(metric, 60)
    restarts = gls.RandomRestarts(two_opt_climb(most), climbs=300, keep=10)
    assert_same_result(restarts, problem, seed=2, counts=["moves"])

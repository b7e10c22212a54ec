"""Multi improvement is the same on both backends, in all layouts."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import tuning
from tests.gpu.test_descents_cuda import EACH_LIST, LISTS, USUAL, assert_same, uniform
from tests.helpers.instances import tsp_instance
from tests.helpers.random_problems import METRICS, random_problem, random_tours

pytestmark = pytest.mark.gpu

EACH_LAYOUT = pytest.mark.parametrize("layout", ["auto", "global"])


def together(name: str, layout: str = "auto", k: int = 7, cities: int = 64) -> gls.LocalSearch:
    return gls.LocalSearch(LISTS[name], gls.Nearest(k), gls.Multi(cities), layout=layout)


@EACH_LIST
@EACH_LAYOUT
def test_layouts_do_not_matter(name, layout):
    for n in (1, 2, 3, 4, 5, 6, 7, 33, 150, 700):
        assert_same(uniform(n), random_tours(n, 5), together(name, layout))


@pytest.mark.parametrize("cities", [1, 2, 31, 32, 33, 63])
def test_numbers_of_cities(cities):
    assert_same(uniform(200), random_tours(200, 150), together("2-opt, Or-opt", cities=cities))


@pytest.mark.parametrize("name", ["2-opt, Or-opt", "chains of 5"])
@pytest.mark.parametrize("metric", METRICS)
def test_metrics(name, metric):
    for span in (7, 1000):
        problem = random_problem(metric, 120, span=span)
        assert_same(problem, random_tours(120, 200), together(name))


@EACH_LIST
def test_large_batches(name):
    problem = tsp_instance("pr1002")
    starts = gls.random_tours(problem, 500, seed=1, backend="cuda")
    assert_same(problem, starts, together(name, k=8))


@pytest.mark.parametrize("n", [3000, 14_000, 30_000, 70_000])
def test_large_tours(n):
    # Sites beside the tour or elsewhere, and tours that do not fit into shared memory.
    problem = uniform(n)
    starts = gls.space_filling_curve(problem, 2, seed=1, backend="cpu")
    assert_same(problem, starts, gls.LocalSearch(USUAL, gls.Nearest(6), gls.Multi()))


@EACH_LAYOUT
def test_launches_do_not_matter(layout, monkeypatch):
    problem, starts = uniform(200), random_tours(200, 9)
    search = together("2-opt, Or-opt", layout, cities=5)
    whole = search(problem, starts, backend="cuda")
    monkeypatch.setattr(tuning, "LAUNCH_SECONDS", 1e-9)  # few rounds in a launch
    pieces = search(problem, starts, backend="cuda")
    assert pieces.statistics.launches > 50
    assert np.array_equal(pieces.tours, whole.tours)


@EACH_LAYOUT
@pytest.mark.parametrize("most", [0, 1, 7])
def test_budgets_in_moves(most, layout):
    search = together("2-opt, Or-opt", layout)
    assert_same(uniform(100), random_tours(100, 40), search, gls.Budget(moves=most))


@EACH_LAYOUT
@pytest.mark.parametrize("moves", [(gls.OrOpt(3),), (gls.ThreeOpt(),)])
def test_asymmetric_problems(moves, layout):
    problem = gls.TSP.from_matrix(np.random.default_rng(3).integers(1, 1000, (60, 60)))
    search = gls.LocalSearch(moves, gls.Nearest(8), gls.Multi(), layout=layout)
    assert_same(problem, random_tours(60, 40), search)

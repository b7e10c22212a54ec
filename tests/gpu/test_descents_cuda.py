"""Descents and sweeps are the same on both backends, in all layouts."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend, tuning
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.tours.kernels import tour_layouts
from tests.helpers.both_backends import assert_same_result
from tests.helpers.instances import tsp_instance
from tests.helpers.random_problems import METRICS, off_the_grid, random_problem, random_tours

pytestmark = pytest.mark.gpu

USUAL = (gls.TwoOpt(), gls.OrOpt(3))
LISTS = {
    "2-opt": (gls.TwoOpt(),),
    "2-opt, Or-opt": USUAL,
    "Or-opt": (gls.OrOpt(2),),
    "3-opt": (gls.ThreeOpt(),),
    "chains of 3": (gls.LinKernighan(3),),
    "chains of 5": (gls.LinKernighan(5),),
    "chains of 5, Or-opt": (gls.LinKernighan(5, (8, 3)), gls.OrOpt(3)),
}
EACH_LIST = pytest.mark.parametrize("name", LISTS)
EACH_RULE = pytest.mark.parametrize("rule", ["first", "multi"])
EACH_LAYOUT = pytest.mark.parametrize(
    ("rule", "layout"),
    [
        *(("first", layout) for layout in tour_layouts.LAYOUTS),
        *(("step", layout) for layout in tour_layouts.LAYOUTS),
        *(("multi", layout) for layout in ("auto", "global")),
    ],
)


def search_of(moves, rule="first", layout="auto", k=7, cities=64) -> gls.LocalSearch:
    rules = {"first": gls.First(), "step": gls.First("step"), "multi": gls.Multi(cities)}
    return gls.LocalSearch(moves, gls.Nearest(k), rules[rule], layout=layout)


def assert_same(problem, starts, search, budget=None) -> None:
    counts = ["moves", "passes"]
    assert_same_result(search, problem, starts, budget=budget, counts=counts)


def uniform(n: int) -> gls.TSP:
    return gls.TSP(np.random.default_rng(n).integers(0, 10_000, (n, 2)), "EUC_2D")


def test_moves_that_are_too_deep_for_a_gpu():
    search = gls.LocalSearch([gls.LinKernighanLead(9)])
    with pytest.raises(InvalidParameterError, match=r"depth=9.*moves of 9 edges need the CPU"):
        search(uniform(20), np.arange(20)[None], backend="cuda")


@EACH_LIST
@EACH_LAYOUT
def test_layouts_do_not_matter(name, rule, layout):
    for n in (1, 2, 3, 4, 5, 6, 7, 33, 150):
        assert_same(uniform(n), random_tours(n, 5), search_of(LISTS[name], rule, layout))


@pytest.mark.parametrize("cities", [1, 2, 31, 32, 33, 63])
def test_numbers_of_cities(cities):
    search = gls.LocalSearch(USUAL, gls.Nearest(7), gls.Multi(cities))
    assert_same(uniform(200), random_tours(200, 150), search)


@EACH_RULE
@pytest.mark.parametrize("name", ["2-opt, Or-opt", "chains of 5"])
@pytest.mark.parametrize("metric", METRICS)
def test_metrics(name, metric, rule):
    for span in (7, 1000):
        problem = random_problem(metric, 120, span=span)
        tours = random_tours(120, 1200 if rule == "first" else 200)
        assert_same(problem, tours, search_of(LISTS[name], rule, k=6))


@EACH_RULE
@EACH_LIST
def test_large_batches(name, rule):
    problem = tsp_instance("pr1002")
    if rule == "first":
        starts = gls.nearest_neighbour(problem, 2112, seed=1, backend="cuda")
    else:
        starts = gls.random_tours(problem, 500, seed=1, backend="cuda")
    assert_same(problem, starts, search_of(LISTS[name], rule, k=8))


@EACH_RULE
@pytest.mark.parametrize("n", [3000, 12_000, 14_000, 30_000, 70_000])
def test_large_tours(n, rule):
    # Sites in shared or global memory, and tours that do not fit into shared memory.
    problem = uniform(n)
    starts = gls.space_filling_curve(problem, 2, seed=1, backend="cpu")
    for moves in (USUAL, (gls.ThreeOpt(),)):
        assert_same(problem, starts, search_of(moves, rule, k=6))


def test_long_lengths_need_wide_sums_or_exact_evaluation():
    for span in (2**22, 2**26, 2**30 - 1):
        problem = random_problem("EUC_2D", 80, span=span)
        assert_same(problem, random_tours(80, 40), gls.LocalSearch())


def test_far_and_fractional_coordinates():
    for cities in off_the_grid(90):
        for metric in ("EUC_2D", "CEIL_2D", "ATT"):
            problem = gls.TSP(cities, metric)
            assert_same(problem, random_tours(90, 30), gls.LocalSearch())


@EACH_LAYOUT
def test_launches_do_not_matter(rule, layout, monkeypatch):
    problem, starts = uniform(200), random_tours(200, 9)
    search = search_of(USUAL, rule, layout, cities=5)
    whole = search(problem, starts, backend="cuda")
    monkeypatch.setattr(tuning, "LAUNCH_SECONDS", 1e-9)  # few cities or rounds in a launch
    pieces = search(problem, starts, backend="cuda")
    assert pieces.statistics.launches > 50
    assert np.array_equal(pieces.tours, whole.tours)


@EACH_LAYOUT
@pytest.mark.parametrize("most", [0, 1, 7])
def test_budgets_in_moves(most, rule, layout):
    search = search_of(USUAL, rule, layout)
    assert_same(uniform(100), random_tours(100, 40), search, gls.Budget(moves=most))


@EACH_LAYOUT
@pytest.mark.parametrize("moves", [(gls.OrOpt(3),), (gls.ThreeOpt(),)])
def test_asymmetric_problems(moves, rule, layout):
    problem = gls.TSP.from_matrix(np.random.default_rng(3).integers(1, 1000, (60, 60)))
    assert_same(problem, random_tours(60, 40), search_of(moves, rule, layout, k=8))


@pytest.mark.parametrize("name", ["2-opt, Or-opt", "3-opt", "chains of 5"])
@pytest.mark.parametrize("metric", ["EUC_2D", "EXPLICIT_REAL"])
def test_sweeps(name, metric):
    search = gls.LocalSearch(LISTS[name], candidates=gls.Nearest(7), pivoting=gls.Best())
    for n in (4, 5, 33, 130):
        for budget in (None, gls.Budget(moves=3)):
            problem = random_problem(metric, n, span=40)
            assert_same(problem, random_tours(n, 6), search, budget)


@pytest.mark.parametrize(
    "candidates", [gls.Quadrant(12), gls.Alpha(5), gls.Alpha(4) | gls.Nearest(5)]
)
def test_candidate_sets(candidates):
    problem = tsp_instance("kroA100")
    for moves in (USUAL, (gls.ThreeOpt(),), (gls.LinKernighan(),)):
        search = gls.LocalSearch(moves, candidates=candidates)
        assert_same(problem, random_tours(100, 300), search)


def test_the_memory_limit_is_kept():
    backend = get_backend("cuda")
    problem, pool = uniform(20_000), backend.xp.get_default_memory_pool()
    starts = gls.space_filling_curve(problem, 50, seed=1, backend="cuda")
    limit = pool.used_bytes() + (20 << 20)
    result = gls.LocalSearch()(
        problem, starts, budget=gls.Budget(moves=3), backend="cuda", memory_limit=10 << 20
    )
    assert pool.used_bytes() < limit
    assert result.statistics.moves == 150

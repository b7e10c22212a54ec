"""Exhaustive 2-opt, constructions and kicks are the same on both backends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.tours.engines.exhaustive import climb_layouts
from tests.helpers.both_backends import assert_same_result, assert_same_rows
from tests.helpers.configurations import two_opt_climb
from tests.helpers.instances import tsp_instance
from tests.helpers.random_problems import METRICS, random_problem

pytestmark = pytest.mark.gpu

CONSTRUCTIONS = ("random_tours", "nearest_neighbour", "greedy", "space_filling_curve")
COUNTED = ("passes", "moves", "evaluations", "climbs", "stopped_by")


def assert_same_climb(
    problem: gls.TSP, starts: Any, search: gls.LocalSearch | None = None, **options: Any
) -> None:
    """Compare the climbs of both backends, with their numbers of passes and moves."""
    assert_same_result(search or two_opt_climb(), problem, starts, counts=COUNTED, **options)


def instance(n: int) -> gls.TSP:
    """Return a TSPLIB instance of n cities, or random cities with many equal lengths."""
    if n in (1002, 2392):
        return tsp_instance(f"pr{n}")
    return random_problem("EUC_2D", n, span=3 * n)


def make(name: str, problem: gls.TSP, size: int, backend: str = "cpu", seed: int = 3) -> np.ndarray:
    return registry.lookup("construction", name)(problem, size, seed=seed, backend=backend)


@pytest.mark.parametrize("batch", [1, 7, 1000])
@pytest.mark.parametrize("start", ["random_tours", "nearest_neighbour"])
@pytest.mark.parametrize("n", [5, 8, 33, 127, 1002, 2392])
def test_climbs_are_the_same(n, start, batch):
    problem = instance(n)
    moves = 20 if batch == 1000 and n >= 1002 else None
    starts = make(start, problem, batch)
    assert_same_climb(problem, starts, budget=gls.Budget(moves=moves))


@pytest.mark.parametrize("most", [1, 8])
@pytest.mark.parametrize("metric", METRICS)
def test_climbs_are_the_same_for_every_metric(metric, most):
    search = two_opt_climb(most)
    for span in (8, 1000):
        problem = random_problem(metric, 150, span=span)
        for start in ("random_tours", "nearest_neighbour"):
            assert_same_climb(problem, make(start, problem, 12), search)


@pytest.mark.parametrize("name", ["att48", "gr202", "gr666", "si175", "brg180", "d198", "p654"])
def test_climbs_are_the_same_on_instances(name):
    problem = tsp_instance(name)
    for most in (1, 32):
        assert_same_climb(problem, make("random_tours", problem, 4), two_opt_climb(most))


@pytest.fixture
def layout(monkeypatch, request) -> None:
    """Force a layout of the climb: warps, rows and whether the 16-bit tour is in shared memory."""
    warps, rows, in_shared = request.param
    choose = climb_layouts.climb_shape
    changes = {"warps": warps, "rows": rows, "in_shared": in_shared, "blocks": 1}
    monkeypatch.setattr(
        climb_layouts,
        "climb_shape",
        lambda *given, **named: replace(choose(*given, **named), **changes),
    )


LAYOUTS = [(1, 8, True), (1, 4, False), (3, 8, False), (5, 4, True), (8, 8, True), (8, 4, False)]


@pytest.mark.parametrize("layout", LAYOUTS, indirect=True, ids=str)
def test_layouts_do_not_matter(layout):
    for n in (5, 33, 257, 1002):  # one band of rows, or many
        problem = instance(n)
        starts = make("nearest_neighbour" if n > 500 else "random_tours", problem, 3)
        for most in (1, 8):
            assert_same_climb(problem, starts, two_opt_climb(most))


@pytest.mark.parametrize("layout", [(1, 4, False), (8, 4, True)], indirect=True, ids=str)
@pytest.mark.parametrize("metric", ["EXPLICIT", "GEO", "FLOOR_2D"])
def test_layouts_do_not_matter_to_slow_estimates(layout, metric):
    problem = random_problem(metric, 257)
    assert_same_climb(problem, make("random_tours", problem, 3))


def test_tours_too_long_for_sixteen_bits():
    problem = gls.TSP(np.random.default_rng(2).integers(0, 10**6, (70_000, 2)), "EUC_2D")
    starts = make("space_filling_curve", problem, 1)
    assert_same_climb(problem, starts, budget=gls.Budget(moves=2))


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

"""The CUDA backend returns what the CPU backend returns: exhaustive 2-opt, starts and kicks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.tours.engines.exhaustive import climb_layouts
from tests.helpers.configurations import two_opt_climb
from tests.helpers.instances import tsp_instance
from tests.helpers.random_problems import METRICS, random_problem

pytestmark = pytest.mark.gpu

CONSTRUCTIONS = ("random_tours", "nearest_neighbour", "greedy", "space_filling_curve")
COUNTED = ("passes", "moves", "evaluations", "climbs", "stopped_by")


def assert_same_climb(
    problem: gls.TSP, starts: Any, search: gls.LocalSearch | None = None, **options: Any
) -> None:
    """Both backends return the same tours and costs, by the same number of passes and moves."""
    search = search or two_opt_climb()
    host, device = (search(problem, starts, backend=b, **options) for b in ("cpu", "cuda"))
    assert device.statistics.backend == "cuda"
    assert isinstance(device.tours, np.ndarray)
    different = np.flatnonzero((host.tours != device.tours).any(axis=1))
    assert different.size == 0, f"rows {different[:10]} of {len(starts)} differ"
    if problem.integer:
        assert np.array_equal(host.costs, device.costs)
    else:
        assert np.allclose(host.costs, device.costs, rtol=1e-13, atol=0)
    for name in COUNTED:
        assert getattr(host.statistics, name) == getattr(device.statistics, name)


def instance(n: int) -> gls.TSP:
    """A TSPLIB instance of that many cities, or random cities with many equal lengths."""
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
    for n in (5, 33, 257, 1002):  # about a band of rows, or many of them
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
@pytest.mark.parametrize(
    "name", ["random_tours", "nearest_neighbour", "greedy", "space_filling_curve"]
)
def test_constructions_are_the_same(name, metric):
    if name == "space_filling_curve" and metric.startswith("EXPLICIT"):
        pytest.skip("a matrix has no curve")
    for n in (1, 4, 5, 40, 150):
        for span in (6, 5000):
            problem = random_problem(metric, n, span=span)
            for size in (1, 9):
                host, device = (make(name, problem, size, b) for b in ("cpu", "cuda"))
                assert isinstance(device, np.ndarray)
                assert np.array_equal(host, device)


@pytest.mark.parametrize(
    "name", ["random_tours", "nearest_neighbour", "greedy", "space_filling_curve"]
)
@pytest.mark.parametrize(("n", "size"), [(1002, 100), (20_001, 2)])
def test_constructions_of_many_cities_are_the_same(name, n, size):
    problem = instance(n)
    host, device = (make(name, problem, size, backend) for backend in ("cpu", "cuda"))
    assert np.array_equal(host, device)


@pytest.mark.parametrize("segment", [None, 6, 50])
def test_kicks_are_the_same(segment):
    for n in (6, 7, 8, 150, 1002):
        problem = instance(n)
        tours = make("random_tours", problem, 1000)
        bridge = gls.DoubleBridge(segment)
        host, device = (bridge.perturb(problem, tours, seed=5, backend=b) for b in ("cpu", "cuda"))
        assert np.array_equal(host, device)


@pytest.mark.parametrize("most", [1, 8])
@pytest.mark.parametrize("metric", ["EUC_2D", "GEO", "EXPLICIT"])
def test_restarts_are_the_same(metric, most):
    problem = random_problem(metric, 60)
    restarts = gls.RandomRestarts(two_opt_climb(most), climbs=300, keep=10)
    host, device = (restarts(problem, seed=2, backend=b) for b in ("cpu", "cuda"))
    assert np.array_equal(host.tours, device.tours)
    assert np.array_equal(host.costs, device.costs)
    assert host.statistics.moves == device.statistics.moves

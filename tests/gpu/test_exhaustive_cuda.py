"""Searches of complete neighbourhoods make the same moves on both backends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.tours.engines.exhaustive import random_k, three_opt_climb, two_opt_climb
from gpu_ls_plugin.tours.engines.exhaustive.lane_climb import LaneShape, OneLaneShape
from tests.gpu.test_cuda import instance, make
from tests.helpers import configurations
from tests.helpers.both_backends import assert_same_result
from tests.helpers.instances import tsp_instance
from tests.helpers.random_problems import METRICS, random_problem, random_tours

pytestmark = pytest.mark.gpu

TWO_OPT, EIGHT_MOVES = (configurations.two_opt_climb(most) for most in (1, 8))
THREE_OPT = configurations.EXHAUSTIVE["exhaustive 3-opt"]
EACH_BUDGET = pytest.mark.parametrize("most", [0, 1, 7])


def sampled(k: int, moves: gls.TwoOpt | gls.ThreeOpt = gls.ThreeOpt()) -> gls.LocalSearch:
    return gls.LocalSearch([moves], gls.All(), gls.RandomK(k))


def assert_same(
    search: gls.LocalSearch, problem: gls.TSP, starts: Any, moves: int | None = None
) -> None:
    """Compare the tours and counts of both backends after up to `moves` moves of each tour."""
    assert_same_result(
        search,
        problem,
        starts,
        seed=2**63 + 1,
        first_row=4,
        budget=gls.Budget(moves=moves),
        counts=("passes", "moves", "evaluations", "climbs", "stopped_by"),
    )


# ---- 2-opt ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 7, 1000])
@pytest.mark.parametrize("start", ["random_tours", "nearest_neighbour"])
@pytest.mark.parametrize("n", [5, 8, 33, 127, 1002, 2392])
def test_2_opt_climbs(n, start, batch):
    problem = instance(n)
    moves = 20 if batch == 1000 and n >= 1002 else None
    assert_same(TWO_OPT, problem, make(start, problem, batch), moves)


@pytest.mark.parametrize("search", [TWO_OPT, EIGHT_MOVES], ids=["one move", "several"])
@pytest.mark.parametrize("metric", METRICS)
def test_2_opt_climbs_of_every_metric(metric, search):
    for span in (8, 1000):
        problem = random_problem(metric, 150, span=span)
        for start in ("random_tours", "nearest_neighbour"):
            assert_same(search, problem, make(start, problem, 12))


@pytest.mark.parametrize("name", ["att48", "gr202", "gr666", "si175", "brg180", "d198", "p654"])
def test_2_opt_climbs_of_instances(name):
    problem = tsp_instance(name)
    for most in (1, 32):
        search = configurations.two_opt_climb(most)
        assert_same(search, problem, make("random_tours", problem, 4))


@pytest.fixture
def layout(monkeypatch, request) -> None:
    """Force a layout of the climb: warps, rows and whether the 16-bit tour is in shared memory."""
    changes = dict(zip(("warps", "rows", "in_shared"), request.param, strict=True), blocks=1)
    choose = two_opt_climb.climb_shape

    def forced(*given: Any, **named: Any) -> two_opt_climb.ClimbShape:
        return replace(choose(*given, **named), **changes)

    for name in ("climb_shape", "fastest_shape"):
        monkeypatch.setattr(two_opt_climb, name, forced)


LAYOUTS = [(1, 8, True), (1, 4, False), (3, 8, False), (5, 4, True), (8, 8, True), (8, 4, False)]


@pytest.mark.parametrize("layout", LAYOUTS, indirect=True, ids=str)
@pytest.mark.usefixtures("layout")
def test_layouts_do_not_matter():
    for n in (5, 33, 257, 1002):  # one band of rows, or many
        problem = instance(n)
        starts = make("nearest_neighbour" if n > 500 else "random_tours", problem, 3)
        for search in (TWO_OPT, EIGHT_MOVES):
            assert_same(search, problem, starts)


@pytest.mark.parametrize("layout", [(1, 4, False), (8, 4, True)], indirect=True, ids=str)
@pytest.mark.parametrize("metric", ["EXPLICIT", "GEO", "FLOOR_2D"])
@pytest.mark.usefixtures("layout")
def test_layouts_do_not_matter_for_slow_estimates(metric):
    problem = random_problem(metric, 257)
    assert_same(TWO_OPT, problem, make("random_tours", problem, 3))


SHORT = [
    *((OneLaneShape(1, n), n) for n in (4, 5, 10, 13, 16)),
    *((LaneShape(4, 1), 4), (LaneShape(8, 1), 7), (LaneShape(4, 3), 8), (LaneShape(4, 3), 11)),
    *((LaneShape(4, 5), 20), (LaneShape(8, 5), 33), (LaneShape(8, 7), 56), (LaneShape(16, 7), 97)),
    *((LaneShape(32, 3), 64), (LaneShape(32, 7), 201), (LaneShape(32, 15), 480)),
]


@pytest.mark.parametrize(("shape", "n"), SHORT, ids=str)
@pytest.mark.parametrize("metric", ["EUC", "EUC_2D"])
def test_climbs_by_groups_of_lanes(shape, n, metric, monkeypatch):
    monkeypatch.setattr(two_opt_climb, "fastest_shape", lambda *_: shape)
    for span in (6, 1000):  # many equal moves, or hardly any
        problem = random_problem(metric, n, span=span)
        for batch in (1, 37, 20_000 if n <= 20 else 1000):  # also several climbs after each other
            assert_same(TWO_OPT, problem, random_tours(n, batch))
        assert_same(TWO_OPT, problem, random_tours(n, 37), 3)


@pytest.mark.parametrize("metric", METRICS)
def test_climbs_by_groups_of_lanes_of_every_metric(metric):
    for n in (10, 50, 100):
        assert_same(TWO_OPT, random_problem(metric, n), random_tours(n, 100))


def test_very_many_short_climbs():
    # Checks and exact costs take other teams, and the device adds up the counts.
    problem = instance(12)
    assert_same(TWO_OPT, problem, random_tours(12, tuning.MANY_ROWS + 5))


def test_tours_too_long_for_sixteen_bits():
    problem = gls.TSP(np.random.default_rng(2).integers(0, 10**6, (70_000, 2)), "EUC_2D")
    assert_same(TWO_OPT, problem, make("space_filling_curve", problem, 1), 2)


# ---- 3-opt ---------------------------------------------------------------------------------------


@pytest.fixture(params=[*three_opt_climb.BARS, (32, 2)], ids=str)
def bar(request, monkeypatch) -> None:
    """Force one kind of bar for tours of all lengths."""
    monkeypatch.setattr(three_opt_climb, "BARS", (request.param,))


@pytest.mark.usefixtures("bar")
@pytest.mark.parametrize("n", [4, 5, 6, 31, 32, 33, 34, 63, 64, 65, 66, 97, 128, 129, 130])
def test_3_opt_climbs(n):
    for span in (10, 3 * n, 10**6):
        assert_same(THREE_OPT, random_problem("EUC_2D", n, span=span), random_tours(n, 3))


@pytest.mark.usefixtures("bar")
@pytest.mark.parametrize("metric", METRICS)
def test_3_opt_climbs_of_every_metric(metric):
    for n in (5, 20, 70):
        for span in (8, 1000):
            assert_same(THREE_OPT, random_problem(metric, n, span=span), random_tours(n, 4))


@pytest.mark.usefixtures("bar")
@pytest.mark.parametrize("scale", [0.37, 2.0**21 / 1000, 2.0**31 / 2000])
@pytest.mark.parametrize("metric", ["EUC_2D", "CEIL_2D", "ATT", "MAN_2D"])
def test_3_opt_climbs_of_inexact_and_of_long_lengths(metric, scale):
    coordinates = random_problem("EUC_2D", 70, span=1000).coordinates
    problem = gls.TSP(np.asarray(coordinates) * scale, metric)
    assert_same(THREE_OPT, problem, random_tours(70, 3))


def test_batches_in_several_launches(monkeypatch):
    problem, starts = random_problem("EUC_2D", 70, span=1000), random_tours(70, 50)
    assert_same(THREE_OPT, problem, starts)
    monkeypatch.setattr(three_opt_climb, "MOST_BARS", 100)
    assert_same(THREE_OPT, problem, starts)


@pytest.mark.parametrize("metric", ["EUC_2D", "EUC"])
def test_passes_of_a_long_tour(metric):
    problem = random_problem(metric, 1002, span=10_000)
    assert_same(THREE_OPT, problem, make("nearest_neighbour", problem, 1), 2)


# ---- Random samples ------------------------------------------------------------------------------


@pytest.fixture(params=["global", "shared"])
def memory(request, monkeypatch) -> None:
    """Force the memory of tours."""
    if request.param == "global":
        monkeypatch.setattr(random_k, "SLOT_BYTES", 1 << 20)


@pytest.fixture(params=[1, 2, 4, 8])
def blocks(request, monkeypatch) -> None:
    """Force the number of blocks that share the samples of a tour."""
    monkeypatch.setattr(random_k, "blocks_of_a_tour", lambda *_: request.param)


@pytest.mark.parametrize("k", [1, 100, 1000])
@pytest.mark.parametrize("name", ["kroA100", "lin318", "pr1002"])
def test_samples_of_instances(name, k):
    problem = tsp_instance(name)
    for moves in (gls.TwoOpt(), gls.ThreeOpt()):
        assert_same(sampled(k, moves), problem, make("nearest_neighbour", problem, 20))


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("metric", METRICS)
def test_samples_of_every_metric(metric):
    for n in (4, 5, 20, 70):
        for span in (8, 1000):
            for moves in (gls.TwoOpt(), gls.ThreeOpt()):
                problem = random_problem(metric, n, span=span)
                assert_same(sampled(300, moves), problem, random_tours(n, 4))


@pytest.mark.usefixtures("memory", "blocks")
@pytest.mark.parametrize("tours", [1, 3, 400])
@pytest.mark.parametrize("k", [255, 256, 513, 5000])
def test_the_number_of_blocks_does_not_matter(tours, k):
    problem = random_problem("EUC_2D", 50, span=30)
    assert_same(sampled(k), problem, random_tours(50, tours), 10)


def test_samples_of_long_tours():
    problem = random_problem("EUC_2D", 30_000, span=10_000)
    assert_same(sampled(50_000), problem, make("space_filling_curve", problem, 2), 5)


# ---- All -----------------------------------------------------------------------------------------


@EACH_BUDGET
@pytest.mark.parametrize("search", [TWO_OPT, EIGHT_MOVES, THREE_OPT, sampled(300)], ids=str)
def test_budgets_in_moves(search, most):
    assert_same(search, random_problem("EUC_2D", 40, span=1000), random_tours(40, 5), most)

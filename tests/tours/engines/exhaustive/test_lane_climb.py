"""Climbs by lanes of a warp, whose CUDA source the CPU emulates, against those of the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.tours.engines.engine import OPTIMUM, OUT_OF_MOVES, RUNNING
from gpu_ls_plugin.tours.engines.exhaustive.lane_climb import LaneShape, OneLaneShape, lane_kernel
from gpu_ls_plugin.tours.engines.exhaustive.two_opt_climb import fastest_shape
from gpu_ls_plugin.tours.kernels.sites import float32_above
from gpu_ls_plugin.tours.problem.device_data import metric_data
from tests.helpers import warp_emulation
from tests.helpers.configurations import two_opt_climb
from tests.helpers.marks import slow_after
from tests.helpers.random_problems import METRICS, random_problem, random_tours

MEMORY = 227 << 10  # bytes of shared memory of a block
SHAPES = [
    *((OneLaneShape(1, 10), 10), (LaneShape(8, 7), 50), (LaneShape(4, 3), 10)),
    *((OneLaneShape(1, n), n) for n in (4, 5, 7, 16)),
    *((LaneShape(4, 1), 4), (LaneShape(8, 1), 5), (LaneShape(4, 5), 20), (LaneShape(8, 3), 23)),
    *((LaneShape(16, 7), 100), (LaneShape(32, 7), 130), (LaneShape(32, 3, unroll=4), 64)),
    (LaneShape(8, 13, warps=4), 99),
]


class Climb:
    """Emulated climbs; `folder` keeps the compiled kernels."""

    def __init__(self, problem: gls.TSP, starts: np.ndarray, shape: LaneShape, folder: Any) -> None:
        self.problem, self.starts, self.shape, self.folder = problem, starts, shape, folder
        self.tours = np.ascontiguousarray(starts, np.int32).copy()
        self.states = np.zeros(len(starts), np.uint8)
        self.passes, self.moves = np.zeros((2, len(starts)), np.int64)

    def launch(self, together: int, passes: int = 1 << 30, max_moves: int = 1 << 60) -> None:
        """Make passes; a warp climbs with `together` tours at a time for each of its groups."""
        problem, each = self.problem, together * self.shape.groups
        arguments = {
            "metric_data": metric_data(get_backend("cpu"), problem),
            "n": problem.n,
            **{"sites": None, "error_absolute": 0.0, "error_relative": 0.0},
            "slack": float32_above(4 * problem.metric.slack(problem.values)),
            **{"climbs": len(self.tours), "climbs_a_warp": each},
            "stride": self.shape.stride(problem.n),
            **{"passes": passes, "max_moves": max_moves},
            **{"tours": self.tours, "states": self.states},
            **{"pass_counts": self.passes, "move_counts": self.moves},
            **{"moves_by": None, "scratch": None},
        }
        kernel, count = lane_kernel(problem.metric, self.shape), -(-len(self.tours) // each)
        warp_emulation.launch(kernel, count, arguments, self.shape.warps, self.folder)

    def assert_same(self, max_moves: int | None = None) -> None:
        """Compare tours and counts with the CPU backend's."""
        budget = gls.Budget(moves=max_moves)
        expected = two_opt_climb()(self.problem, self.starts, budget=budget, backend="cpu")
        assert np.array_equal(self.tours, expected.tours)
        assert self.passes.sum() == expected.statistics.passes
        assert self.moves.sum() == expected.statistics.moves


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("emulated")


@pytest.mark.parametrize(("shape", "n"), slow_after(3, SHAPES), ids=str)
@pytest.mark.parametrize("metric", ["EUC", pytest.param("EUC_2D", marks=pytest.mark.slow)])
def test_climbs_are_those_of_the_cpu(shape, n, metric, folder):
    for span in (5, 1000):  # many equal moves, or hardly any
        problem = random_problem(metric, n, span=span)
        starts = random_tours(n, 5 * shape.groups + 3)
        for together in (1, 4):  # the last warp lacks climbs
            climb = Climb(problem, starts, shape, folder)
            climb.launch(together)
            climb.assert_same()
            assert (climb.states == OPTIMUM).all()


@pytest.mark.parametrize(  # groups without a climb must read no matrix at random
    "metric",
    ["EXPLICIT", *(pytest.param(m, marks=pytest.mark.slow) for m in METRICS if m != "EXPLICIT")],
)
def test_climbs_of_every_metric_are_those_of_the_cpu(metric, folder):
    problem = random_problem(metric, 33)
    starts = random_tours(33, 9)
    shape = fastest_shape(33, 1, MEMORY, problem.metric.fast_estimate)
    assert isinstance(shape, LaneShape)
    climb = Climb(problem, starts, shape, folder)
    climb.launch(2)
    climb.assert_same()


@pytest.mark.parametrize(("shape", "n"), SHAPES[:2], ids=str)
def test_climbs_end_after_moves_or_passes(shape, n, folder):
    problem, starts = random_problem("EUC", n), random_tours(n, 3 * shape.groups)
    climb = Climb(problem, starts, shape, folder)
    climb.launch(2, max_moves=3)
    climb.assert_same(3)
    assert set(climb.states) <= {OPTIMUM, OUT_OF_MOVES}
    climb = Climb(problem, starts, shape, folder)
    while (climb.states == RUNNING).any():
        climb.launch(2, passes=2)
    climb.assert_same()


def test_short_tours_get_lanes_and_long_ones_get_blocks():
    for n in range(4, 300):
        assert isinstance(fastest_shape(n, 1000, MEMORY, True), LaneShape), n
    assert isinstance(fastest_shape(10, 1000, MEMORY, True), OneLaneShape)
    assert not isinstance(fastest_shape(1000, 1000, MEMORY, True), LaneShape)
    assert not isinstance(fastest_shape(400, 1, MEMORY, True), LaneShape)  # few tours

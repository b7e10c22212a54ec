"""The exhaustive 3-opt climb makes the same moves on both backends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.tours.engines.exhaustive import three_opt_climb
from gpu_ls_plugin.tours.engines.exhaustive.three_opt_climb import ThreeOptClimb
from tests.helpers.both_backends import BACKENDS
from tests.helpers.descents import to_optimum
from tests.helpers.random_problems import METRICS, random_problem, random_tours

pytestmark = pytest.mark.gpu

NO_LIMIT = 2**62


def assert_same(problem: gls.TSP, starts: Any, moves: int = NO_LIMIT) -> None:
    """Compare tours, counts and states of both backends."""
    results = []
    for name in BACKENDS:
        backend = get_backend(name)
        tours = backend.xp.array(starts, "int32")
        search = ThreeOptClimb(backend, problem, tours, moves)
        to_optimum(search)
        arrays = (search.tours, search.states, search.pass_counts, search.move_counts)
        results.append([backend.to_numpy(array) for array in arrays])
    for host, device in zip(*results, strict=True):
        assert np.array_equal(host, device)


@pytest.fixture(params=[*three_opt_climb.BARS, (32, 2)], ids=str)
def bar(request, monkeypatch) -> None:
    """Force one kind of bar for tours of all lengths."""
    monkeypatch.setattr(three_opt_climb, "BARS", (request.param,))


@pytest.mark.parametrize("n", [4, 5, 6, 31, 32, 33, 34, 63, 64, 65, 66, 97, 128, 129, 130])
def test_climbs_are_the_same(n, bar):
    for span in (10, 3 * n, 10**6):
        assert_same(random_problem("EUC_2D", n, span=span), random_tours(n, 3))


@pytest.mark.parametrize("metric", METRICS)
def test_climbs_are_the_same_for_every_metric(metric, bar):
    for n in (5, 20, 70):
        for span in (8, 1000):
            assert_same(random_problem(metric, n, span=span), random_tours(n, 4))


@pytest.mark.parametrize("scale", [0.37, 2.0**21 / 1000, 2.0**31 / 2000])
@pytest.mark.parametrize("metric", ["EUC_2D", "CEIL_2D", "ATT", "MAN_2D"])
def test_climbs_are_the_same_for_inexact_and_for_long_lengths(metric, scale, bar):
    coordinates = random_problem("EUC_2D", 70, span=1000).coordinates
    problem = gls.TSP(np.asarray(coordinates) * scale, metric)
    assert_same(problem, random_tours(70, 3))


def test_batches_in_several_launches(monkeypatch):
    problem, starts = random_problem("EUC_2D", 70, span=1000), random_tours(70, 50)
    assert_same(problem, starts)
    monkeypatch.setattr(three_opt_climb, "MOST_BARS", 100)
    assert_same(problem, starts)


@pytest.mark.parametrize("most", [0, 1, 7])
def test_stop_after_the_same_moves(most):
    assert_same(random_problem("EUC_2D", 40, span=1000), random_tours(40, 5), most)


@pytest.mark.parametrize("metric", ["EUC_2D", "EUC"])
def test_passes_of_a_long_tour_are_the_same(metric):
    problem = random_problem(metric, 1002, span=10_000)
    assert_same(problem, gls.nearest_neighbour(problem, 1, seed=1, backend="cpu"), 2)

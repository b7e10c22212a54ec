"""Random-k-best improvement makes the same moves on both backends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.tours.engines.exhaustive import random_k
from gpu_ls_plugin.tours.engines.exhaustive.random_k import RandomKSteps
from tests.helpers.both_backends import BACKENDS
from tests.helpers.descents import to_optimum
from tests.helpers.instances import tsp_instance
from tests.helpers.random_problems import METRICS, random_problem, random_tours

pytestmark = pytest.mark.gpu

NO_LIMIT = 2**62


def finished(
    name: str, problem: gls.TSP, starts: Any, k: int, moves: int, **options: Any
) -> list[np.ndarray]:
    """Return tours, states and counts at the end of a search."""
    backend = get_backend(name)
    tours = backend.xp.array(starts, "int32")
    steps = RandomKSteps(backend, problem, tours, k, 2**63 + 1, moves, **options)
    to_optimum(steps)
    arrays = (steps.tours, steps.states, steps.pass_counts, steps.move_counts)
    return [backend.to_numpy(array) for array in arrays]


def assert_same(
    problem: gls.TSP, starts: Any, k: int, moves: int = NO_LIMIT, **options: Any
) -> None:
    """Compare tours, counts and states of both backends."""
    both = (finished(name, problem, starts, k, moves, **options) for name in BACKENDS)
    for host, device in zip(*both, strict=True):
        assert np.array_equal(host, device)


@pytest.fixture(params=["through the tour", "in shared memory"])
def points(request, monkeypatch) -> None:
    """Force one of the two ways to read points."""
    monkeypatch.setattr(random_k, "copies_points", lambda *_: request.param == "in shared memory")


@pytest.mark.parametrize("k", [1, 100, 1000])
@pytest.mark.parametrize("name", ["kroA100", "lin318", "pr1002"])
def test_searches_are_the_same(name, k):
    problem = tsp_instance(name)
    starts = gls.nearest_neighbour(problem, 20, seed=1, backend="cpu")
    assert_same(problem, starts, k)
    assert_same(problem, starts, k, three_opt=False)


@pytest.mark.parametrize("metric", METRICS)
def test_searches_are_the_same_for_every_metric(metric, points):
    for n in (4, 5, 20, 70):
        for span in (8, 1000):
            for three_opt in (True, False):
                problem, starts = random_problem(metric, n, span=span), random_tours(n, 4)
                assert_same(problem, starts, 300, three_opt=three_opt)


@pytest.mark.parametrize("tours", [1, 3, 400])
@pytest.mark.parametrize("k", [255, 256, 513, 5000])
def test_parts_of_any_size_leave_the_same_moves(tours, k, points):
    assert_same(random_problem("EUC_2D", 50, span=30), random_tours(50, tours), k, 10)


@pytest.mark.parametrize("most", [0, 1, 7])
def test_stop_after_the_same_moves(most):
    assert_same(random_problem("EUC_2D", 40, span=1000), random_tours(40, 5), 300, most)


def test_rows_keep_their_samples_in_smaller_batches():
    problem, starts = random_problem("EUC_2D", 60, span=1000), random_tours(60, 6)
    whole = finished("cuda", problem, starts, 500, NO_LIMIT)
    few = finished("cuda", problem, starts[4:], 500, NO_LIMIT, first_row=4)
    for array, rows in zip(whole, few, strict=True):
        assert np.array_equal(array[4:], rows)


def test_long_tours():
    problem = random_problem("EUC_2D", 30_000, span=10_000)
    starts = gls.space_filling_curve(problem, 2, seed=1, backend="cpu")
    assert_same(problem, starts, 50_000, 5)

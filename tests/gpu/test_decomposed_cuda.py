"""Routes searched in parts on a GPU: lanes are independent, and both backends agree."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from tests.helpers.both_backends import assert_equal_rows, assert_same_result
from tests.helpers.routing import random_cvrp

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("kind", ["capacity", "fleet", "duration", "directed"])
def test_both_backends_find_the_same_routes(kind):
    problem = random_cvrp(kind, 300)
    starts = gls.savings(problem, size=64, seed=1, backend="cpu")
    search = gls.Decomposed(customers=40, rounds=4)
    options = {"seed": 3, "budget": gls.Budget(kicks=200)}
    device = assert_same_result(search, problem, starts, **options)
    assert problem.feasible(device.tours[0])[0]  # with a small fleet, few first rows are feasible
    again = search(problem, starts, backend="cuda", **options)
    assert_equal_rows(again.tours, device.tours)


@pytest.mark.timed
def test_time_ctrl_c_and_arrays_on_the_device():
    cupy = pytest.importorskip("cupy")
    problem = random_cvrp("capacity", 300)
    starts = cupy.asarray(gls.savings(problem, size=256, seed=1, backend="cpu"))
    search = gls.Decomposed(customers=40)
    search.prepare(problem, 256, backend="cuda")
    timed = search(problem, starts, budget=gls.Budget(seconds=1.0), backend="cuda")
    assert isinstance(timed.tours, cupy.ndarray)
    assert timed.statistics.stopped_by == "seconds" and timed.statistics.seconds < 1.5
    assert timed.best_cost < problem.cost(starts.get()).min()

    def press(progress: gls.Progress) -> None:
        if progress.kicks:
            raise KeyboardInterrupt

    rest = search(problem, starts, budget=gls.Budget(seconds=30), backend="cuda", callback=press)
    assert rest.statistics.interrupted and rest.statistics.seconds < 5


def test_lanes_have_shares_and_keep_their_memory():
    backend, whole = get_backend("cuda"), get_backend("cuda").processors
    with backend.lane(0, 3):
        assert backend.processors == min(3, whole)
        stream = backend.xp.cuda.get_current_stream().ptr
    with backend.lane(0, 3):
        assert backend.xp.cuda.get_current_stream().ptr == stream
    assert backend.processors == whole
    assert backend.xp.cuda.get_current_stream().ptr != stream


def test_memory_stays_constant():
    cupy = pytest.importorskip("cupy")
    problem, used = random_cvrp("capacity", 300), []
    starts = gls.savings(problem, size=64, seed=1, backend="cpu")
    for seed in range(4):
        search = gls.Decomposed(customers=40, rounds=4)
        search(problem, starts, seed=seed, budget=gls.Budget(kicks=100), backend="cuda")
        used.append(cupy.get_default_memory_pool().total_bytes())
    assert np.ptp(used[1:]) <= 1 << 20

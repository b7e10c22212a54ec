"""Random-restart hill climbing: the best of climbs from random tours, in batches."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError
from gpu_ls_plugin.tours.searches import random_restarts
from tests.helpers.configurations import two_opt_climb
from tests.helpers.instances import tsp_instance
from tests.helpers.random_problems import METRICS, random_problem

CLIMBS = 60


def best_climbs(problem: gls.TSP, search: gls.LocalSearch, keep: int) -> gls.Result:
    """The best of all climbs, held in memory at once; equal costs in the order of the rows."""
    starts = gls.random_tours(problem, CLIMBS, seed=9, backend="cpu")
    found = search(problem, starts, backend="cpu")
    order = np.argsort(found.costs, kind="stable")[:keep]
    return gls.Result(found.tours[order], found.costs[order], found.statistics)


@pytest.mark.parametrize("metric", METRICS)
def test_the_best_climbs_are_kept(metric):
    problem = random_problem(metric, 30, span=30)
    search = gls.LocalSearch()
    restarts = gls.RandomRestarts(search, climbs=CLIMBS, keep=7)
    result = restarts(problem, seed=9, backend="cpu")
    expected = best_climbs(problem, search, 7)
    assert np.array_equal(result.tours, expected.tours)
    assert np.array_equal(result.costs, expected.costs)
    assert np.array_equal(result.costs, problem.cost(result.tours))
    assert (np.diff(result.costs) >= 0).all()


@pytest.mark.parametrize("batch", [1, 7, 59, 60, 1000])
@pytest.mark.parametrize("most", [1, 8])
def test_climbs_do_not_depend_on_the_batch(monkeypatch, batch, most):
    problem = random_problem("EUC_2D", 40, span=40)
    monkeypatch.setenv("GPU_LS_THREADS", "1")
    monkeypatch.setattr(random_restarts, "CLIMBS_PER_PROCESSOR", {"cpu": batch})
    search = two_opt_climb(most)
    result = gls.RandomRestarts(search, climbs=CLIMBS, keep=10)(problem, seed=9, backend="cpu")
    expected = best_climbs(problem, search, 10)
    assert np.array_equal(result.tours, expected.tours)
    for name in ("passes", "moves", "evaluations", "climbs"):
        assert getattr(result.statistics, name) == getattr(expected.statistics, name)
    assert result.statistics.stopped_by == "climbs"


def test_fewer_climbs_than_are_kept():
    problem = random_problem("EUC_2D", 20)
    result = gls.RandomRestarts(climbs=3, keep=10)(problem, backend="cpu")
    assert result.tours.shape == (3, 20)
    assert result.statistics.climbs == 3


def test_small_memory_means_small_batches():
    problem = random_problem("EUC_2D", 50)
    restarts = gls.RandomRestarts(climbs=20, keep=3)
    seen: list[int] = []
    whole = restarts(problem, seed=1, backend="cpu")
    limited = restarts(
        problem,
        seed=1,
        backend="cpu",
        memory_limit=4000,
        callback=lambda progress: seen.append(progress.done),
    )
    assert np.array_equal(whole.tours, limited.tours)
    assert len(seen) >= 4
    with pytest.raises(InsufficientMemoryError, match="memory_limit: one tour needs"):
        restarts(problem, backend="cpu", memory_limit=100)


def test_seconds_target_and_moves_end_it(monkeypatch):
    monkeypatch.setattr(random_restarts, "CLIMBS_PER_PROCESSOR", {"cpu": 4})
    problem = tsp_instance("berlin52")
    none = gls.RandomRestarts(climbs=500)(problem, budget=gls.Budget(seconds=0), backend="cpu")
    assert (none.statistics.stopped_by, none.statistics.moves) == ("seconds", 0)
    assert np.array_equal(none.costs, problem.cost(none.tours))
    restarts = gls.RandomRestarts(climbs=5000, keep=1)
    result = restarts(problem, budget=gls.Budget(target=1.1 * problem.optimum), backend="cpu")
    assert result.statistics.stopped_by == "target"
    assert result.best_cost <= 1.1 * problem.optimum
    assert result.statistics.climbs < 5000
    short = gls.RandomRestarts(climbs=20)(problem, budget=gls.Budget(moves=3), backend="cpu")
    assert short.statistics.moves == 60


def test_callbacks_count_climbers(monkeypatch):
    monkeypatch.setenv("GPU_LS_THREADS", "1")
    monkeypatch.setattr(random_restarts, "CLIMBS_PER_PROCESSOR", {"cpu": 8})
    seen: list[gls.Progress] = []
    problem = random_problem("EUC_2D", 30)
    result = gls.RandomRestarts(climbs=20, keep=2)(problem, backend="cpu", callback=seen.append)
    assert [progress.done for progress in seen] == [8, 16, 20]
    assert [progress.total for progress in seen] == [20, 20, 20]
    assert seen[-1].best_cost == result.best_cost


def test_ctrl_c_returns_the_best_so_far(monkeypatch):
    monkeypatch.setenv("GPU_LS_THREADS", "1")
    monkeypatch.setattr(random_restarts, "CLIMBS_PER_PROCESSOR", {"cpu": 8})

    def press_ctrl_c(progress: gls.Progress) -> None:
        if progress.done == 16:
            raise KeyboardInterrupt

    problem = random_problem("EUC_2D", 30)
    result = gls.RandomRestarts(climbs=40, keep=3)(problem, backend="cpu", callback=press_ctrl_c)
    assert result.statistics.interrupted
    assert result.statistics.climbs == 16
    whole = gls.RandomRestarts(climbs=16, keep=3)(problem, backend="cpu")
    assert np.array_equal(result.tours, whole.tours)

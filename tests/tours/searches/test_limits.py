"""Budgets, memory, progress and Ctrl-C of the local search."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError
from tests.helpers.configurations import two_opt_climb
from tests.helpers.random_problems import random_problem, random_tours

N, SIZE = 150, 7
PROBLEM = random_problem("EUC_2D", N, span=5000)
STARTS = random_tours(N, SIZE)
SEARCH = two_opt_climb()


@pytest.fixture(params=[SEARCH, gls.LocalSearch()], ids=["exhaustive", "default"])
def search(request):
    """Two kinds of searches: passes evaluate all moves, or the cities of a queue."""
    return request.param


@pytest.fixture
def short_launches(monkeypatch):
    """Launches of a pass or two, so that a search of few cities takes many."""
    monkeypatch.setattr("gpu_ls_plugin.backends.tuning.LAUNCH_SECONDS", 1e-9)


def bytes_for(problem: gls.TSP, tours: int, search: gls.LocalSearch = SEARCH) -> int:
    """Bytes for a number of tours, computed from the error message for one."""
    with pytest.raises(InsufficientMemoryError) as caught:
        search(problem, STARTS, backend="cpu", memory_limit=10)
    found = re.search(r"needs ([\d,]+) bytes", str(caught.value))
    assert found is not None
    fixed = problem.metric.data(problem.values).nbytes
    return fixed + tours * (int(found[1].replace(",", "")) - fixed)


def test_statistics_count_passes_moves_and_evaluations():
    result = SEARCH(PROBLEM, STARTS, backend="cpu")
    counted = result.statistics
    assert counted.passes == counted.moves + SIZE  # the last pass of a tour finds nothing
    assert counted.evaluations == counted.passes * N * (N - 3) // 2
    assert counted.climbs == SIZE
    assert counted.launches >= 1
    assert counted.kicks == 0
    assert counted.seconds > 0
    assert (counted.stopped_by, counted.interrupted) == ("optimum", False)
    assert counted.backend == "cpu"


def test_a_budget_in_moves_is_per_tour():
    result = SEARCH(PROBLEM, STARTS, budget=gls.Budget(moves=5), backend="cpu")
    assert result.statistics.moves == 5 * SIZE
    assert result.statistics.stopped_by == "moves"
    for most in (2, 32):
        search = two_opt_climb(most)
        result = search(PROBLEM, STARTS, budget=gls.Budget(moves=5), backend="cpu")
        assert result.statistics.moves == 5 * SIZE
    unlimited = SEARCH(PROBLEM, STARTS, budget=gls.Budget(moves=2**70), backend="cpu")
    assert unlimited.statistics.stopped_by == "optimum"


def test_no_seconds_left_leaves_the_tours(search):
    result = search(PROBLEM, STARTS, budget=gls.Budget(seconds=0), backend="cpu")
    assert np.array_equal(result.tours, STARTS)
    assert np.array_equal(result.costs, PROBLEM.cost(STARTS))
    assert (result.statistics.stopped_by, result.statistics.launches) == ("seconds", 0)


def test_seconds_end_a_long_climb(search, clock):
    problem = random_problem("EUC_2D", 4000, span=100_000)
    starts = random_tours(4000, 10)
    clock.launch = 0.5
    search(problem, starts[:1], budget=gls.Budget(moves=1), backend="cpu")  # lists of neighbours
    before = clock.launches
    result = search(problem, starts, budget=gls.Budget(seconds=1), backend="cpu")
    assert clock.launches - before <= clock.most_launches(1)
    assert result.statistics.stopped_by == "seconds"
    assert np.array_equal(result.costs, problem.cost(result.tours))
    assert (result.costs <= problem.cost(starts)).all()
    assert result.statistics.moves > 0


def test_a_target_ends_the_search(search, short_launches):
    optimum = search(PROBLEM, STARTS, backend="cpu")
    target = 2 * optimum.best_cost
    result = search(PROBLEM, STARTS, budget=gls.Budget(target=target), backend="cpu")
    assert result.statistics.stopped_by == "target"
    assert optimum.best_cost < result.best_cost <= target
    missed = search(PROBLEM, STARTS, budget=gls.Budget(target=1), backend="cpu")
    assert missed.statistics.stopped_by == "optimum"
    assert np.array_equal(missed.tours, optimum.tours)


@pytest.mark.parametrize("metric", ["EUC_2D", "EUC", "EXPLICIT"])
@pytest.mark.parametrize("most", [1, 8])
def test_batches_that_fit_the_memory_give_the_same_tours(metric, most):
    problem = random_problem(metric, N)
    search = two_opt_climb(most)
    whole = search(problem, STARTS, backend="cpu")
    turns = search(problem, STARTS, backend="cpu", memory_limit=bytes_for(problem, 3, search))
    assert turns.statistics.launches >= 2
    assert np.array_equal(turns.tours, whole.tours)
    assert np.array_equal(turns.costs, whole.costs)
    for name in ("passes", "moves", "evaluations", "climbs", "stopped_by"):
        assert getattr(turns.statistics, name) == getattr(whole.statistics, name)


def test_the_memory_of_one_tour_suffices(search):
    needed = bytes_for(PROBLEM, 1, search)
    result = search(PROBLEM, STARTS, backend="cpu", memory_limit=needed)
    assert result.statistics.launches >= SIZE
    with pytest.raises(InsufficientMemoryError, match=f"memory_limit: .* {needed - 1:,} are avail"):
        search(PROBLEM, STARTS, backend="cpu", memory_limit=needed - 1)


def test_budgets_hold_over_all_turns(search):
    limits = {"backend": "cpu", "memory_limit": bytes_for(PROBLEM, 1, search)}
    result = search(PROBLEM, STARTS, budget=gls.Budget(moves=5), **limits)
    assert (result.statistics.moves, result.statistics.stopped_by) == (5 * SIZE, "moves")
    # One tour is a local optimum already; the budget ends the others.
    first = search(PROBLEM, STARTS[-1], backend="cpu").tours
    mixed = np.concatenate([STARTS[:3], first])
    assert (
        search(PROBLEM, mixed, budget=gls.Budget(moves=5), **limits).statistics.stopped_by
        == "moves"
    )
    none = search(PROBLEM, STARTS, budget=gls.Budget(seconds=0), **limits)
    assert np.array_equal(none.tours, STARTS)


@pytest.mark.parametrize("turns", [1, 3])
def test_callbacks_see_the_search_advance(search, short_launches, turns):
    seen: list[gls.Progress] = []
    limit = None if turns == 1 else bytes_for(PROBLEM, 3, search)
    result = search(PROBLEM, STARTS, backend="cpu", callback=seen.append, memory_limit=limit)
    assert len(seen) == result.statistics.launches > turns
    for before, after in pairwise(seen):
        assert before.elapsed <= after.elapsed
        assert before.best_cost >= after.best_cost
        assert before.mean_cost >= after.mean_cost
        assert before.moves <= after.moves
        assert before.evaluations <= after.evaluations
        assert before.done <= after.done
    last = seen[-1]
    assert (last.done, last.total) == (SIZE, SIZE)
    assert seen[0].done < SIZE
    assert last.best_cost == result.best_cost
    assert last.mean_cost == pytest.approx(result.costs.mean())
    assert last.moves == result.statistics.moves
    assert last.evaluations == result.statistics.evaluations


def press_ctrl_c(progress: gls.Progress) -> None:
    raise KeyboardInterrupt


def test_ctrl_c_returns_the_tours_so_far(search, short_launches):
    optimum = search(PROBLEM, STARTS, backend="cpu")
    result = search(PROBLEM, STARTS, backend="cpu", callback=press_ctrl_c)
    assert result.statistics.interrupted
    assert result.statistics.stopped_by == "interrupt"
    assert result.statistics.launches == 1
    assert np.array_equal(result.costs, PROBLEM.cost(result.tours))
    assert (result.costs < PROBLEM.cost(STARTS)).all()
    assert result.best_cost > optimum.best_cost


def test_other_errors_of_a_callback_come_through(search):
    def fail(progress: gls.Progress) -> None:
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        search(PROBLEM, STARTS, backend="cpu", callback=fail)

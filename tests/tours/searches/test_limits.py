"""Budgets, memory, progress and Ctrl-C of local and iterated searches."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError
from tests.helpers.configurations import two_opt_climb
from tests.helpers.random_problems import random_problem, random_tours

N, SIZE, KICKS = 150, 7, 20
PROBLEM = random_problem("EUC_2D", N, span=5000)
STARTS = random_tours(N, SIZE)
EXHAUSTIVE, DEFAULT = two_opt_climb(), gls.LocalSearch()
CHAINS = gls.IteratedLocalSearch(DEFAULT)
# Passes evaluate all moves, or the cities of a queue; chains kick as well.
LOCAL = pytest.mark.parametrize("search", [EXHAUSTIVE, DEFAULT], ids=["exhaustive", "default"])
EACH = pytest.mark.parametrize(
    "search", [EXHAUSTIVE, DEFAULT, CHAINS], ids=["exhaustive", "default", "chains"]
)


@pytest.fixture
def short_launches(monkeypatch):
    """Launches of one or two passes or kicks, so that a search of few cities takes many."""
    monkeypatch.setattr("gpu_ls_plugin.backends.tuning.LAUNCH_SECONDS", 1e-9)


def run(search, starts=STARTS, problem=PROBLEM, **given):
    """Search on the CPU under the given limits of a budget and other arguments."""
    limits = {name: given.pop(name) for name in ("moves", "seconds", "target") if name in given}
    if search is CHAINS:
        limits["kicks"] = KICKS
    return search(problem, starts, budget=gls.Budget(**limits), backend="cpu", **given)


def bytes_for(problem: gls.TSP, tours: int, search) -> int:
    """Bytes for a number of tours, computed from the error message for one."""
    with pytest.raises(InsufficientMemoryError) as caught:
        search(problem, STARTS, backend="cpu", memory_limit=10)
    found = re.search(r"needs ([\d,]+) bytes", str(caught.value))
    assert found is not None
    fixed = problem.metric.data(problem.values).nbytes
    return fixed + tours * (int(found[1].replace(",", "")) - fixed)


def test_statistics_count_passes_moves_and_evaluations():
    counted = run(EXHAUSTIVE).statistics
    assert counted.passes == counted.moves + SIZE  # the last pass of a tour finds nothing
    assert counted.evaluations == counted.passes * N * (N - 3) // 2
    assert counted.climbs == SIZE
    assert counted.launches >= 1
    assert counted.kicks == 0
    assert counted.seconds > 0
    assert (counted.stopped_by, counted.interrupted) == ("optimum", False)
    assert counted.backend == "cpu"


def test_a_budget_in_moves_is_per_tour():
    for most in (1, 2, 32):
        counted = run(two_opt_climb(most), moves=5).statistics
        assert (counted.moves, counted.stopped_by) == (5 * SIZE, "moves")
    assert run(EXHAUSTIVE, moves=2**70).statistics.stopped_by == "optimum"


@EACH
@pytest.mark.parametrize("turns", [False, True], ids=["whole", "turns"])
def test_without_seconds_tours_do_not_change(search, turns):
    limit = bytes_for(PROBLEM, 1, search) if turns else None
    result = run(search, seconds=0, memory_limit=limit)
    assert np.array_equal(result.tours, STARTS)
    assert np.array_equal(result.costs, PROBLEM.cost(STARTS))
    counted = result.statistics
    assert (counted.stopped_by, counted.launches, counted.kicks) == ("seconds", 0, 0)


@EACH
def test_a_target_ends_the_search(search, short_launches):
    whole = run(search)
    start = run(DEFAULT) if search is CHAINS else gls.Result(STARTS, PROBLEM.cost(STARTS))
    target = (whole.best_cost + start.best_cost) // 2
    for limit in (None, bytes_for(PROBLEM, 2, search)):  # later turns are not searched
        result = run(search, target=target, memory_limit=limit)
        assert result.statistics.stopped_by == "target"
        assert whole.best_cost < result.best_cost <= target
        assert result.statistics.kicks < KICKS * SIZE
        assert (result.costs <= PROBLEM.cost(STARTS)).all()
    missed = run(search, target=1)
    assert missed.statistics.stopped_by == whole.statistics.stopped_by
    assert np.array_equal(missed.tours, whole.tours)
    at_once = run(search, target=10**9).statistics
    assert (at_once.stopped_by, at_once.kicks) == ("target", 0)


@pytest.mark.parametrize("metric", ["EUC_2D", "EUC", "EXPLICIT"])
@pytest.mark.parametrize(
    ("search", "most"), [(two_opt_climb(), 3), (two_opt_climb(8), 3), (CHAINS, 1), (CHAINS, 4)]
)
def test_batches_that_fit_the_memory_give_the_same_tours(metric, search, most):
    problem = random_problem(metric, N)
    whole = run(search, problem=problem)
    limit = bytes_for(problem, most, search)
    turns = run(search, problem=problem, memory_limit=limit)
    assert turns.statistics.launches > whole.statistics.launches
    assert np.array_equal(turns.tours, whole.tours)
    assert np.array_equal(turns.costs, whole.costs)
    counts = ("kicks", "accepted", "moves", "moves_by", "passes", "evaluations", "climbs")
    for name in (*counts, "stopped_by"):
        assert getattr(turns.statistics, name) == getattr(whole.statistics, name), name


@EACH
def test_the_memory_of_one_tour_suffices(search):
    needed = bytes_for(PROBLEM, 1, search)
    assert run(search, memory_limit=needed).statistics.launches >= SIZE
    with pytest.raises(InsufficientMemoryError, match=f"memory_limit: .* {needed - 1:,} are avail"):
        run(search, memory_limit=needed - 1)


@LOCAL
def test_budgets_in_moves_hold_over_all_turns(search):
    limit = bytes_for(PROBLEM, 1, search)
    counted = run(search, moves=5, memory_limit=limit).statistics
    assert (counted.moves, counted.stopped_by) == (5 * SIZE, "moves")
    # One tour is a local optimum already; the budget ends the others.
    mixed = np.concatenate([STARTS[:3], run(search, STARTS[-1]).tours])
    assert run(search, mixed, moves=5, memory_limit=limit).statistics.stopped_by == "moves"


@LOCAL
@pytest.mark.parametrize("turns", [1, 3])
def test_callbacks_see_the_search_advance(search, short_launches, turns):
    seen: list[gls.Progress] = []
    limit = None if turns == 1 else bytes_for(PROBLEM, 3, search)
    result = run(search, callback=seen.append, memory_limit=limit)
    assert len(seen) == result.statistics.launches > turns
    for before, after in pairwise(seen):
        assert before.best_cost >= after.best_cost
        assert before.mean_cost >= after.mean_cost
        for name in ("elapsed", "moves", "evaluations", "done"):
            assert getattr(before, name) <= getattr(after, name), name
    last = seen[-1]
    assert (last.done, last.total) == (SIZE, SIZE)
    assert seen[0].done < SIZE
    assert last.best_cost == result.best_cost
    assert last.mean_cost == pytest.approx(result.costs.mean())
    assert last.moves == result.statistics.moves
    assert last.evaluations == result.statistics.evaluations


def press_ctrl_c(progress: gls.Progress) -> None:
    raise KeyboardInterrupt


@LOCAL
def test_ctrl_c_returns_the_tours_so_far(search, short_launches):
    result = run(search, callback=press_ctrl_c)
    assert result.statistics.interrupted
    assert result.statistics.stopped_by == "interrupt"
    assert result.statistics.launches == 1
    assert np.array_equal(result.costs, PROBLEM.cost(result.tours))
    assert (result.costs < PROBLEM.cost(STARTS)).all()
    assert result.best_cost > run(search).best_cost


@EACH
def test_other_errors_of_a_callback_come_through(search):
    def fail(progress: gls.Progress) -> None:
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        run(search, callback=fail)

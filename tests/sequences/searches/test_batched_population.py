"""Searches of sequences whose objective is a Python function."""

from __future__ import annotations

import math
import pickle
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.core.exceptions import FaultyPartError, UnsupportedProblemError
from gpu_ls_plugin.runs.acceptance import Always, BetterOrEqual
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.sequences.searches.batched_population import BatchedPopulation
from tests.sequences.searches.python_objectives import Tardiness, insertions, some_rows, tardiness

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.sequences.searches.batched_rows import BatchedRows

DESCENT = gls.SequenceSearch(kick=None)
ALL = (gls.Insertion(longest=2), gls.Swap(), gls.Reversal())


def population(problem: gls.Sequence, rows: NDArray[Any], **options: Any) -> BatchedPopulation:
    usual: dict[str, Any] = {
        "moves": (gls.Insertion(),),
        "kick": gls.DestroyRepair(),
        "accept": BetterOrEqual(),
    }
    return BatchedPopulation(problem, rows, 5, "cpu", **usual | options)


def improved(problem: gls.Sequence, rows: NDArray[Any], kicks: int, **options: Any) -> Any:
    made = population(problem, rows, **options)
    made.advance(Stretch(kicks=kicks))
    return made.tours


@pytest.mark.parametrize("real", [False, True])
def test_a_descent_ends_at_a_local_optimum(real: bool) -> None:
    problem, rows = tardiness(9, real=real), some_rows(9, 6)
    found = DESCENT(problem, rows, backend="cpu")
    assert found.statistics.stopped_by == "optimum"
    np.testing.assert_array_equal(found.costs, problem.cost(found.tours))
    assert (found.costs < problem.cost(rows)).all()
    for row, cost in zip(found.tours, found.costs, strict=True):
        around = problem.cost(np.array(list(insertions(row))))
        assert around.min() >= cost - 1e-9 * cost


def test_best_improvement_makes_the_best_move_of_all() -> None:
    problem, rows = tardiness(8), some_rows(8, 10)
    made = population(problem, rows, kick=None, pivoting="best", most_moves=1)
    assert made.advance(Stretch()).stopped_by == "moves"
    best = [problem.cost(np.array(list(insertions(row)))).min() for row in rows]
    np.testing.assert_array_equal(made.costs, best)
    made = population(problem, rows, kick=None, pivoting="best")
    assert made.advance(Stretch()).stopped_by == "optimum"
    for row, cost in zip(made.tours, made.costs, strict=True):
        assert problem.cost(np.array(list(insertions(row)))).min() == cost


@pytest.mark.parametrize(
    "moves", [(gls.Insertion(),), (gls.Swap(),), (gls.Reversal(),), ALL], ids=str
)
def test_kicks_find_the_optimum_of_small_problems(moves: tuple[Any, ...]) -> None:
    every = np.array(list(permutations(range(6))), np.int32)
    search = gls.SequenceSearch(moves, gls.DestroyRepair(removed=3))
    for seed in range(2):
        problem = tardiness(6, seed)
        found = search(problem, every[-1:], budget=gls.Budget(kicks=30), backend="cpu")
        assert found.costs[0] == problem.cost(every).min()


@pytest.mark.parametrize("pivoting", ["first", "best"])
@pytest.mark.parametrize("moves", [(gls.Insertion(),), ALL], ids=["insertion", "all"])
def test_rows_do_not_depend_on_calls(
    pivoting: str, moves: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, rows = tardiness(6), some_rows(6, 3)
    options: dict[str, Any] = {"pivoting": pivoting, "moves": moves}
    together = improved(problem, rows, 2, **options)
    alone = [improved(problem, rows[k : k + 1], 2, first_row=k, **options) for k in range(3)]
    np.testing.assert_array_equal(np.concatenate(alone), together)
    monkeypatch.setattr(tuning, "LAUNCH_SECONDS", 0.0)  # a neighbour in each launch
    np.testing.assert_array_equal(improved(problem, rows, 2, **options), together)


@pytest.mark.parametrize("pivoting", ["first", "best"])
def test_moves_do_not_depend_on_parts_of_sites(pivoting: str) -> None:
    """Calls alternate between parts of a site, one site, and several sites of both rows."""
    problem, rows = tardiness(12), some_rows(12, 2)
    calls = [(([row], 12), {}) for row in (0, 1)]
    usual = moves_of(population(problem, rows, pivoting=pivoting).rows, calls)
    calls += [(([row], 5), {}) for row in (0, 1)] + [(([0, 1], 100), {"ahead": 96})]
    found = moves_of(population(problem, rows, pivoting=pivoting).rows, calls)
    both = found.keys() & usual.keys()
    assert len(both) > 50
    assert [found[place] for place in both] == [usual[place] for place in both]


def moves_of(rows: BatchedRows, calls: list[Any]) -> dict[tuple[int, int], list[int]]:
    """Return the row after each move, by row and number of moves, of calls in random order."""
    found: dict[tuple[int, int], list[int]] = {}
    for at in np.random.default_rng(1).integers(len(calls), size=1500):
        (chosen, room), options = calls[at]
        rows.step(np.array(chosen), room, **options)
        for row, moved in enumerate(rows.state["moved"].tolist()):
            if moved:
                found.setdefault((row, moved), rows._rows[row].tolist())
    return found


def test_calls_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = tardiness(60)
    made = population(problem, some_rows(60, 300))
    made._call = 10**6
    made._pace.steps = 10**5
    monkeypatch.setattr(made._pace, "follow", lambda left: None)
    made.advance(Stretch(kicks=0), lambda: True)
    assert isinstance(problem.objective, Tardiness)
    assert 9_000 < max(problem.objective.sizes) <= 10_000


def test_stretches_and_pickles_continue() -> None:
    problem, rows = tardiness(15), some_rows(15, 4)
    whole = population(problem, rows)
    counted = whole.advance(Stretch(kicks=5))
    assert (counted.kicks, counted.stopped_by, whole.done) == (20, "kicks", 5)
    made = population(problem, rows)
    made.advance(Stretch(kicks=2))
    made.advance(Stretch(generations=1))
    made = pickle.loads(pickle.dumps(made))
    made.advance(Stretch(kicks=2))
    np.testing.assert_array_equal(made.tours, whole.tours)


def test_slow_objectives_improve_the_best_row_first(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, rows = tardiness(12), some_rows(12, 20)
    monkeypatch.setattr(tuning, "LAUNCH_SECONDS", 0.0)
    made = population(problem, rows)
    first = int(problem.cost(rows).argmin())
    made.advance(Stretch(kicks=9), lambda: bool(made.rows.state["periods"].any()))
    assert made.rows.state["periods"].argmax() == first
    assert np.count_nonzero(made.rows.state["moved"]) == 1
    made.advance(Stretch(kicks=9), lambda: made.rows.state["periods"].max() == 5)
    assert np.count_nonzero(made.rows.state["periods"]) > 2  # others have had their turns
    assert made.statistics.launches > 12 * 12


def test_limits() -> None:
    problem, rows = tardiness(20), some_rows(20, 3)
    moved = gls.SequenceSearch()(problem, rows, budget=gls.Budget(moves=2), backend="cpu")
    assert (moved.statistics.stopped_by, moved.statistics.moves) == ("moves", 6)
    assert (moved.costs < problem.cost(rows)).all()
    target = float(problem.cost(rows).min()) - 1
    found = gls.SequenceSearch()(problem, rows, budget=gls.Budget(target=target), backend="cpu")
    assert (found.statistics.stopped_by, found.best_cost <= target) == ("target", True)
    none = gls.SequenceSearch()(problem, rows, budget=gls.Budget(seconds=0), backend="cpu")
    assert none.statistics.stopped_by == "seconds"
    np.testing.assert_array_equal(none.tours, rows)


@pytest.mark.parametrize("n", [1, 2])
def test_tiny_problems(n: int) -> None:
    problem = tardiness(n)
    found = gls.SequenceSearch()(problem, some_rows(n, 2), backend="cpu")
    assert found.costs.min() == problem.cost(list(permutations(range(n)))).min()


def test_items_in_front_stay() -> None:
    problem = tardiness(8)
    problem.front = (3, 1)
    rows = some_rows(8, 4)
    rows = np.array([[3, 1, *(item for item in row if item not in (3, 1))] for row in rows])
    search = gls.SequenceSearch(ALL, gls.DestroyRepair(removed=6))
    found = search(problem, rows, budget=gls.Budget(kicks=30), backend="cpu")
    assert (problem.check(found.tours)[:, :2] == [3, 1]).all()
    rest = [item for item in range(8) if item not in (3, 1)]
    every = np.array([[3, 1, *order] for order in permutations(rest)])
    assert found.costs.min() == problem.cost(every).min()


def test_violations_have_a_price_and_lose() -> None:
    problem, rows = tardiness(8, last=2), some_rows(8, 40)
    objective = problem.objective
    objective.price = 10**6
    found = gls.SequenceSearch()(problem, rows, budget=gls.Budget(kicks=5), backend="cpu")
    assert found.feasible.all()
    every = np.array(list(permutations(range(8))), np.int32)
    allowed = every[problem.feasible(every)]
    assert found.best_cost == problem.cost(allowed).min()
    objective.price = 0  # searches leave feasible sequences, but return them
    feasible = problem.feasible(rows)
    assert 0 < feasible.sum() < len(rows)
    made = population(problem, rows)
    made.advance(Stretch(kicks=5))
    assert problem.feasible(made.tours)[feasible].all()
    assert (problem.cost(made.tours) <= problem.cost(rows))[feasible].all()
    assert made.seen[0] == problem.cost(made.tours)[problem.feasible(made.tours)].min()


def test_seen_is_infinite_without_a_feasible_row() -> None:
    problem = tardiness(4, last=4)
    assert population(problem, some_rows(4, 3)).seen == (math.inf, math.inf)


def test_accepted_rows_may_be_worse_but_the_best_are_kept() -> None:
    problem, rows = tardiness(15), some_rows(15, 5)
    made = population(problem, rows, accept=Always())
    bests = [made.costs.copy()]
    for _ in range(10):
        made.advance(Stretch(kicks=1))
        bests.append(made.costs.copy())
    assert (np.diff(bests, axis=0) <= 0).all()
    assert made.rows.accepted == 50
    assert (made.rows._kept_costs > made.costs).any()
    np.testing.assert_array_equal(made.rows._kept_costs, problem.cost(made.rows._kept))
    never_worse = population(problem, rows, kick=gls.DestroyRepair(removed=14))
    for _ in range(10):
        never_worse.advance(Stretch(kicks=1))
        np.testing.assert_array_equal(never_worse.rows._kept_costs, never_worse.costs)
    assert 0 < never_worse.rows.accepted < 50


def test_adopt_replaces_the_worst_rows() -> None:
    problem, rows = tardiness(15), some_rows(15, 6)
    better = DESCENT(problem, some_rows(15, 2, seed=9), backend="cpu").tours
    made = population(problem, rows)
    worst = np.argsort(problem.cost(rows))[::-1][:2]
    made.adopt(better, problem.cost(better))
    np.testing.assert_array_equal(made.tours[worst], better)
    np.testing.assert_array_equal(made.costs, problem.cost(made.tours))
    made.advance(Stretch(kicks=1))
    assert (problem.cost(made.tours) <= made.costs).all()
    before = made.tours.copy()
    made.adopt(rows[:3], problem.cost(rows[:3]))  # worse ones
    np.testing.assert_array_equal(made.tours, before)


def test_adopt_prefers_feasible_rows() -> None:
    problem = tardiness(8, last=2)
    problem.objective.price = 0
    rows = some_rows(8, 40)
    feasible, costs = problem.feasible(rows), problem.cost(rows)
    cheap = np.argsort(np.where(feasible, costs.max() + 1, costs))[:3]  # infeasible
    dear = np.argsort(np.where(feasible, -costs, 1))[:1]
    made = population(problem, rows[cheap])
    made.adopt(rows[dear], costs[dear])
    assert (made.tours == rows[dear]).all(axis=1).sum() == 1
    made = population(problem, rows[dear])
    made.adopt(rows[cheap[:1]], costs[cheap[:1]])
    np.testing.assert_array_equal(made.tours, rows[dear])


def test_solve_takes_functions() -> None:
    problem = gls.Sequence(7, lambda rows: (rows * np.arange(7)).sum(axis=1), integer=True)
    found = gls.solve(problem, seconds=0.2, seed=1, backend="cpu")
    assert found.best_tour.tolist() == [6, 5, 4, 3, 2, 1, 0]


def test_ctrl_c_returns_the_best_rows() -> None:
    calls = []

    def evaluate(rows: NDArray[Any]) -> Any:
        calls.append(len(rows))
        if len(calls) == 40:
            raise KeyboardInterrupt
        return (rows * np.arange(rows.shape[1])).sum(axis=1)

    problem, rows = gls.Sequence(20, evaluate), some_rows(20, 2)
    given = (rows * np.arange(20)).sum(axis=1)
    found = gls.SequenceSearch()(problem, rows, backend="cpu")
    assert found.statistics.interrupted
    assert (found.costs <= given).all() and (found.costs < given).any()


def test_exchanges_of_chains_are_refused() -> None:
    search = gls.SequenceSearch(exchange=gls.ChainMigration())
    with pytest.raises(UnsupportedProblemError, match=r"exchange: .* use none"):
        search(tardiness(5), some_rows(5, 2), backend="cpu")


def test_faulty_objectives_are_named() -> None:
    for answer in (lambda rows: rows, lambda rows: np.full(len(rows), np.nan)):
        problem = gls.Sequence(5, answer)
        with pytest.raises(FaultyPartError, match="objective: evaluate of '<lambda>'"):
            gls.SequenceSearch()(problem, some_rows(5, 2), backend="cpu")
    below = gls.Sequence(5, lambda rows: (rows[:, 0], np.full(len(rows), -1)), integer=True)
    with pytest.raises(FaultyPartError, match=r"returned violation -1 for row \["):
        below.cost(some_rows(5, 2))


def test_objectives_may_change_their_argument() -> None:
    def first_after_sorting(rows: np.ndarray) -> np.ndarray:
        rows.sort(axis=1)
        return rows[:, 0]

    rows = some_rows(5, 4)
    before = rows.copy()
    assert (gls.Sequence(5, first_after_sorting, integer=True).cost(rows) == 0).all()
    assert np.array_equal(rows, before)

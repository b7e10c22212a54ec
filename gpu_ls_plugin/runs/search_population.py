"""One call of a search that has a population: what is told on the way, and the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import arrays
from gpu_ls_plugin.core.exceptions import FaultyPartError
from gpu_ls_plugin.core.history import Point
from gpu_ls_plugin.core.result import Result, Statistics, told
from gpu_ls_plugin.runs import observers
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.stretch import Stretch

if TYPE_CHECKING:
    from gpu_ls_plugin.core.budget import Budget, Stopwatch
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback
    from gpu_ls_plugin.runs.population import Population

KICKS_OF_A_CALL = 50  # of each row, if no budget says when to stop


def search_population(
    search: object,
    population: Population,
    problem: Problem,
    watch: Stopwatch,
    callback: Callback | None,
    rows: Any,
) -> Result:
    """Return what a population finds until the budget is spent; Ctrl-C ends it early.

    Parameters
    ----------
    search : object
        That was called; observers are told.
    population : Population
        Changed in place. Its rows and costs are those of the result.
    problem : Problem
    watch : Stopwatch
        Runs since the call; knows the budget.
    callback : callable or None
        Called with a `Progress` after each launch.
    rows : array or None
        As they came in: the result is of the same kind.

    Raises
    ------
    FaultyPartError
        Kernels take a row to cost something else than `problem.cost` says.
    """
    statistics = population.statistics = Statistics(backend=population.backend.name)
    target = watch.budget.target

    def seen() -> bool:
        population.count()
        best, mean = population.seen
        told(
            statistics,
            callback,
            Point(watch.elapsed, statistics.kicks, best, mean),
            len(population.tours),
            best_tours=lambda: population.backend.to_numpy(population.tours),
        )
        return target is not None and best <= target

    try:
        stretch = Stretch(watch.seconds, own_kicks(watch.budget, by_moves=population.by_moves))
        statistics.stopped_by = drive(population, stretch, seen, watch)
        return _result(search, population, problem, watch, rows)
    except KeyboardInterrupt:  # after the last launch
        statistics.stopped_by = "interrupt"
        return _result(search, population, problem, watch, rows)


def own_kicks(budget: Budget, *, by_moves: bool) -> int | None:
    """Return the kicks of a search, None if other limits end it.

    A limit of moves is one of kicks, at least one, if a population does not end by moves.
    """
    if budget.moves is not None and not by_moves:
        moves = max(1, budget.moves)
        return moves if budget.kicks is None else min(moves, budget.kicks)
    limits = (budget.kicks, budget.moves, budget.seconds)
    return KICKS_OF_A_CALL if limits == (None, None, None) else budget.kicks


def _result(
    search: object, population: Population, problem: Problem, watch: Stopwatch, rows: Any
) -> Result:
    """Return the best rows as the kind of array that came in; observers are told."""
    backend, statistics = population.backend, population.statistics
    found, claimed = population.tours, backend.to_numpy(population.claimed)
    costs = problem.cost(backend.to_numpy(found))
    # An interrupted launch may have been noting a row.
    if not statistics.interrupted:
        wrong = costs != claimed
        if wrong.any():
            row = int(wrong.argmax())
            raise FaultyPartError(
                f"problem: the functor of {type(problem).__name__} takes row {row} to cost "
                f"{claimed[row]}, but cost() says {costs[row]}{population.advice}"
            )
    statistics.seconds = watch.elapsed
    observers.notify(problem, search, statistics)
    tours = arrays.give(backend, found, like=rows)
    if arrays.on_gpu(rows):
        costs = backend.xp.asarray(costs)
    return Result(tours, costs, statistics, problem)

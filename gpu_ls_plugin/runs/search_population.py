"""A call of a search that has a population: progress, history and the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import arrays
from gpu_ls_plugin.core.exceptions import FaultyPartError
from gpu_ls_plugin.core.history import Point
from gpu_ls_plugin.core.result import Result, Statistics, record_point
from gpu_ls_plugin.runs import observers
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.stretch import Stretch

if TYPE_CHECKING:
    from gpu_ls_plugin.core.budget import Budget, Stopwatch
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback
    from gpu_ls_plugin.runs.population import Population

KICKS_OF_A_CALL = 50  # number of kicks per row if the budget has no limit


def search_population(
    search: object,
    population: Population,
    problem: Problem,
    watch: Stopwatch,
    callback: Callback | None,
    rows: Any,
) -> Result:
    """Advance a population until its budget is spent or Ctrl-C is pressed; return the result.

    Parameters
    ----------
    search : object
        The search that was called, for observers.
    population : Population
        Changed in place. The result has its rows and costs.
    problem : Problem
    watch : Stopwatch
        The clock of the call, with its budget.
    callback : callable or None
        Called with a `Progress` after each launch.
    rows : array or None
        The input; the result has the same kind of array.

    Raises
    ------
    FaultyPartError
        Kernels and `problem.cost` disagree about the cost of a row.
    """
    statistics = population.statistics = Statistics(backend=population.backend.name)
    target = watch.budget.target

    def report() -> bool:
        population.count()
        best, mean = population.seen
        record_point(
            statistics,
            callback,
            Point(watch.elapsed, statistics.kicks, best, mean),
            len(population.tours),
            best_tours=lambda: population.backend.to_numpy(population.tours),
        )
        return target is not None and best <= target

    try:
        stretch = Stretch(watch.seconds, own_kicks(watch.budget, by_moves=population.by_moves))
        statistics.stopped_by = drive(population, stretch, report, watch)
        return _result(search, population, problem, watch, rows)
    except KeyboardInterrupt:  # Ctrl-C was pressed after the last launch
        statistics.stopped_by = "interrupt"
        return _result(search, population, problem, watch, rows)


def own_kicks(budget: Budget, *, by_moves: bool) -> int | None:
    """Return the limit of kicks of a search, None if only other limits end it.

    If moves do not end a stretch (`by_moves` is false), a limit of moves becomes a limit of kicks,
    which is at least 1.
    """
    if budget.moves is not None and not by_moves:
        moves = max(1, budget.moves)
        return moves if budget.kicks is None else min(moves, budget.kicks)
    limits = (budget.kicks, budget.moves, budget.seconds)
    return KICKS_OF_A_CALL if limits == (None, None, None) else budget.kicks


def _result(
    search: object, population: Population, problem: Problem, watch: Stopwatch, rows: Any
) -> Result:
    """Return the best rows as the same kind of array as the input, and notify observers."""
    backend, statistics = population.backend, population.statistics
    found, claimed = population.tours, backend.to_numpy(population.claimed)
    costs = problem.cost(backend.to_numpy(found))
    # An interrupted launch may have left a row half written, so costs are not compared.
    if not statistics.interrupted:
        wrong = costs != claimed
        if wrong.any():
            row = int(wrong.argmax())
            raise FaultyPartError(
                f"problem: the functor of {type(problem).__name__} computes cost "
                f"{claimed[row]} for row {row}, but cost() returns {costs[row]}{population.advice}"
            )
    statistics.seconds = watch.elapsed
    observers.notify(problem, search, statistics)
    tours = arrays.give(backend, found, like=rows)
    if arrays.on_gpu(rows):
        costs = backend.xp.asarray(costs)
    return Result(tours, costs, statistics, problem)

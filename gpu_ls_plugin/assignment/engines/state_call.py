"""One call of a search on states: what is told on the way, and the result."""

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
    from gpu_ls_plugin.assignment.engines.state_population import StatePopulation
    from gpu_ls_plugin.core.budget import Budget, Stopwatch
    from gpu_ls_plugin.core.result import Callback

ROUNDS = 50  # where no budget says when to stop


def search_states(
    population: StatePopulation, watch: Stopwatch, callback: Callback | None, states: Any
) -> Result:
    """Return what a population finds until the budget is spent; Ctrl-C ends it early.

    The result is of the same kind as `states`, which are as they came in.
    """
    statistics = population.statistics = Statistics(backend=population.backend.name)

    def seen() -> bool:
        population.count()
        point = Point(watch.elapsed, statistics.kicks, *population.seen)
        to_numpy = population.backend.to_numpy
        told(
            statistics,
            callback,
            point,
            len(population),
            best_tours=lambda: to_numpy(population.tours),
        )
        return False

    try:
        statistics.stopped_by = drive(population, _whole(watch), seen, watch)
        return _result(population, watch, states)
    except KeyboardInterrupt:  # after the last launch
        statistics.stopped_by = "interrupt"
        return _result(population, watch, states)


def own_rounds(budget: Budget) -> int | None:
    """Return the rounds of a search, None if other limits end it."""
    limits = (budget.kicks, budget.moves, budget.seconds)
    return ROUNDS if limits == (None, None, None) else budget.kicks


def _whole(watch: Stopwatch) -> Stretch:
    return Stretch(watch.seconds, own_rounds(watch.budget))


def _result(population: StatePopulation, watch: Stopwatch, states: Any) -> Result:
    """Return the best states as the kind of array that came in; observers are told."""
    problem, statistics, found = population.problem, population.statistics, population.states.found
    to_numpy = population.backend.to_numpy
    costs, claimed = problem.cost(to_numpy(found.states)), to_numpy(found.costs)
    # What is interrupted may have been in the middle of noting what it had found.
    if not statistics.interrupted:
        wrong = costs != claimed
        if wrong.any():
            row = int(wrong.argmax())
            raise FaultyPartError(
                f"problem: the functor of {type(problem).__name__} takes row {row} to cost "
                f"{claimed[row]}, but cost() says {costs[row]}; testing.check_assignment says more"
            )
    statistics.seconds = watch.elapsed
    observers.notify(problem, population.search, statistics)
    rows = arrays.give(population.backend, found.states, like=states)
    if arrays.on_gpu(states):
        costs = population.backend.xp.asarray(costs)
    return Result(rows, costs, statistics, problem)

"""A call of a search on states: rounds until the budget is spent, what is told, and the result."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin import checks
from gpu_ls_plugin.backends import arrays, get_backend
from gpu_ls_plugin.budget import Budget, Stopwatch, now
from gpu_ls_plugin.exceptions import FaultyPartError
from gpu_ls_plugin.history import Point
from gpu_ls_plugin.problems.assignment import Assignment
from gpu_ls_plugin.result import Result, Statistics, told
from gpu_ls_plugin.searches import observers
from gpu_ls_plugin.searches.driver import paced
from gpu_ls_plugin.searches.successors.searched_states import SearchedStates
from gpu_ls_plugin.successors.states import require_distinct, take_states

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.result import Callback

ROUNDS = 50  # where no budget says when to stop
FIRST_STEPS = {"cpu": 8, "cuda": 256}  # of a launch: surely shorter than it should be


class SearchRun:
    """States on their way: `drive` lets them go on until a budget is spent, again and again.

    Attributes
    ----------
    population : SearchedStates
    stopwatch : Stopwatch
        Knows the budget of the next drive; no limit at first.
    callback : callable or None
    statistics : Statistics
        Of all drives together.
    """

    def __init__(
        self,
        search: Any,
        problem: Assignment,
        states: Any,
        seed: int | None,
        target: float | None,
        backend: str | Backend,
        device: int | None,
        memory_limit: int | None,
        first_row: int,
    ) -> None:
        checks.instance("problem", problem, kind=Assignment, wanted="Assignment")
        self.search, self.problem = search, problem
        self.stopwatch = Stopwatch(Budget(target=target))
        self.callback: Callback | None = None
        chosen = get_backend(backend, device, tours=states)
        self.statistics = Statistics(backend=chosen.name, stopped_by="kicks")
        if states is None:
            states = np.full((search.states(problem, chosen), problem.n), -1)
        self._steps = FIRST_STEPS[chosen.name]  # of the next launch
        with chosen.current():
            rows = chosen.xp.array(take_states(chosen, problem.sizes, states))
            if problem.distinct:
                require_distinct(chosen, rows)
            self.population = SearchedStates(
                search.plan(problem),
                chosen,
                problem,
                rows,
                checks.seed(seed),
                checks.first_row(first_row),
                self.target,
                chosen.memory(memory_limit),
            )

    @property
    def target(self) -> float | None:
        """The cost at which the search ends."""
        given = self.stopwatch.budget.target
        known = self.problem.optimum
        return known if given is None else given

    def drive(self) -> None:
        """Go through rounds until something says that it is enough; Ctrl-C is taken."""
        try:
            self._drive(*self._limits())
        except KeyboardInterrupt:
            self.statistics.stopped_by = "interrupt"

    def _limits(self) -> tuple[float, float]:
        """Return how many rounds, and steps of all of them, may be made."""
        budget = self.stopwatch.budget
        kicks, moves = budget.kicks, budget.moves
        if (kicks, moves, budget.seconds) == (None, None, None):
            kicks = ROUNDS
        return (math.inf if kicks is None else kicks, math.inf if moves is None else moves)

    def _drive(self, most_rounds: float, most_steps: float) -> None:
        population, watch, statistics = self.population, self.stopwatch, self.statistics
        made = 0
        statistics.stopped_by = "kicks"
        if most_rounds <= 0:
            return
        if population.round_is_over:  # where the drive before this one has ended
            population.renew()
        end = population.round + most_rounds
        while True:
            left = most_steps - made
            if left <= 0 or watch.left <= 0:
                statistics.stopped_by = "moves" if left <= 0 else "seconds"
                return
            begin, before = now(), population.step
            population.advance(int(min(self._steps, left)), watch.left)
            enough = self.report()
            done = population.step - before
            made += done
            statistics.launches += 1
            self._steps = paced(done, now() - begin, watch.left, most=8 * self._steps)
            if enough or (population.round_is_over and population.round + 1 >= end):
                return
            if population.round_is_over:
                population.renew()

    def report(self) -> bool:
        """Note the state, tell the callback; return whether the target is reached."""
        population, statistics = self.population, self.statistics
        backend = population.backend
        costs, excesses = map(backend.to_numpy, (population.found.costs, population.found.excesses))
        feasible = excesses == 0
        # Infeasible states may cost less than the best result, and would be told as the best.
        best = int(costs[feasible].min()) if feasible.any() else math.inf
        mean, size = float(costs[feasible].mean()) if feasible.any() else math.inf, len(costs)
        statistics.kicks = population.round * size
        statistics.moves = int(population.move_counts.sum())
        statistics.evaluations = int(population.look_counts.sum())
        point = Point(self.stopwatch.elapsed, statistics.kicks, best, mean)
        told(
            statistics,
            self.callback,
            point,
            size,
            best_tours=lambda: backend.to_numpy(population.found.states),
        )
        if self.target is None or not feasible.any() or best > self.target:
            return False
        given = self.stopwatch.budget.target
        statistics.stopped_by = "optimum" if given is None else "target"
        return True

    def finished(self, states: Any) -> Result:
        """Return the best states as the kind of array that came in; observers are told."""
        population, problem = self.population, self.problem
        rows = population.backend.to_numpy(population.found.states)
        costs, claimed = problem.cost(rows), population.backend.to_numpy(population.found.costs)
        # What is interrupted may have been in the middle of noting what it had found.
        if not self.statistics.interrupted:
            wrong = costs != claimed
            if wrong.any():
                row = int(wrong.argmax())
                raise FaultyPartError(
                    f"problem: the functor of {type(problem).__name__} takes row {row} to cost "
                    f"{claimed[row]}, but cost() says {costs[row]}; testing.check_assignment says "
                    "more"
                )
        self.statistics.seconds = self.stopwatch.elapsed
        observers.notify(problem, self.search, self.statistics)
        found = arrays.give(population.backend, population.found.states, like=states)
        if arrays.on_gpu(states):
            costs = population.backend.xp.asarray(costs)
        return Result(found, costs, self.statistics, problem)

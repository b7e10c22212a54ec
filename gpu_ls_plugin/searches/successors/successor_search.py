"""Search by successor generation and tabu steps, for every assignment problem."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gpu_ls_plugin import checks
from gpu_ls_plugin.acceptance.base import Acceptance
from gpu_ls_plugin.backends import arrays, get_backend
from gpu_ls_plugin.budget import Budget, Stopwatch, now
from gpu_ls_plugin.exceptions import (
    FaultyPartError,
    InvalidParameterError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.heuristics.base import Heuristic
from gpu_ls_plugin.history import Point, note
from gpu_ls_plugin.problems.assignment import Assignment
from gpu_ls_plugin.result import Progress, Result, Statistics
from gpu_ls_plugin.searches import observers
from gpu_ls_plugin.searches.driver import paced
from gpu_ls_plugin.searches.successors.improvements import (
    Accepted,
    Chains,
    Improvement,
    Tabu,
    Tenure,
)
from gpu_ls_plugin.searches.successors.kernels import RULES, Layout
from gpu_ls_plugin.searches.successors.plan import Plan
from gpu_ls_plugin.searches.successors.population import Population
from gpu_ls_plugin.successors import SuccessorGeneration
from gpu_ls_plugin.successors.choices import SAMPLERS
from gpu_ls_plugin.successors.states import require_distinct, take_states

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.result import Callback

ROUNDS = 50  # where no budget says when to stop
CPU_STATES = 4  # for each thread, where nobody gives any
STEPS, DISTINCT_STEPS = 50, 100  # of a round, for each variable
KICKS = 2  # variables that are moved before chains
FIRST_STEPS = {"cpu": 8, "cuda": 256}  # of a launch: surely shorter than it should be


@dataclass(frozen=True)
class SuccessorSearch:
    """Search states of an assignment problem: tabu steps, and successors of the best states.

    In each round every state makes some steps, each the best of its moves that is not tabu (one
    variable's value, or the values of two, as the problem says). Then variables of the best state
    of each row are released, and assigned anew by successor generation.

    Parameters
    ----------
    heuristic : Heuristic, optional
        By which released variables are assigned. None: each value that may be taken is as likely.
    release : {"random", "worst", "related"}
        Which variables are released: any, those that cost most, or those near to one that is drawn.
    share : float
        Of the variables that are released on average, from 0 to 1.
    mixing : float
        Share of states of which, instead, each variable takes the value of the best state of its
        row or of another one, from 0 to 1; none where values can be renamed.
    migration : int
        Rounds without anything better after which a row goes on from the best state of another
        one, if that is better.
    steps : int, optional
        Of a round; by default 50 for each variable, 100 where values are distinct.
    tenure : int, optional
        Steps for which what a variable has left is tabu to it, at least.
    sample : int
        Moves that are looked at in a step; where there are more, a part of them in turn.
    accept : Acceptance, optional
        Steps draw moves, until this rule takes one, in the place of the tabu list. Levels are in
        mean costs of a variable of the row's first state, and run through each round.
    improvement : {"auto", "tabu", "chains"}
        What steps are: the best move that is not tabu, or kicks that ejection chains repair, which
        is the default where the problem has them.
    sampler : str
        As `SuccessorGeneration`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or of another type.
    """

    name: ClassVar[str] = "successor_search"

    heuristic: Heuristic | None = None
    release: str = "random"
    share: float = 0.1
    mixing: float = 0.5
    migration: int = 10
    steps: int | None = None
    tenure: int | None = None
    sample: int = 16384
    accept: Acceptance | None = None
    improvement: str = "auto"
    sampler: str = "auto"

    def __post_init__(self) -> None:
        if self.heuristic is not None:
            checks.instance("heuristic", self.heuristic, kind=Heuristic, wanted="Heuristic")
        if self.accept is not None:
            checks.instance("accept", self.accept, kind=Acceptance, wanted="Acceptance")
        checks.fields(self, checks.choice, "improvement", known=("auto", "tabu", "chains"))
        if self.accept is not None and self.improvement != "auto":
            raise InvalidParameterError(
                f"improvement, accept: steps are either {self.improvement} or what a rule takes; "
                "leave one out"
            )
        checks.fields(self, checks.choice, "release", known=tuple(RULES))
        checks.fields(self, checks.number, "share", "mixing", least=0.0, most=1.0)
        checks.given_fields(self, checks.integer, "steps", "tenure", least=1, most=2**30)
        checks.fields(self, checks.integer, "sample", "migration", least=1, most=checks.MOST_INT)
        checks.fields(self, checks.choice, "sampler", known=("auto", *SAMPLERS))

    def plan(self, problem: Assignment) -> Plan:
        """Return the numbers of the search on a problem."""
        by, usual = self.heuristic, DISTINCT_STEPS if problem.distinct else STEPS
        steps = usual * problem.n if self.steps is None else self.steps
        return Plan(
            steps=steps,
            improvement=self._improvement(problem, steps),
            release=self.release,
            released=max(1, round(2 * self.share * problem.n)),
            mixing=0.0 if problem.interchangeable else self.mixing,
            migration=self.migration,
            generation=None if by is None else SuccessorGeneration(by, self.sampler),
        )

    def states(self, problem: Assignment, backend: Backend) -> int:
        """Return how many states are searched where nobody gives any: what a device has at a time.

        On a GPU that depends on what is kept of a state.
        """
        if backend.name == "cpu":
            return CPU_STATES * backend.processors
        steps = self.plan(problem).improvement
        layout = Layout.of(backend, problem, steps.team(backend), steps.resident(problem))
        return layout.resident * backend.processors

    def _improvement(self, problem: Assignment, steps: int) -> Improvement:
        """Return what the steps of a round are."""
        if self.accept is not None:
            return Accepted(self.accept, self.sample, steps)
        if self.improvement == "chains" and not problem.chains:
            raise UnsupportedProblemError(
                f"improvement: {type(problem).__name__} has no chains; leave it out"
            )
        if problem.chains and self.improvement != "tabu":
            return Chains(KICKS)
        return Tabu(self._tenure(problem), self.sample)

    def _tenure(self, problem: Assignment) -> Tenure:
        """Return how long moves are tabu."""
        if self.tenure is not None:
            return Tenure(self.tenure, max(1, self.tenure // 4), 0.0)
        if problem.distinct:
            return Tenure(max(1, round(0.9 * problem.n)), max(1, round(0.2 * problem.n)), 0.0)
        if problem.moves == ("assign",):
            return Tenure(0, 10, 0.6)
        return Tenure(5, 2, 0.0)

    def __call__(
        self,
        problem: Assignment,
        states: Any = None,
        *,
        seed: int | None = 0,
        budget: Budget | None = None,
        backend: str | Backend = "auto",
        device: int | None = None,
        callback: Callback | None = None,
        memory_limit: int | None = None,
        first_row: int = 0,
    ) -> Result:
        """Search states until the budget is spent, or the problem's optimum is found.

        Parameters
        ----------
        problem : Assignment
        states : array, shape (P, m), integer, optional
            Values, or -1: assigned first. Not changed. NumPy, or CuPy with the result on the same
            device. By default as many empty ones as keep the device busy.
        seed : int or None
            None draws one.
        budget : Budget, optional
            `seconds`, `kicks` (rounds), `moves` (steps of each state), `target`; 50 rounds where
            nothing is said.
        backend, device
            See `get_backend`.
        callback : callable, optional
            Called with a `Progress` after each launch of about 50 ms.
        memory_limit : int, optional
            Bytes that may be used.
        first_row : int
            Number of the first row, where the batch is a part of a larger one.

        Returns
        -------
        Result
            Row r is the best state of row r, and never worse than it was: one that breaks
            constraints by less is better than any that breaks them by more. After Ctrl-C what was
            found so far, with `statistics.interrupted`.

        Raises
        ------
        UnsupportedProblemError
            The problem has no functor, or the heuristic is not one for it.
        InvalidTourError, InvalidTypeError, InvalidParameterError
            States or a parameter are not what is described here.
        InsufficientMemoryError
            The states do not fit.
        FaultyPartError
            The problem's functor and its `cost` disagree.
        """
        watch = Stopwatch(budget)
        checks.callback(callback)
        place: dict[str, Any] = {"backend": backend, "device": device, "first_row": first_row}
        run = self.begin(
            problem,
            states,
            seed=seed,
            memory_limit=memory_limit,
            target=watch.budget.target,
            **place,
        )
        run.stopwatch, run.callback = watch, callback
        with run.population.backend.current():
            run.drive()
            return run.finished(states)

    def begin(
        self,
        problem: Assignment,
        states: Any = None,
        *,
        seed: int | None = 0,
        backend: str | Backend = "auto",
        device: int | None = None,
        memory_limit: int | None = None,
        first_row: int = 0,
        target: float | None = None,
    ) -> SearchRun:
        """Return a run that has yet to be driven; see `__call__`."""
        return SearchRun(
            self, problem, states, seed, target, backend, device, memory_limit, first_row
        )


class SearchRun:
    """States on their way: `drive` lets them go on until a budget is spent, again and again.

    Attributes
    ----------
    population : Population
    stopwatch : Stopwatch
        Knows the budget of the next drive; no limit at first.
    callback : callable or None
    statistics : Statistics
        Of all drives together.
    """

    def __init__(
        self,
        search: SuccessorSearch,
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
            self.population = Population(
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
        if population.round_is_over:  # where the drive before this one has ended
            population.renew()
        end = population.round + most_rounds
        statistics.stopped_by = "kicks"
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
        own = costs[feasible] if feasible.any() else costs
        best = int(own.min())
        size, rounds = len(costs), population.round
        statistics.kicks = rounds * size
        statistics.moves = int(population.move_counts.sum())
        statistics.evaluations = int(population.look_counts.sum())
        point = Point(self.stopwatch.elapsed, statistics.kicks, best, float(own.mean()))
        improved = note(statistics.history, point)
        if self.callback is not None:
            self.callback(
                Progress(
                    elapsed=point.elapsed,
                    best_cost=best,
                    mean_cost=point.mean_cost,
                    moves=statistics.moves,
                    evaluations=statistics.evaluations,
                    done=0,
                    total=size,
                    kicks=statistics.kicks,
                    improved=improved,
                    best_tours=lambda: backend.to_numpy(population.found.states),
                )
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
        if (population.step or population.round) and not self.statistics.interrupted:
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

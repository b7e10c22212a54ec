"""Search by successor generation and tabu steps, for every assignment problem."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gpu_ls_plugin.assignment.engines.improvements import (
    Accepted,
    EjectionChains,
    Improvement,
    RoundDefaults,
    RoundPlan,
    Tabu,
    Tenure,
    kinds_of_moves,
)
from gpu_ls_plugin.assignment.engines.kernels import RULES, Layout
from gpu_ls_plugin.assignment.engines.state_population import StatePopulation
from gpu_ls_plugin.assignment.heuristics.base import Heuristic
from gpu_ls_plugin.assignment.heuristics.cheapest_value import CheapestValue
from gpu_ls_plugin.assignment.heuristics.masked import Masked
from gpu_ls_plugin.assignment.heuristics.masks.values_taken import Distinct
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.assignment.successors.choices import SAMPLERS
from gpu_ls_plugin.assignment.successors.generation import SuccessorGeneration
from gpu_ls_plugin.assignment.successors.states import require_distinct, take_states
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import Budget, Stopwatch
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.core.feasibility import warns_if_infeasible
from gpu_ls_plugin.runs.acceptance import Acceptance
from gpu_ls_plugin.runs.search_population import KICKS_OF_A_CALL, search_population

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.result import Callback, Result

CPU_STATES = 4  # for each thread, where nobody gives any
# Of each variable, least and spread. Flows without a structure want short ones, structured ones
# long ones.
DISTINCT_TENURES = ((0.9, 0.2), (0.05, 0.1), (0.05, 0.1), (0.05, 0.1))
UNREACHED = -(2.0**62)  # cost of no state
KICKS = 2  # variables that are moved before chains


@dataclass(frozen=True)
class SuccessorSearch:
    """Search states of an assignment problem: tabu steps, and successors of the best states.

    In each round every state makes some steps, each the best of its moves that is not tabu (one
    variable's value, or the values of two, as the problem says), or what `accept` or `improvement`
    says. Then variables of the best state of each row are released, and assigned anew by successor
    generation.

    Parameters
    ----------
    heuristic : Heuristic, optional
        By which released variables are assigned. None: each value that may be taken is as likely.
    release : {"random", "worst", "related"}
        Which variables are released: any, those that cost most, or those near to one that is drawn.
    share : float, optional
        Of the variables that are released on average, from 0 to 1. By default 0.1, with chains
        0.01.
    mixing : float, optional
        Share of states of which, instead, each variable takes the value of the best state of its
        row or of another one, from 0 to 1; none where values can be renamed. By default 0.5, with
        chains 0.
    migration : int, optional
        Rounds without anything better after which a row goes on from the best state of another
        one, if that is better; by default 10, with chains 0.
    steps : int, optional
        Of a round; by default 50 for each variable, 200 where values are distinct, with chains 5.
    tenure : int, optional
        Steps for which what a variable has left is tabu to it, at least. By default, states whose
        values are distinct have short tenures in three rounds of four, and long ones in the others.
    sample : int
        Moves that are looked at in a step; where there are more, a part of them in turn.
    accept : Acceptance, optional
        Steps draw moves, until this rule takes one, in the place of the tabu list. Levels are in
        mean costs of a variable of the row's first state, and run through each round.
    improvement : {"auto", "tabu", "chains"}
        What steps are: the best move that is not tabu, or kicks that ejection chains repair, which
        is the default where the problem has them and no `tenure` is given.
    sampler : str
        As `SuccessorGeneration`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or of another type.
    """

    name: ClassVar[str] = "successor_search"
    adopts: ClassVar[bool] = True  # a population takes rows of others

    heuristic: Heuristic | None = None
    release: str = "random"
    share: float | None = None
    mixing: float | None = None
    migration: int | None = None
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
        checks.given_fields(self, checks.number, "share", "mixing", least=0.0, most=1.0)
        checks.given_fields(self, checks.integer, "steps", "tenure", least=1, most=2**30)
        checks.given_fields(self, checks.integer, "migration", least=0, most=checks.MOST_INT)
        checks.fields(self, checks.integer, "sample", least=1, most=checks.MOST_INT)
        checks.fields(self, checks.choice, "sampler", known=("auto", *SAMPLERS))

    def plan(self, problem: Assignment) -> RoundPlan:
        """Return the numbers of the search on a problem."""
        by, improvement = self.heuristic, self._improvement(problem)
        if by is not None and problem.distinct and not _keeps_distinct(by):
            by = Masked(by, Distinct())
        defaults = improvement.round_defaults(problem)
        share = defaults.share if self.share is None else self.share
        mixing = defaults.mixing if self.mixing is None else self.mixing
        migration = defaults.migration if self.migration is None else self.migration
        return RoundPlan(
            steps=self._steps(problem, defaults),
            improvement=improvement,
            release=self.release,
            released=max(1, round(2 * share * problem.n)),
            mixing=0.0 if problem.interchangeable else mixing,
            migration=migration,
            generation=None if by is None else SuccessorGeneration(by, self.sampler),
        )

    def _steps(self, problem: Assignment, defaults: RoundDefaults) -> int:
        """Return how many steps a round has."""
        return max(1, round(defaults.steps * problem.n)) if self.steps is None else self.steps

    def states(self, problem: Assignment, backend: Backend) -> int:
        """Return how many states are searched where nobody gives any: what a device has at a time.

        On a GPU that depends on what is kept of a state.
        """
        if backend.name == "cpu":
            return CPU_STATES * backend.processors
        steps = self.plan(problem).improvement
        layout = Layout.of(backend, problem, steps.team(backend), steps.resident(problem))
        return layout.resident * backend.processors

    def _improvement(self, problem: Assignment) -> Improvement:
        """Return what the steps of a round are."""
        if self.accept is not None:
            return Accepted(
                self.accept, self.sample, self._steps(problem, Accepted.round_defaults(problem))
            )
        if self.improvement == "chains" and not problem.chains:
            raise UnsupportedProblemError(
                f"improvement: {type(problem).__name__} has no chains; leave it out"
            )
        wanted = self.improvement == "chains" or (self.improvement, self.tenure) == ("auto", None)
        if problem.chains and wanted:
            return EjectionChains(KICKS)
        return Tabu(self._tenures(problem), self.sample)

    def _tenures(self, problem: Assignment) -> tuple[Tenure, ...]:
        """Return how long moves are tabu, round after round."""
        if self.tenure is not None:
            return (Tenure(self.tenure, max(1, self.tenure // 4), 0.0),)
        if problem.distinct:
            return tuple(
                Tenure(max(1, round(least * problem.n)), max(1, round(spread * problem.n)), 0.0)
                for least, spread in DISTINCT_TENURES
            )
        if kinds_of_moves(problem) == ("assign",):
            return (Tenure(0, 10, 0.6),)
        return (Tenure(5, 2, 0.0),)

    @warns_if_infeasible
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
        population = self.population(
            problem,
            states,
            seed=seed,
            backend=backend,
            device=device,
            memory_limit=memory_limit,
            first_row=first_row,
            target=watch.budget.target,
            moves=watch.budget.moves,
        )
        with population.backend.current():
            return search_population(self, population, problem, watch, callback, states)

    def prepare(
        self,
        problem: Assignment,
        size: int = 2,
        *,
        backend: str | Backend = "auto",
        device: int | None = None,
    ) -> None:
        """Compile ahead, by two short rounds, so that a later call searches at once.

        Parameters
        ----------
        problem : Assignment
        size : int
            Number of states; the programs do not depend on it.
        backend, device
            Where it will search; see `get_backend`.

        Raises
        ------
        CompilationError, UnsupportedProblemError, BackendUnavailableError
            As the search does.
        KeyboardInterrupt
            Ctrl-C.
        """
        empty, budget = np.full((size, problem.n), -1, np.int32), Budget(kicks=2, target=UNREACHED)
        short = replace(self, steps=1)
        found = short(problem, empty, budget=budget, backend=backend, device=device)
        if found.statistics.interrupted:
            raise KeyboardInterrupt

    def population(
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
        moves: int | None = None,
        asked: Assignment | None = None,
        seconds: float = math.inf,
        parts: int = 1,
    ) -> StatePopulation:
        """Return the first states as a population; see `__call__` and `StatePopulation`.

        These are made whatever the seconds, in one part.
        """
        checks.instance("problem", problem, kind=Assignment, wanted="Assignment")
        chosen = get_backend(backend, device, tours=states)
        if states is None:
            states = np.full((self.states(problem, chosen), problem.n), -1)
        with chosen.current():
            rows = chosen.xp.array(take_states(chosen, problem.sizes, states))
            if problem.distinct:
                require_distinct(chosen, rows)
        population = StatePopulation(
            self,
            problem,
            rows,
            checks.seed(seed),
            chosen,
            first_row=checks.first_row(first_row),
            target=target,
            memory_limit=memory_limit,
            moves=moves,
            asked=asked,
        )
        population.begin()
        return population

    def own_kicks(self, problem: Assignment) -> int:
        """Return the rounds of a search that nothing else limits."""
        return KICKS_OF_A_CALL


def _keeps_distinct(heuristic: Heuristic) -> bool:
    """Return whether a heuristic gives no value twice in a problem whose values are distinct."""
    masks = heuristic.masks if isinstance(heuristic, Masked) else ()
    return isinstance(heuristic, CheapestValue) or any(isinstance(mask, Distinct) for mask in masks)

"""Search with successor generation and tabu steps, for any assignment problem."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gpu_ls_plugin.assignment.engines.improvements import (
    Accepted,
    EjectionChains,
    Improvement,
    RoundParameters,
    RoundPlan,
    Tabu,
    Tenure,
    kinds_of_moves,
)
from gpu_ls_plugin.assignment.engines.kernels import RULES
from gpu_ls_plugin.assignment.engines.state_layouts import Layout
from gpu_ls_plugin.assignment.engines.state_population import StatePopulation
from gpu_ls_plugin.assignment.heuristics.base import Heuristic
from gpu_ls_plugin.assignment.heuristics.cheapest_value import CheapestValue
from gpu_ls_plugin.assignment.heuristics.masked import Masked
from gpu_ls_plugin.assignment.heuristics.masks.conflicts import Distinct
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.assignment.successors.arguments import require_distinct, take_states
from gpu_ls_plugin.assignment.successors.generation import SuccessorGeneration
from gpu_ls_plugin.assignment.successors.samplers import known_sampler
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

CPU_STATES = 4  # default number of states per thread
# Minimum tenure and spread for each round in turn, as multiples of the kinds of variables. In
# quadratic assignment, unstructured flows need short tenures, and structured flows need long ones
# (docs/lab/kernels-states-and-sequences.md, "Tenures").
DISTINCT_TENURES = ((0.9, 0.2), (0.05, 0.1), (0.05, 0.1), (0.05, 0.1))
LEAST_TENURE = 0.04  # minimum tenure, as a multiple of the number of variables
UNREACHED = -(2.0**62)  # a target that no state reaches
KICKS = 2  # maximum number of variables that a step moves before chains repair the state


@dataclass(frozen=True)
class SuccessorSearch:
    """Search states of an assignment problem with tabu steps and successors of the best states.

    A round begins with a number of steps on each state. A step makes the best move that is not tabu
    (Hertz and de Werra 1987; Taillard 1991). A move changes the value of one variable, or swaps the
    values of two, as the problem allows. `accept` and `improvement` select other steps. After the
    steps, variables of each row's best state are released and reassigned by successor generation.

    Parameters
    ----------
    heuristic : Heuristic, optional
        Assigns the released variables. By default, all allowed values are equally likely.
    release : {"random", "worst", "related"}
        Which variables are released: random ones, the most expensive ones, or those related to a
        random one.
    share : float, optional
        Share of the variables that are released on average, from 0 to 1. By default 0.1; 0.3 if
        up to 64 variables have distinct values; 0.01 with chains.
    mixing : float, optional
        Share of the states, from 0 to 1, that are mixed instead of released: each variable takes
        its value from the row's best state or from the best state of another row. If values are
        interchangeable, the new state gets the largest classes of both (Galinier and Hao 1999). By
        default 0.5; 0 with chains.
    migration : int, optional
        After this many rounds without a better state, a row continues from another row's best state
        if that one is better. By default 10; 0 with chains.
    steps : int, optional
        Number of steps in a round. By default 50 per variable, but 200 per variable for tabu steps
        on distinct values, 10 per vertex of a dense graph, and 5 per variable with chains.
    tenure : int, optional
        Minimum number of steps for which a variable must not return to a value that it has left.
        The default depends on the problem; if values are distinct, one round in four has a long
        tenure, and the others have short ones.
    sample : int
        Maximum number of moves that a step evaluates. If there are more, each step evaluates a
        different part of them.
    accept : Acceptance, optional
        Replaces the tabu list: a step draws moves until this rule accepts one. Its levels are
        multiples of the mean cost of a variable in the row's initial state; each round passes
        through all levels.
    improvement : {"auto", "tabu", "chains"}
        "tabu": a step makes the best move that is not tabu. "chains": a step kicks the state and
        repairs it with ejection chains. "auto" is "chains" if the problem has them and no `tenure`
        is given.
    sampler : str
        As in `SuccessorGeneration`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or of the wrong type.
    """

    name: ClassVar[str] = "successor_search"
    adopts: ClassVar[bool] = True  # populations accept rows from other populations

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
                f"improvement, accept: steps use either {self.improvement} or an acceptance rule; "
                "leave one out"
            )
        checks.fields(self, checks.choice, "release", known=tuple(RULES))
        checks.given_fields(self, checks.number, "share", "mixing", least=0.0, most=1.0)
        checks.given_fields(self, checks.integer, "steps", "tenure", least=1, most=2**30)
        checks.given_fields(self, checks.integer, "migration", least=0, most=checks.MOST_INT)
        checks.fields(self, checks.integer, "sample", least=1, most=checks.MOST_INT)
        checks.fields(self, known_sampler, "sampler")

    def plan(self, problem: Assignment) -> RoundPlan:
        """Return the parameters of a search on a problem."""
        by, improvement = self.heuristic, self._improvement(problem)
        if by is not None and problem.distinct and not _keeps_distinct(by):
            by = Masked(by, Distinct())
        of_round = self._of_round(problem, type(improvement))
        return RoundPlan(
            steps=of_round.steps,
            improvement=improvement,
            release=self.release,
            released=max(1, round(2 * of_round.share * problem.n)),
            mixing=of_round.mixing,
            migration=of_round.migration,
            generation=None if by is None else SuccessorGeneration(by, self.sampler),
        )

    def _of_round(self, problem: Assignment, steps: type[Improvement]) -> RoundParameters:
        given = {name: getattr(self, name) for name in RoundParameters._fields}
        known = {name: value for name, value in given.items() if value is not None}
        return steps.round_defaults(problem)._replace(**known)

    def states(self, problem: Assignment, backend: Backend) -> int:
        """Return the default number of states: as many as the device searches at a time.

        On a GPU, the number depends on the size of a state's data.
        """
        if backend.name == "cpu":
            return CPU_STATES * backend.processors
        layout = Layout.of(backend, problem, self._improvement(problem))
        return layout.resident * backend.processors

    def _improvement(self, problem: Assignment) -> Improvement:
        if self.accept is not None:
            return Accepted(self.accept, self.sample, self._of_round(problem, Accepted).steps)
        if self.improvement == "chains" and not problem.chains:
            raise UnsupportedProblemError(
                f"improvement: {type(problem).__name__} has no chains; leave it out"
            )
        wanted = self.improvement == "chains" or (self.improvement, self.tenure) == ("auto", None)
        if problem.chains and wanted:
            return EjectionChains(KICKS)
        return Tabu(self._tenures(problem), self.sample)

    def _tenures(self, problem: Assignment) -> tuple[Tenure, ...]:
        """Return the tenures, one for each round in turn."""
        if self.tenure is not None:
            return (Tenure(self.tenure, max(1, self.tenure // 4), 0.0),)
        if problem.distinct:
            kinds = len(np.unique(problem.kinds))
            floor = max(1, round(LEAST_TENURE * problem.n))
            return tuple(
                Tenure(max(floor, round(least * kinds)), max(1, round(spread * kinds)), 0.0)
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
        """Search states until the budget is spent or the problem's optimum is found.

        Parameters
        ----------
        problem : Assignment
        states : array, shape (P, m), integer, optional
            Initial states, which are not changed. Variables with the value -1 are assigned before
            the first step. NumPy or CuPy array; with CuPy, the result is on the same device. By
            default, as many empty states as keep the device busy.
        seed : int or None
            None draws a random seed.
        budget : Budget, optional
            `seconds`, `kicks` (rounds), `moves` (steps of each state), `target`. By default 50
            rounds.
        backend, device
            See `get_backend`.
        callback : callable, optional
            Called with a `Progress` after each launch of about 50 ms.
        memory_limit : int, optional
            How many bytes may be used; by default, all that are available.
        first_row : int
            Number of the first row if the batch is part of a larger one.

        Returns
        -------
        Result
            The best state of each row, never worse than the given one; a state with less excess
            is better, whatever it costs. After Ctrl-C, these are the best states so far, and
            `statistics.interrupted` is true.

        Raises
        ------
        UnsupportedProblemError
            The problem has no functor, or the heuristic does not fit the problem.
        InvalidTourError, InvalidTypeError, InvalidParameterError
            States or a parameter are invalid.
        InsufficientMemoryError
            The states do not fit into memory.
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
        """Run two short rounds, so that later calls find everything compiled.

        Parameters
        ----------
        problem : Assignment
        size : int
            Number of states; any value works.
        backend, device
            Those of the later calls; see `get_backend`.

        Raises
        ------
        CompilationError, UnsupportedProblemError, BackendUnavailableError
            As in a call.
        KeyboardInterrupt
            The user pressed Ctrl-C.
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
        """Return a population of the initial states; see `__call__` and `StatePopulation`.

        `seconds` and `parts` have no effect, since all initial states are made at once.
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
        """Return how many rounds a search makes if there is no other limit."""
        return KICKS_OF_A_CALL


def _keeps_distinct(heuristic: Heuristic) -> bool:
    """Return whether a heuristic gives distinct values in a problem that requires them."""
    masks = heuristic.masks if isinstance(heuristic, Masked) else ()
    return isinstance(heuristic, CheapestValue) or any(isinstance(mask, Distinct) for mask in masks)

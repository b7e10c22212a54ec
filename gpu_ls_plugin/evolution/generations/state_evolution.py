"""Generations of states of assignment problems, as `SuccessorSearch` makes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.budget import Stopwatch, now
from gpu_ls_plugin.evolution.generations.evolution import Evolution
from gpu_ls_plugin.result import Statistics
from gpu_ls_plugin.searches.driver import paced
from gpu_ls_plugin.searches.successors import SuccessorSearch
from gpu_ls_plugin.searches.successors.best_states import NOTHING
from gpu_ls_plugin.searches.successors.first_states import completed
from gpu_ls_plugin.searches.successors.run import FIRST_STEPS
from gpu_ls_plugin.searches.successors.searched_states import SearchedStates
from gpu_ls_plugin.solver import Settings
from gpu_ls_plugin.solver.single import rehearse

if TYPE_CHECKING:
    from gpu_ls_plugin.evolution.run import FrameworkRun
    from gpu_ls_plugin.problems.assignment import Assignment

STEPS = 5  # of a generation, for each variable


class StatePopulation:
    """The best states of the rows of a search, generation by generation.

    A generation is a part of a round. Copies and pickles lie on the host; they begin a round from
    the best states.

    Parameters
    ----------
    search : SuccessorSearch
    problem : Assignment
    states : int32 array, shape (P, m)
        With -1 where a variable is still to be assigned.
    seed : int
    backend : str
    """

    def __init__(
        self, search: SuccessorSearch, problem: Assignment, states: Any, seed: int, backend: str
    ) -> None:
        self.search, self.problem, self.seed, self.backend = search, problem, seed, backend
        self._states = np.array(states, np.int32)
        self._population: SearchedStates | None = None
        self._counted = np.zeros(2, np.int64)
        self._pace = 0

    @property
    def tours(self) -> Any:
        """The best state of each row, complete: array of the backend, shape (P, m), int32."""
        if self._population is None:
            return completed(self.problem, self._states, self.seed)
        return self._population.found.states

    @property
    def costs(self) -> Any:
        """What they cost, shape (P,); more than any cost where they break constraints."""
        if self._population is None:
            rows = self.tours
            return np.where(self.problem.feasible(rows), self.problem.cost(rows), NOTHING)
        found, xp = self._population.found, self._population.backend.xp
        return xp.where(found.excesses == 0, found.costs, NOTHING)

    def __len__(self) -> int:
        return len(self._states)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_population": None, "_states": on_host(self.tours).copy()}

    def advance(self, seconds: float) -> Statistics:
        """Make one generation within a time (in place); return what it has counted.

        Ctrl-C ends it like time, and is noted.
        """
        watch, backend = Stopwatch.of(seconds), get_backend(self.backend)
        statistics = Statistics(backend=backend.name, stopped_by="kicks")
        with backend.current():
            try:
                self._advance(backend, watch)
            except KeyboardInterrupt:
                statistics.stopped_by = "interrupt"
            self._count(statistics)
        statistics.seconds = watch.elapsed
        return statistics

    def _advance(self, backend: Any, watch: Stopwatch) -> None:
        population = self._population
        if population is None:
            plan, states = self.search.plan(self.problem), backend.xp.asarray(self._states)
            population = self._population = SearchedStates(
                *(plan, backend, self.problem, states, self.seed, 0),
                *(self.problem.optimum, backend.memory(None)),
            )
            self._counted = np.zeros(2, np.int64)
            self._pace = FIRST_STEPS[backend.name]
        elif population.round_is_over:
            population.renew()
        left = STEPS * self.problem.n
        while left > 0 and not population.round_is_over and watch.left > 0:
            begin, before = now(), population.step
            population.advance(min(self._pace, left), watch.left)
            done = population.step - before
            left -= done
            self._pace = paced(done, now() - begin, watch.left, most=8 * self._pace)

    def _count(self, statistics: Statistics) -> None:
        """Say what has been counted since the last generation."""
        population = self._population
        if population is None:
            return
        sums = [int(c.sum()) for c in (population.move_counts, population.look_counts)]
        statistics.moves, statistics.evaluations = (np.array(sums) - self._counted).tolist()
        self._counted = np.array(sums)
        statistics.climbs = len(self)


@dataclass(frozen=True)
class StateEvolution(Evolution[StatePopulation]):
    """States that are searched, mixed and assigned anew; the best of each row is the population.

    Parameters
    ----------
    search : SuccessorSearch
    size : int
        States.
    backend : str
    """

    search: SuccessorSearch
    states: int
    backend: str = "auto"

    @classmethod
    def like_solve(
        cls, problem: Assignment, search: SuccessorSearch | None, size: int | None, backend: str
    ) -> StateEvolution:
        """Return the evolution of what `solve` would search; what is given is taken."""
        chosen = search or SuccessorSearch()
        return cls(chosen, size or chosen.states(problem, get_backend(backend)), backend)

    @property
    def size(self) -> int:
        """Number of states."""
        return self.states

    def prepare(self, problem: Assignment) -> None:
        """Compile what a run needs, ahead of it."""
        settings = Settings(search=self.search, population=self.size, backend=self.backend)
        rehearse(problem, settings)

    def start(
        self,
        problem: Assignment,
        random_state: np.random.Generator,
        run: FrameworkRun,
        given: Any = None,
    ) -> StatePopulation:
        """Return states after a first generation, from `given` ones and from empty ones."""
        states = np.full((self.size, problem.n), -1, np.int32)
        if given is not None:
            states[: len(given)] = given[: self.size]
        seed = int(random_state.integers(2**63))
        population = StatePopulation(self.search, problem, states, seed, self.backend)
        run.account(population.advance(run.seconds_left()))
        return population

    def next(
        self,
        problem: Assignment,
        population: StatePopulation,
        random_state: np.random.Generator,
        run: FrameworkRun,
    ) -> StatePopulation:
        """Let the states go on for a generation (in place)."""
        if run.seconds_left() > 0:
            run.account(population.advance(run.seconds_left()))
        return population

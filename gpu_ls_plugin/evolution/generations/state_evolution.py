"""Generations of states of assignment problems, as `SuccessorSearch` makes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.evolution.generations.evolution import Evolution
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.searches.successors import SuccessorSearch
from gpu_ls_plugin.searches.successors.state_population import StatePopulation
from gpu_ls_plugin.solver import Settings
from gpu_ls_plugin.solver.single import rehearse

if TYPE_CHECKING:
    from gpu_ls_plugin.evolution.run import FrameworkRun
    from gpu_ls_plugin.problems.assignment import Assignment


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
        run.account(population.advance(Stretch(run.seconds_left(), generations=1)))
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
            run.account(population.advance(Stretch(run.seconds_left(), generations=1)))
        return population

"""Generations of routes that find out how many vehicles to use, as `gpu-ls solve` does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.evolution.generations.in_turn import Turn, Turns
from gpu_ls_plugin.problems.cvrp import routing_problem
from gpu_ls_plugin.solver.fewer_vehicles import one_fewer, seconds_of_a_try

if TYPE_CHECKING:
    import numpy as np

    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.evolution.generations.route_evolution import RouteEvolution
    from gpu_ls_plugin.evolution.run import Run
    from gpu_ls_plugin.problems.tsp import TSP


@dataclass(frozen=True)
class FleetEvolution(Turns):
    """Short tries, each with one vehicle fewer as long as that is better; chains for the rest.

    Parameters
    ----------
    tried, last : RouteEvolution
        In the time of a try, and in what is left.
    """

    tried: RouteEvolution
    last: RouteEvolution

    @property
    def size(self) -> int:
        """Tours of the last population."""
        return self.last.size

    def prepare(self, problem: TSP) -> None:
        """Compile what a run needs, ahead of it."""
        for fleet in (None, routing_problem(problem).least_vehicles):
            self.last.limited(fleet).prepare(problem)

    def start(
        self,
        problem: TSP,
        random_state: np.random.Generator,
        run: Run,
        given: Tours | None = None,
    ) -> Turn:
        """Return the first population of a try, or the last one around tours."""
        if given is not None:
            return Turn.begun(self.last, 1.0, problem, random_state, run, given)
        return self._try(None, problem, random_state, run)

    def _following(
        self, turn: Turn, problem: TSP, random_state: np.random.Generator, run: Run
    ) -> Turn:
        finder: Any = turn.finder
        if finder is turn.evolution:  # the try was better than those before
            fewer = one_fewer(routing_problem(problem), turn.best, turn.number)
            if fewer is not None:
                return self._try(fewer, problem, random_state, run)
        return Turn.begun(self.last.limited(finder.fleet), 1.0, problem, random_state, run)

    def _try(
        self, fleet: int | None, problem: TSP, random_state: np.random.Generator, run: Run
    ) -> Turn:
        done, left = run.progress(), max(run.seconds_left(), 1e-9)
        end = done + seconds_of_a_try(left) / left * (1.0 - done)
        return Turn.begun(self.tried.limited(fleet), end, problem, random_state, run)

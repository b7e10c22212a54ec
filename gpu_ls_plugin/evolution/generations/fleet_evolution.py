"""Generations of routes that find out how many vehicles to use, as `gpu-ls solve` does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.evolution.generations.in_turn import Turn, Turns
from gpu_ls_plugin.problems.cvrp import routing_problem
from gpu_ls_plugin.solver.fewer_vehicles import one_fewer, seconds_of_a_try

if TYPE_CHECKING:
    from gpu_ls_plugin.evolution.generations.in_turn import Stage
    from gpu_ls_plugin.evolution.generations.route_evolution import RouteEvolution
    from gpu_ls_plugin.evolution.run import FrameworkRun
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

    def prepare(self, problem: TSP) -> None:
        """Compile what a run needs, ahead of it."""
        for fleet in (None, routing_problem(problem).least_vehicles):
            self.last.limited(fleet).prepare(problem)

    def _following(self, turn: Turn | None, problem: TSP, run: FrameworkRun) -> Stage:
        if turn is None:
            return self._try(None, run)
        finder: Any = turn.finder
        if finder is turn.evolution:  # the try was better than those before
            fewer = one_fewer(routing_problem(problem), turn.best, turn.number)
            if fewer is not None:
                return self._try(fewer, run)
        return 1.0, self.last.limited(finder.fleet)

    def _try(self, fleet: int | None, run: FrameworkRun) -> Stage:
        done, left = run.progress(), max(run.seconds_left(), 1e-9)
        return done + seconds_of_a_try(left) / left * (1.0 - done), self.tried.limited(fleet)

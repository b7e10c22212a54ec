"""Generations of the routes that `gpu-ls solve` searches."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.evolution.generations.chain_evolution import ChainEvolution, settings_like_solve
from gpu_ls_plugin.problems.cvrp import routing_problem
from gpu_ls_plugin.problems.tsp import TSP
from gpu_ls_plugin.solver.single import rehearse, searched_as

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.evolution.run import FrameworkRun
    from gpu_ls_plugin.recombination.base import Recombination
    from gpu_ls_plugin.searches.chain_population import ChainPopulation


@dataclass(frozen=True)
class RouteEvolution(ChainEvolution):
    """Chains that search routes, under soft constraints where `solve` has these.

    Parameters
    ----------
    settings : Settings
        Complete, with an `IteratedLocalSearch`.
    searched : TSP
        Giant tours as chains search them.
    fleet : int, optional
        To how many vehicles chains are limited, beside what was asked for.
    """

    searched: TSP = field(kw_only=True)
    fleet: int | None = None

    @classmethod
    def like_solve(
        cls,
        problem: TSP,
        *,
        population: int | None = None,
        search: Callable[..., Any] | None = None,
        crossover: Recombination | None = None,
        seconds: float = math.inf,
        backend: str = "auto",
    ) -> RouteEvolution:
        """Return the evolution that `solve` would run; as of `ChainEvolution`.

        A crossover is a cooperation of the chains, whose constraints are hard then.
        """
        routed = routing_problem(problem)
        chosen = settings_like_solve(routed, population, search, crossover, seconds, backend)
        if crossover is not None:
            return cls(chosen, searched=problem)
        soft = searched_as(routed, replace(chosen, search=search), chosen)
        searched = problem if soft is routed else soft.tsp
        assert isinstance(searched, TSP)
        return cls(chosen, searched=searched)

    def limited(self, fleet: int | None) -> RouteEvolution:
        """Return the same with so many vehicles at most."""
        return replace(self, searched=_limited(self.searched, fleet), fleet=fleet)

    def prepare(self, problem: TSP) -> None:
        """Compile what a run needs, ahead of it."""
        if (cooperation := self.search.cooperation) is not None:
            cooperation.check(self.searched)
        rehearse(routing_problem(self.searched), self.settings)
        if self.searched is not problem:  # on which starts descend
            self.search.search.prepare(problem, self.size, backend=self.settings.backend)

    def start(
        self,
        problem: TSP,
        random_state: np.random.Generator,
        run: FrameworkRun,
        given: Tours | None = None,
    ) -> ChainPopulation:
        """Return local optima, `given` ones and others of a construction."""
        made = super().start(_limited(problem, self.fleet), random_state, run, given)
        made.problem = self.searched
        soft = routing_problem(self.searched).penalties is not None
        made.asked = problem if soft else None
        return made


def _limited(problem: TSP, fleet: int | None) -> TSP:
    """Return giant tours with so many vehicles at most, themselves where that is None."""
    return problem if fleet is None else routing_problem(problem).with_fleet(fleet).tsp

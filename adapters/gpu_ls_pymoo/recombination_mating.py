"""Mating by a recombination of gpu_ls_plugin: crossing and search on arrays of the backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.population import Population

import gpu_ls_pymoo.individuals as individuals
from gpu_ls_plugin.evolution.kick import Kick
from gpu_ls_plugin.evolution.rows import canonical, checked
from gpu_ls_plugin.evolution.tour_population import TourPopulation
from gpu_ls_pymoo.problems import as_tsp, fitness
from gpu_ls_pymoo.search import AlgorithmRun

if TYPE_CHECKING:
    from gpu_ls_plugin.evolution.improver import Improver
    from gpu_ls_plugin.recombination.base import Recombination


@dataclass(frozen=True)
class RecombinationMating:
    """Cross random parents and search all children in one batch; known tours are dropped.

    Where all children are known, one of them is kicked, so that a run does not end.
    """

    crossover: Recombination
    improver: Improver

    def prepare(self, problem: Any, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        tsp = as_tsp(problem)
        self.improver.prepare(tsp, size)
        tours = np.tile(np.arange(tsp.n, dtype=np.int32), (2, 1))
        self.crossover.cross(tsp, tours, tours, seed=0, backend=self.improver.backend)

    def do(
        self,
        problem: Any,
        pop: Any,
        n_offsprings: int,
        random_state: Any = None,
        algorithm: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Return up to `n_offsprings` new tours, at least one, as a Population."""
        tsp, random_state = as_tsp(problem), np.random.default_rng(random_state)
        place = self.improver.backend
        rows = checked(pop.get("X"), tsp.n, "pop")
        known = TourPopulation.of(np, rows, np.zeros(len(rows)), symmetric=tsp.symmetric)
        first, second = known.parents(n_offsprings, random_state)
        seed = int(random_state.integers(2**63))
        crossed = self.crossover.cross(tsp, rows[first], rows[second], seed=seed, backend=place)
        tours, costs = self.improver(tsp, crossed, random_state, AlgorithmRun(algorithm))
        values = fitness(problem, tours, costs)
        if values is not None:
            individuals.count(algorithm, len(tours))
        made = TourPopulation.of(np, tours, np.zeros(len(tours)), symmetric=tsp.symmetric)
        fresh = known.joined(made).first_of_each()[len(known) :]
        if not fresh.any():
            kicked = Kick(backend=place)(tsp, tours[:1], random_state)
            tours, values, fresh = (
                canonical(kicked, symmetric=tsp.symmetric),
                None,
                fresh[:1] | True,
            )
        off = Population.empty(int(fresh.sum()))
        individuals.write(off, tours[fresh], None if values is None else values[fresh])
        return off

"""Chains of an iterated search, which go on where they stood."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.budget import NO_LIMIT, Stopwatch
from gpu_ls_plugin.distributed.populations.base import Place, Population, Seen
from gpu_ls_plugin.distributed.populations.standstill import Standstill
from gpu_ls_plugin.exceptions import InsufficientMemoryError
from gpu_ls_plugin.problems.tsp import tour_problem
from gpu_ls_plugin.recombination.base import Recombination
from gpu_ls_plugin.result import Statistics
from gpu_ls_plugin.searches.chain_population import ChainPopulation
from gpu_ls_plugin.searches.chains.chains import FusedChains

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_ls_plugin.runs.stretch import Stretch


class ChainedPopulation(Population):
    """Chains that kick, repair and cooperate.

    Where there are other islands, and no kicks say when to exchange rows with them, tours that are
    crossed end their first stretch as soon as they have come to a standstill.

    Parameters
    ----------
    place : Place
        With an `IteratedLocalSearch`.
    tours : array, shape (P, n)
        They are searched first.
    seconds : float
        That this may take.
    parts : int
        In which they are searched: those that are begun in time are the population. One part is
        taken as far as it gets.
    """

    def __init__(self, place: Place, tours: Any, seconds: float, parts: int = 1) -> None:
        self._problem = tour_problem(place.searched)
        backend = get_backend(place.backend)
        _require_memory(place, len(tours))
        self._backend, self._descent = backend, Statistics()
        with backend.current():
            found = [*self._descents(place, backend.xp.asarray(tours), seconds, parts)]
            tours, costs = (backend.xp.concatenate(arrays) for arrays in zip(*found, strict=True))
        self._chains = ChainPopulation(
            place.search,
            self._problem,
            tours,
            costs,
            place.seed,
            place.backend,
            place.first_row,
            NO_LIMIT if place.moves is None else place.moves,
            None if place.searched is place.problem else tour_problem(place.problem),
        )
        self._target = -math.inf if place.target is None else place.target
        crosses = isinstance(place.search.cooperation, Recombination)
        self._asks = crosses and not place.alone  # for others' tours, in the next stretch

    def _descents(
        self, place: Place, tours: Any, seconds: float, parts: int
    ) -> Iterator[tuple[Any, Any]]:
        """Yield searched tours and their costs, part by part, while there is time."""
        watch, size = Stopwatch.of(seconds), -(-len(tours) // parts)
        for begin in range(0, len(tours), size):
            if begin and watch.left <= 0:
                return
            found = place.search.search(
                self._problem,
                tours[begin : begin + size],
                seed=place.seed,
                budget=watch.budget if parts == 1 else None,
                backend=place.backend,
                first_row=place.first_row + begin,
            )
            self._descent.add(found.statistics)
            yield found.tours, found.costs

    def advance(self, stretch: Stretch, number: int, seen: Seen) -> Statistics:
        """Search for a stretch."""
        standstill = Standstill() if self._asks and stretch.kicks is None else None
        self._asks = False

        def enough() -> bool:
            rounds, chains = self._chains.rounds, self._chains.rounds.chains
            best, mean = chains.best_costs.min().item(), float(chains.best_costs.mean())
            over = seen(best, mean, int(chains.kicks.sum())) or best <= self._target
            return over or (standstill is not None and standstill.reached(rounds, best))

        counted = self._chains.advance(stretch, enough)
        self.finished = self._chains.finished
        first, self._descent = self._descent, Statistics()
        counted.climbs = 0  # but those that are added now
        counted.add(first)
        return counted

    def rows(self) -> tuple[Any, Any]:
        """Return the best tour of each chain."""
        return self._chains.tours, self._chains.costs

    def adopt(self, rows: Any, costs: Any) -> None:
        """Let the worst chains go on from other tours."""
        self._chains.adopt(rows, costs)


def _require_memory(place: Place, size: int) -> None:
    """Raise InsufficientMemoryError where so many chains do not fit together."""
    problem, backend = tour_problem(place.searched), get_backend(place.backend)
    with backend.current():
        cooperation = place.search.cooperation
        each = FusedChains.bytes_per_tour(problem.n) + problem.objective.kept_bytes(problem)
        each += 0 if cooperation is None else cooperation.bytes_per_tour(problem.n)
        fixed, memory = backend.metric_data(problem).nbytes, backend.memory(place.memory_limit)
        fitting = backend.rows_that_fit(each, fixed, memory)
    if fitting < size:
        raise InsufficientMemoryError(
            f"population: {fitting:,} of {size:,} tours fit; search fewer on each island"
        )

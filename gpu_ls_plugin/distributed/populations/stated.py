"""States of an assignment problem, whose rounds go on where they stood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.budget import Stopwatch
from gpu_ls_plugin.distributed.populations.base import Place, Population, Seen
from gpu_ls_plugin.result import Statistics

if TYPE_CHECKING:
    from gpu_ls_plugin.evolution.generations.stretch import Stretch
    from gpu_ls_plugin.result import Progress


class StatedPopulation(Population):
    """States that are searched by successor generation and tabu steps.

    Parameters
    ----------
    place : Place
        With a `SuccessorSearch`.
    states : array, shape (P, m)
    """

    def __init__(self, place: Place, states: Any) -> None:
        self._place = place
        self._run = place.search.begin(
            place.problem,
            states,
            seed=place.seed,
            backend=place.backend,
            memory_limit=place.memory_limit,
            first_row=place.first_row,
            target=place.target,
        )

    def advance(self, stretch: Stretch, number: int, seen: Seen) -> Statistics:
        """Search for a stretch."""

        def callback(progress: Progress) -> None:
            if seen(progress.best_cost, progress.mean_cost, progress.kicks):
                raise KeyboardInterrupt  # as searches are stopped everywhere

        run = self._run
        before, run.statistics = run.statistics, Statistics(backend=run.statistics.backend)
        run.stopwatch, run.callback = Stopwatch(self._place.budget(stretch)), callback
        with run.population.backend.current():
            run.drive()
        total: Statistics = run.statistics
        run.statistics = Statistics(backend=before.backend)
        run.statistics.kicks, run.statistics.moves = total.kicks, total.moves
        self.finished = total.stopped_by in ("optimum", "moves")
        total.kicks, total.moves = total.kicks - before.kicks, total.moves - before.moves
        return total

    def rows(self) -> tuple[Any, Any]:
        """Return the best state of each row."""
        population = self._run.population
        backend, found = population.backend, population.found.states
        with backend.current():
            return found, backend.xp.asarray(self._place.problem.cost(backend.to_numpy(found)))

    def adopt(self, rows: Any, costs: Any) -> None:
        """Let the worst rows begin their next round from other states."""
        population = self._run.population
        with population.backend.current():
            population.adopt(*map(population.backend.xp.asarray, (rows, costs)))

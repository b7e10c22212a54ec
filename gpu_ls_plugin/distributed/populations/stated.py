"""States of an assignment problem, whose rounds go on where they stood."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.distributed.populations.base import Place, Population, Seen

if TYPE_CHECKING:
    from gpu_ls_plugin.result import Statistics
    from gpu_ls_plugin.runs.stretch import Stretch


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
        self._states = place.search.population(
            place.problem,
            states,
            seed=place.seed,
            backend=place.backend,
            memory_limit=place.memory_limit,
            first_row=place.first_row,
            target=place.target,
        )
        self._states.begin()

    def advance(self, stretch: Stretch, number: int, seen: Seen) -> Statistics:
        """Search for a stretch."""
        states = self._states

        def enough() -> bool:
            states.count()
            best, mean = states.seen
            return seen(best, mean, states.statistics.kicks)

        counted: Statistics = states.advance(replace(stretch, steps=self._place.moves), enough)
        self.finished = counted.stopped_by in ("optimum", "moves")
        return counted

    def rows(self) -> tuple[Any, Any]:
        """Return the best state of each row."""
        states, backend = self._states, self._states.backend
        with backend.current():
            found = states.tours
            return found, backend.xp.asarray(self._place.problem.cost(backend.to_numpy(found)))

    def adopt(self, rows: Any, costs: Any) -> None:
        """Let the worst rows begin their next round from other states."""
        self._states.adopt(rows, costs)

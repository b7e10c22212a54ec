"""A population of tours that descend to local optima."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.result import Statistics, summed
from gpu_ls_plugin.runs.pace import Pace
from gpu_ls_plugin.runs.population import Population
from gpu_ls_plugin.tours.engines.engine import moves_by_name
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpu_ls_plugin.runs.stretch import Leg
    from gpu_ls_plugin.tours.engines.engine import Engine
    from gpu_ls_plugin.tours.moves.base import Neighbourhood


class Descents(Population):
    """Tours that descend until each is a local optimum.

    Parameters
    ----------
    engine : Engine
        Holds the tours and applies the moves.
    statistics : Statistics
        Receives the counts of passes, moves and evaluations.
    audit : callable, optional
        Called after each launch.
    neighbourhoods : sequence of Neighbourhood
        Their names are the keys of `Statistics.moves_by`.
    """

    def __init__(
        self,
        engine: Engine,
        statistics: Statistics,
        audit: Callable[[], object] = lambda: None,
        neighbourhoods: Sequence[Neighbourhood] = (),
    ) -> None:
        self.engine, self.statistics, self._audit = engine, statistics, audit
        self._neighbourhoods, self._counted = neighbourhoods, Statistics()
        self._pace = Pace(engine.first_passes())

    @property
    def tours(self) -> Any:
        return self.engine.tours

    @property
    def costs(self) -> Any:
        return tour_costs(self.engine.backend, self.engine.problem, self.tours)

    def over(self, leg: Leg) -> str | None:
        """Return "optimum" if all tours are local optima, None otherwise."""
        return None if self.engine.left else "optimum"

    def launch(self, leg: Leg) -> None:
        """Run a number of passes over all unfinished tours."""
        with self._pace.timed() as pace:
            pace.made = pace.steps
            self.engine.launch(pace.steps, leg.left)
            self.engine.unfinished()
            self.statistics.launches += 1
            self._audit()
        pace.follow(leg.left)

    def count(self) -> None:
        engine, before, statistics = self.engine, self._counted, self.statistics
        passes, moves = engine.made()
        evaluations = engine.evaluations(passes)
        moves_by = moves_by_name(self._neighbourhoods, moves, engine.moves_by)
        self._counted = Statistics(
            passes=passes, moves=moves, evaluations=evaluations, moves_by=moves_by
        )
        statistics.passes += passes - before.passes
        statistics.moves += moves - before.moves
        statistics.evaluations += evaluations - before.evaluations
        since = {name: made - before.moves_by.get(name, 0) for name, made in moves_by.items()}
        statistics.moves_by = summed(statistics.moves_by, since)

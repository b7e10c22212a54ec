"""Tours that descend to local optima, as a population."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from gpu_ls_plugin.backends.evaluation import tour_costs
from gpu_ls_plugin.runs.pace import Pace
from gpu_ls_plugin.runs.population import Population

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.result import Statistics
    from gpu_ls_plugin.runs.stretch import Leg


class Batch(Protocol):
    """A batch of tours that an engine searches."""

    backend: Backend
    problem: TSP
    tours: Any

    @property
    def left(self) -> int:
        """How many tours could still be improved when the host looked last."""

    def launch(self, passes: int, seconds: float) -> None:
        """Queue up to `passes` passes of every unfinished tour that can begin within `seconds`."""

    def first_passes(self) -> int:
        """Return a number of passes that takes less than a launch should."""

    def unfinished(self) -> int:
        """Return how many tours can still be improved; waits for the launches."""


class Descents(Population):
    """Tours that descend until none can be improved.

    Parameters
    ----------
    engine : Batch
    statistics : Statistics
        Counts launches; the engine counts the rest.
    audit : callable, optional
        Called after each launch.
    """

    def __init__(
        self,
        engine: Batch,
        statistics: Statistics,
        audit: Callable[[], object] = lambda: None,
    ) -> None:
        self.engine, self.statistics, self._audit = engine, statistics, audit
        self._pace = Pace(engine.first_passes())

    @property
    def tours(self) -> Any:
        """The tours as they are now."""
        return self.engine.tours

    @property
    def costs(self) -> Any:
        """What they cost."""
        return tour_costs(self.engine.backend, self.engine.problem, self.tours)

    def over(self, leg: Leg) -> str | None:
        """Return "optimum" if all tours are local optima, None otherwise."""
        return None if self.engine.left else "optimum"

    def launch(self, leg: Leg) -> None:
        """Let every unfinished tour make some passes."""
        with self._pace.timed() as pace:
            pace.made = pace.steps
            self.engine.launch(pace.steps, leg.left)
            self.engine.unfinished()
            self.statistics.launches += 1
            self._audit()
        pace.follow(leg.left)

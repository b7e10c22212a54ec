"""Rows that a search improves, launch by launch: what the loop drives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.drive import drive

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.result import Callback
    from gpu_ls_plugin.runs.stretch import Leg, Stretch


class Population(ABC):
    """Rows that a search improves, launch by launch.

    Attributes
    ----------
    backend : Backend
        Where the rows are searched.
    statistics : Statistics
        Where counts go; may be replaced between two stretches.
    done : int
        Kicks that every row has made.
    generations : int
        That are over.
    exchanges : int
        Of the rows with each other.
    finished : bool
        Whether going on would change nothing.
    callback : callable or None
        What a search that is called tells of its own launches.
    by_moves : bool
        Whether a limit of moves ends it.
    advice : str
        The end of the message if kernels and `Problem.cost` disagree.
    """

    backend: Backend
    statistics: Statistics
    done: int = 0
    generations: int = 0
    exchanges: int = 0
    finished: bool = False
    callback: Callback | None = None
    by_moves: ClassVar[bool] = False
    advice: ClassVar[str] = ""

    @property
    @abstractmethod
    def tours(self) -> Any:
        """The best rows: array of the backend, shape (P, n), int32."""

    @property
    @abstractmethod
    def costs(self) -> Any:
        """Their costs: array of the backend, shape (P,)."""

    @property
    def claimed(self) -> Any:
        """Costs of the rows as kernels computed them, shape (P,); by default, `costs`."""
        return self.costs

    @property
    def seen(self) -> tuple[float, float]:
        """Best and mean cost, as the search compares rows."""
        costs = self.costs  # which may be computed
        return costs.min().item(), float(costs.mean())

    @abstractmethod
    def over(self, leg: Leg) -> str | None:
        """Return why nothing is left to be done in a stretch, as in `Statistics`; None if more is.

        Its seconds are the loop's business.
        """

    @abstractmethod
    def launch(self, leg: Leg) -> None:
        """Go on for about as long as a launch should take, within a stretch."""

    def count(self) -> None:
        """Add what has been counted since the last time to the statistics."""

    def check(self) -> None:
        """Raise FaultyPartError if parts that others wrote claim costs of no row."""

    def adopt(self, tours: Any, costs: Any) -> None:
        """Let the worst rows go on from others, if these are better; some kinds never do.

        Parameters
        ----------
        tours : array, shape (K, n), int32
            No more than there are rows; the first for the worst one.
        costs : array, shape (K,)
        """

    def advance(self, stretch: Stretch, enough: Callable[[], bool] = lambda: False) -> Statistics:
        """Go on for a stretch of a run (in place); return what it has counted.

        If kicks alone limit it, launches make no difference to the rows. Ctrl-C ends it like time,
        and is noted.

        Parameters
        ----------
        stretch : Stretch
        enough : callable
            Called after each launch; returns whether to stop.

        Raises
        ------
        FaultyPartError
            Parts that others wrote claim costs of no row.
        """
        watch = Stopwatch.of(stretch.seconds)
        statistics = self.statistics = Statistics(backend=self.backend.name)
        with self.backend.current():
            statistics.stopped_by = drive(self, stretch, enough, watch)
            self.count()
            self.check()
        statistics.seconds = watch.elapsed
        return statistics

"""The base class of populations, which the loop advances launch by launch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_host
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
        Holds the rows.
    statistics : Statistics
        Collects the counts; may be replaced between two stretches.
    done : int
        Number of kicks of each row so far.
    generations : int
        Number of generations so far.
    exchanges : int
        Number of exchanges between rows so far.
    finished : bool
        Whether more launches would change nothing.
    callback : callable or None
        Takes a `Progress`. Only `RepeatedCalls` uses it, which passes it to its search.
    by_moves : bool
        Whether a limit of moves ends a stretch.
    advice : str
        End of the error message if kernels and `Problem.cost` disagree.
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
        """The costs of the best rows: array of the backend, shape (P,)."""

    @property
    def claimed(self) -> Any:
        """Costs of the rows as computed by kernels, shape (P,); by default, `costs`."""
        return self.costs

    @property
    def seen(self) -> tuple[float, float]:
        """Best and mean of the costs by which the search compares rows."""
        costs = on_host(self.costs)
        return costs.min().item(), float(costs.mean())

    @abstractmethod
    def over(self, leg: Leg) -> str | None:
        """Return why a stretch is over, as in `Statistics`, or None; the loop checks the time."""

    @abstractmethod
    def launch(self, leg: Leg) -> None:
        """Advance by one launch of about `tuning.LAUNCH_SECONDS`, within a stretch."""

    def count(self) -> None:
        """Add the counts since the last call to the statistics."""

    def check(self) -> None:
        """Raise FaultyPartError if a part of another package reports wrong costs."""

    def adopt(self, tours: Any, costs: Any) -> None:
        """Replace the worst rows with given ones that are better; some populations ignore the call.

        Parameters
        ----------
        tours : array, shape (K, n), int32
            K is at most the number of rows. The first tour may replace only the worst row, the
            second tour only the second-worst row, and so on.
        costs : array, shape (K,)
        """

    def advance(self, stretch: Stretch, enough: Callable[[], bool] = lambda: False) -> Statistics:
        """Advance for a stretch of a run (in place); return its statistics.

        If only kicks limit the stretch, the rows do not depend on how it is divided into launches.
        Ctrl-C ends the stretch, and the statistics say so.

        Parameters
        ----------
        stretch : Stretch
        enough : callable
            Called after each launch; returns whether to stop.

        Raises
        ------
        FaultyPartError
            A part of another package reports wrong costs.
        """
        watch = Stopwatch.of(stretch.seconds)
        statistics = self.statistics = Statistics(backend=self.backend.name)
        with self.backend.current():
            statistics.stopped_by = drive(self, stretch, enough, watch)
            self.count()
            self.check()
        statistics.seconds = watch.elapsed
        return statistics


class PortablePopulation(Population):
    """A population whose pickles may go to another machine: it keeps the name of its backend."""

    _device: str | Backend
    _counted: dict[str, int]  # totals at the last count, by name

    @property
    def backend(self) -> Backend:  # type: ignore[override]
        """The backend that holds the rows."""
        return get_backend(self._device)

    def _add(self, **totals: Any) -> None:
        """Add to the statistics by how much totals have grown since the last count."""
        for name, total in totals.items():
            more = int(total) - self._counted.get(name, 0)
            setattr(self.statistics, name, getattr(self.statistics, name) + more)
            self._counted = {**self._counted, name: int(total)}  # copies keep their own

"""Live displays of a running search, which calls the display as its callback.

A terminal shows two lines that are redrawn, with a bar for the time budget. Any other output, such
as a log file or a pipe, gets a plain line every few seconds.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.compilations import compilations

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from numpy.typing import NDArray
    from rich.console import Console, RenderableType
    from rich.live import Live

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Progress

SECONDS_BETWEEN_LINES = 5.0  # in a log
REDRAWS_PER_SECOND = 8  # on a terminal
LEAST_BETWEEN = 0.25  # minimum number of seconds between two evaluations of the rows
LOOKING_SHARE = 0.02  # maximum share of the time that a display spends on evaluating rows
PREPARING = "preparing starts and candidates; the first use of a search compiles it"


def gap_percent(cost: float, optimum: float | None) -> float | None:
    """Return by how many percent a cost exceeds the optimum, or None if there is no optimum."""
    if optimum is None:
        return None
    if cost == optimum:
        return 0.0
    return 100.0 * (cost - optimum) / abs(optimum) if optimum else math.inf


def gap_text(gap: float) -> str:
    """Format a gap in percent; never as -0.00."""
    return f"{round(gap, 2) + 0.0:.2f}"


def in_units(value: float) -> str:
    """Format a number with a decimal prefix: 1234567 is ``1.23 M``."""
    for prefix in ("", "k", "M", "G"):
        if value < 999.5:
            return f"{value:.3g} {prefix}".rstrip()
        value /= 1000.0
    return f"{value:.3g} T"


def cost_text(cost: float) -> str:
    """Format a cost: an integer in full, any other number with two decimals."""
    return f"{cost:,.0f}" if float(cost).is_integer() else f"{cost:,.2f}"


def unchanged(cost: Any) -> Any:
    """Return the same cost: most problems report costs as they are."""
    return cost


class View(Protocol):
    """An additional view of a search, shown below the search's state."""

    def columns(self, progress: Progress) -> list[str]:
        """Return columns for the line of a log."""

    def table(self, progress: Progress) -> RenderableType:
        """Return a table for a terminal."""


class SearchDisplay:
    """Shows the progress of one search; a context manager and a search callback.

    Parameters
    ----------
    title : str
        Name of the search, for example the name of the instance.
    seconds : float
        Time budget, which is the full length of the bar. If it is infinite, the bar pulses.
    optimum : float, optional
        If given, the display shows the gap to it.
    console : rich.console.Console, optional
        By default stderr, so that stdout stays free for results.
    published : callable
        Returns a cost as it is shown, such as `Problem.published`; by default the same cost.

    Attributes
    ----------
    view : View, optional
        An additional view below the state of the search.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `seconds` is negative, or a parameter has the wrong type.
    """

    def __init__(
        self,
        title: str,
        seconds: float = math.inf,
        optimum: float | None = None,
        console: Console | None = None,
        published: Callable[[Any], Any] = unchanged,
    ) -> None:
        from rich.console import Console
        from rich.spinner import Spinner

        self.title = checks.text("title", title)
        self.seconds = checks.number("seconds", seconds, least=0.0)
        self.optimum = None if optimum is None else checks.number("optimum", optimum)
        drawn = Console(stderr=True) if console is None else console
        self.console = checks.instance("console", drawn, kind=Console, wanted="rich Console")
        self.published = published
        self._live: Live | None = None
        self._waiting = Spinner("dots")
        self._closing = ExitStack()
        self._next_line = 0.0
        self._shown: Progress | None = None
        self.view: View | None = None

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            from rich.live import Live

            live = Live(
                console=self.console,
                get_renderable=self.__rich__,
                refresh_per_second=REDRAWS_PER_SECOND,
                transient=True,
            )
            self._closing.enter_context(compilations.displayed())
            self._live = self._closing.enter_context(live)
        else:
            self._print(f"{self.title}: {PREPARING}")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live = None
        self._closing.close()

    def __call__(self, progress: Progress) -> None:
        """Take the state of the search. On a terminal, a thread draws it; a log gets a line."""
        self._shown = progress
        if self._live is None and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + SECONDS_BETWEEN_LINES
            self._print("  ".join([*self._columns(progress), *_compiled()]))

    def __rich__(self) -> RenderableType:
        """Return what is drawn on a terminal."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        compiled = _compiled()
        if self._shown is None:
            (does,) = compiled or [PREPARING]
            self._waiting.update(text=Text(f"{self.title}: {does}"))
            return self._waiting
        elapsed, *columns = self._columns(self._shown)
        total = None if math.isinf(self.seconds) else self.seconds
        bar = ProgressBar(total=total, completed=self._shown.elapsed, width=32)
        head = Table.grid(padding=(0, 2))
        head.add_row(Text(self.title, style="bold"), bar, elapsed)
        more: list[RenderableType] = [Text(text, style="dim") for text in compiled]
        more += [] if self.view is None else [self.view.table(self._shown)]
        return Group(head, Text("  ".join(columns)), *more)

    def _print(self, text: str) -> None:
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def _columns(self, progress: Progress) -> list[str]:
        return [
            f"{progress.elapsed:6.1f} s",
            *self._cost_columns(progress),
            *self._work_columns(progress),
            *([] if self.view is None else self.view.columns(progress)),
        ]

    def _work_columns(self, progress: Progress) -> list[str]:
        elapsed = max(progress.elapsed, 1e-9)
        return [
            f"{in_units(progress.evaluations / elapsed)} moves/s",
            f"{in_units(progress.kicks / elapsed)} kicks/s"
            if progress.kicks
            else f"{progress.done:,} of {progress.total:,} tours done",
            *([f"{progress.restarts:,} restarts"] if progress.restarts else []),
        ]

    def _cost_columns(self, progress: Progress) -> list[str]:
        gap = gap_percent(progress.best_cost, self.optimum)
        return [
            f"best {cost_text(self.published(progress.best_cost))}",
            *([] if gap is None else [f"gap {gap_text(gap)} %"]),
            f"mean {cost_text(self.published(progress.mean_cost))}",
        ]


def _compiled() -> list[str]:
    """Return what is being compiled, if anything is."""
    return [text] if (text := str(compilations)) else []


Given = TypeVar("Given", bound="Problem")
Seen = TypeVar("Seen")


class SolutionDisplay(SearchDisplay, ABC, Generic[Given, Seen]):
    """A display that also evaluates the best solutions of the search from time to time."""

    def __init__(self, problem: Given, seconds: float, console: Console | None = None) -> None:
        super().__init__(problem.name, seconds, problem.optimum, console, problem.published)
        self.problem = problem
        self._looked: Seen | None = None
        self._next_look = 0.0

    def __call__(self, progress: Progress) -> None:
        """Take the state of the search, and evaluate its best rows if that is due."""
        begin = time.monotonic()
        if progress.best_tours is not None and begin >= self._next_look:
            self._looked = self._look(progress.best_tours())
            end = time.monotonic()
            self._next_look = end + max(LEAST_BETWEEN, (end - begin) / LOOKING_SHARE)
        super().__call__(progress)

    @abstractmethod
    def _look(self, rows: NDArray[Any]) -> Seen:
        """Return the facts about the best rows that the display shows."""

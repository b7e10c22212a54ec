"""The progress of all islands together, and its display: a line for each island."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.progress import cost_text, in_units, unchanged
from gpu_ls_plugin.core.result import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import RenderableType

STYLES = {"searching": "green", "waiting": "yellow", "done": "dim"}
MOST_LINES = 32  # maximum number of islands in the table


@dataclass(frozen=True)
class IslandLine:
    """The state of one island.

    Attributes
    ----------
    island : int
        Number of the island.
    worker, backend : str
        Worker that searches the island, and its backend.
    state : {"searching", "waiting", "done"}
        A waiting island waits for a worker or for other islands.
    stretches : int
        Number of stretches between exchanges that the island has completed.
    lives : int
        Number of times that the island was restarted after its worker was lost.
    best, mean : float or None
        Lowest and mean cost of its rows; None until they are known.
    kicks : int
        Kicks of all rows together so far.
    """

    island: int
    worker: str
    backend: str
    state: str
    stretches: int
    lives: int
    best: float | None
    mean: float | None
    kicks: int


@dataclass(frozen=True)
class IslandProgress(Progress):
    """A `Progress` of all islands together, with a line for each of them.

    Attributes
    ----------
    islands : tuple of IslandLine
        The state of each island, by number.
    """

    islands: tuple[IslandLine, ...] = ()


class IslandView:
    """Shows islands below the state of a search; for `SearchDisplay.view`.

    `published` returns a cost as it is shown, such as `Problem.published`.
    """

    def __init__(self, published: Callable[[Any], Any] = unchanged) -> None:
        self.published = published

    def columns(self, progress: Progress) -> list[str]:
        """Return strings about islands, for a display of a single line."""
        if not isinstance(progress, IslandProgress):
            return []
        states = [line.state for line in progress.islands]
        restarts = sum(line.lives for line in progress.islands)
        searching = f"{states.count('searching')} of {len(states)} islands searching"
        return [searching, *([f"{restarts} restarted"] if restarts else [])]

    def table(self, progress: Progress) -> RenderableType:
        """Return a table of islands."""
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, header_style="bold", pad_edge=False)
        for name in ("island", "state", "best", "mean", "kicks", "stretches", "worker"):
            table.add_column(name)
        lines = progress.islands if isinstance(progress, IslandProgress) else ()
        for line in lines[:MOST_LINES]:
            island, state, *rest = self._cells(line)
            table.add_row(island, Text(state, style=STYLES.get(state, "")), *map(Text, rest))
        return table

    def _cells(self, line: IslandLine) -> tuple[str, ...]:
        best, mean = (
            "" if cost is None else cost_text(self.published(cost))
            for cost in (line.best, line.mean)
        )
        restarted = f", restarted {line.lives}" if line.lives else ""
        return (
            *(str(line.island), line.state, best, mean, in_units(line.kicks)),
            *(f"{line.stretches:,}", f"{line.worker} {line.backend}{restarted}"),
        )

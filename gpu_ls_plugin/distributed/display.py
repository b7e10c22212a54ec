"""All islands in the display of a search: a line for each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.core.progress import cost_text, in_units
from gpu_ls_plugin.distributed.tally import IslandLine, IslandProgress

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gpu_ls_plugin.core.result import Progress

STYLES = {"searching": "green", "waiting": "yellow", "done": "dim"}
MOST_LINES = 32  # of a terminal


class IslandView:
    """Shows islands below the state of a search; `SearchDisplay.view`."""

    def columns(self, progress: Progress) -> list[str]:
        """Return what is said of islands in one line."""
        if not isinstance(progress, IslandProgress):
            return []
        states = [line.state for line in progress.islands]
        anew = sum(line.lives for line in progress.islands)
        searching = f"{states.count('searching')} of {len(states)} islands searching"
        return [searching, *([f"{anew} begun anew"] if anew else [])]

    def table(self, progress: Progress) -> RenderableType:
        """Return a table of islands."""
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, header_style="bold", pad_edge=False)
        for name in ("island", "state", "best", "mean", "kicks", "stretches", "worker"):
            table.add_column(name)
        lines = progress.islands if isinstance(progress, IslandProgress) else ()
        for line in lines[:MOST_LINES]:
            island, state, *rest = _cells(line)
            table.add_row(island, Text(state, style=STYLES.get(state, "")), *map(Text, rest))
        return table


def _cells(line: IslandLine) -> tuple[str, ...]:
    return (
        str(line.island),
        line.state,
        "" if line.best is None else cost_text(line.best),
        "" if line.mean is None else cost_text(line.mean),
        in_units(line.kicks),
        f"{line.stretches:,}",
        f"{line.worker} {line.backend}" + (f", begun anew {line.lives}" if line.lives else ""),
    )

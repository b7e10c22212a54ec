"""Live display of an experiment.

As that of a search (`gpu_ls_plugin.progress`): two lines that are redrawn on a terminal, a plain
line now and then anywhere else.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gpu_ls_plugin.progress import REDRAWS_PER_SECOND, SECONDS_BETWEEN_LINES, cost_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, RenderableType

    from gpu_ls_plugin.experiments.plan import Run
    from gpu_ls_plugin.experiments.records import CurvePoint, Record


class ExperimentDisplay:
    """Shows which run of how many is on, and how far it is.

    Parameters
    ----------
    console : rich.console.Console, optional
        Where to draw; stderr by default.
    """

    def __init__(self, console: Console | None = None) -> None:
        from rich.console import Console

        self.console = Console(stderr=True) if console is None else console
        self.total = self.stored = self.done = self.failed = 0
        self._live = False
        self._next_line = 0.0
        self._begun = 0.0
        self._run = self._state = ""

    @contextmanager
    def of(self, total: int, missing: int) -> Iterator[None]:
        """Show an experiment of so many runs, of which some are missing, for a ``with`` block."""
        self.total, self.stored, self.done, self.failed = total, total - missing, 0, 0
        self._begun, self._live, self._run = time.monotonic(), self.console.is_terminal, ""
        if not self._live:
            self._print(f"{total} runs, {self.stored} of them stored")
            yield
            self._print(self._count())
            return
        from rich.live import Live

        with Live(
            console=self.console,
            get_renderable=self._render,
            refresh_per_second=REDRAWS_PER_SECOND,
            transient=True,
        ):
            yield

    def begin(self, run: Run) -> None:
        """A run begins."""
        self._run = f"{run.algorithm} on {run.problem}, seed {run.seed}"
        self._state = "preparing"

    def show(self, point: CurvePoint) -> None:
        """The run that is on has come to another generation."""
        best = "" if point.best is None else f", best {cost_text(point.best)}"
        self._state = f"{point.seconds:.1f} s, generation {point.generation}{best}"
        self._now_and_then()

    def end(self, record: Record) -> None:
        """The run that is on has ended."""
        self.done += 1
        self.failed += bool(record.error)
        if record.error:
            self._print(f"{self._run}: {record.error.strip().splitlines()[-1]}")
        self._now_and_then()

    def _now_and_then(self) -> None:
        if not self._live and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + SECONDS_BETWEEN_LINES
            self._print(f"{self._count()}; {self._run}: {self._state}")

    def _count(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.stored + self.done} of {self.total} runs{failed}{self._left()}"

    def _left(self) -> str:
        """Return how long the rest takes, at the pace so far."""
        missing = self.total - self.stored - self.done
        if not self.done or not missing:
            return ""
        seconds = (time.monotonic() - self._begun) / self.done * missing
        return f", {seconds / 60:.0f} min left" if seconds > 90 else f", {seconds:.0f} s left"

    def _print(self, text: str) -> None:
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def _render(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        bar = ProgressBar(total=max(1, self.total), completed=self.stored + self.done, width=32)
        head = Table.grid(padding=(0, 2))
        head.add_row(bar, self._count())
        return Group(head, Text(f"{self._run}  {self._state}"))

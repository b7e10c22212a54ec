"""Live display of an experiment: a bar on a terminal, otherwise a line for each run."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.progress import REDRAWS_PER_SECOND, cost_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from gpu_ls_plugin.experiments.plan import Run
    from gpu_ls_plugin.experiments.records import CurvePoint, Record


class ExperimentDisplay:
    """Shows the current run and the number of finished runs."""

    def __init__(self, console: Console | None = None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as Remaining

        self.console = Console(stderr=True) if console is None else console
        self._progress = Progress(
            BarColumn(32),
            MofNCompleteColumn(),
            Remaining(),
            TextColumn("{task.description}  {task.fields[state]}", markup=False),
            console=self.console,
            refresh_per_second=REDRAWS_PER_SECOND,
            transient=True,
            disable=not self.console.is_terminal,
        )
        self._task = self._progress.add_task("", state="")
        self._run = ""

    @contextmanager
    def of(self, total: int, missing: int) -> Iterator[None]:
        """Show an experiment in a ``with`` block; `missing` of its `total` runs are not stored."""
        stored = total - missing
        self._print(f"{total} runs, {stored} of them stored")
        self._progress.update(self._task, total=total, completed=stored)
        try:
            with self._progress:
                yield
        except KeyboardInterrupt:
            done = self._progress.tasks[0].completed
            self._print(f"interrupted: {done:.0f} of {total} runs are stored")
            raise

    def begin(self, run: Run) -> None:
        """Show that a run begins."""
        self._run = f"{run.algorithm} on {run.problem}, seed {run.seed}"
        self._progress.update(self._task, description=self._run, state="")

    def show(self, point: CurvePoint) -> None:
        """Show the state of the current run after a generation."""
        state = f"{point.seconds:.1f} s, generation {point.generation}{_found(point)}"
        self._progress.update(self._task, state=state)

    def end(self, record: Record) -> None:
        """Show that the current run has ended."""
        self._progress.advance(self._task)
        if record.error:
            self._print(f"{self._run}: {record.error.strip().splitlines()[-1]} ({self._count()})")
        elif not self.console.is_terminal:
            found = f"{record.seconds:.1f} s{_found(record.curve[-1])}"
            self._print(f"{self._run}: {found} ({self._count()})")

    def _count(self) -> str:
        """Return the numbers of finished runs and of all runs, as text."""
        task = self._progress.tasks[0]
        return f"{task.completed:.0f} of {task.total or 0:.0f}"

    def _print(self, text: str) -> None:
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)


def _found(point: CurvePoint) -> str:
    if not point.costs:
        return ", nothing feasible"
    if len(point.costs[0]) > 1:
        return f", front of {len(point.costs)}"
    return f", best {cost_text(min(point.costs)[0])}"

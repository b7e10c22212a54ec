"""Live displays of searches on states of assignment problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.assignment.plan.assignment_reports import sign_of
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.assignment.problem.graph_colouring import GraphColouring
from gpu_ls_plugin.core.progress import SolutionDisplay, cost_text, gap_percent, gap_text, in_units

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Console

    from gpu_ls_plugin.core.result import Progress


@dataclass(frozen=True)
class Looked:
    """The best feasible cost, and the share of infeasible states."""

    cost: float | None
    infeasible: float


class AssignmentDisplay(SolutionDisplay[Assignment, Looked]):
    """Shows the best feasible cost or profit, its gap, and the share of infeasible states."""

    def _look(self, rows: NDArray[Any]) -> Looked:
        feasible = self.problem.feasible(rows)
        cost = self.problem.cost(rows[feasible]).min().item() if feasible.any() else None
        return Looked(cost, 1.0 - float(feasible.mean()))

    def _cost_columns(self, progress: Progress) -> list[str]:
        if self._looked is None:
            return super()._cost_columns(progress)
        infeasible = f"infeasible {100 * self._looked.infeasible:.0f} %"
        if self._looked.cost is None:
            return ["nothing feasible yet", infeasible]
        # A gap in percent is undefined if the optimum is 0.
        gap = gap_percent(self._looked.cost, self.optimum) if self.optimum else None
        return [
            f"best {cost_text(sign_of(self.problem) * self._looked.cost)}",
            *([] if gap is None else [f"gap {gap_text(gap)} %"]),
            infeasible,
        ]

    def _work_columns(self, progress: Progress) -> list[str]:
        return work_columns(progress)


class ColourDisplay(SolutionDisplay[GraphColouring, int]):
    """Shows the fewest colours, the gap to `optimum`, and the conflicts with one colour fewer."""

    def __init__(
        self,
        graph: GraphColouring,
        seconds: float,
        optimum: float | None = None,
        console: Console | None = None,
    ) -> None:
        super().__init__(graph, seconds, console)
        self.optimum = optimum

    def _look(self, rows: NDArray[Any]) -> int:
        first, second = self.problem.edges.T
        return int((rows[:, first] == rows[:, second]).sum(axis=1).min())

    def _cost_columns(self, progress: Progress) -> list[str]:
        colours = int(progress.best_cost)
        gap = gap_percent(colours, self.optimum)
        return [
            f"best {colours:,} colours",
            *([] if gap is None else [f"gap {gap_text(gap)} %"]),
            *([] if self._looked is None else [f"{self._looked:,} conflicts with {colours - 1:,}"]),
        ]

    def _work_columns(self, progress: Progress) -> list[str]:
        return work_columns(progress)


def work_columns(progress: Progress) -> list[str]:
    """Return the columns that show steps and rounds."""
    elapsed = max(progress.elapsed, 1e-9)
    return [
        f"{in_units(progress.moves / elapsed)} steps/s",
        f"{progress.kicks // max(1, progress.total):,} rounds",
    ]

"""Figures of the assignment benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.assignment.bounds import NAME
from benchmarks.helpers import common

if TYPE_CHECKING:
    from pathlib import Path

TITLES = {
    "quadratic": "quadratic assignment",
    "generalised": "generalised assignment, 200 jobs",
    "colouring": "graph colouring",
}


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw gaps against time, and the runs of pymoo, if they have been measured."""
    if rows := _rows(record, "quality"):
        kinds = [kind for kind in ("quadratic", "generalised") if kind in _values(rows, "kind")]
        if kinds:
            with common.Figure(out, NAME, columns=len(kinds)) as axes:
                for plot, kind in zip(axes, kinds, strict=True):
                    _gaps(plot, [row for row in rows if row["kind"] == kind], kind)
    if rows := _rows(record, "pymoo"):
        problems = _values(rows, "problem")
        with common.Figure(out, f"{NAME}_pymoo", columns=len(problems)) as axes:
            for plot, problem in zip(axes, problems, strict=True):
                _runs(plot, [row for row in rows if row["problem"] == problem], problem)


def _rows(record: dict[str, Any], section: str) -> list[dict[str, Any]]:
    return list(record.get(section, {}).get("rows", {}).values())


def _values(rows: list[dict[str, Any]], key: str) -> list[str]:
    return list(dict.fromkeys(row[key] for row in rows))


def _gaps(axes: Any, rows: list[dict[str, Any]], kind: str) -> None:
    """Draw the first run of each instance."""
    for row in rows:
        if row["seed"] == 1:
            _steps(axes, row, row["instance"])
    for bar in {row["bar"] for row in rows if row["bar"]}:
        axes.axhline(bar, color="grey", linestyle=":", linewidth=1)
    axes.set(title=TITLES[kind], xlabel="seconds", ylabel="gap in %", xscale="log")
    axes.set_yscale("symlog", linthresh=0.01)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=7)


def _runs(axes: Any, rows: list[dict[str, Any]], problem: str) -> None:
    for row in rows:
        if row["seed"] == 1:
            _steps(axes, row, row["operators"])
    axes.set(title=TITLES[problem], xlabel="seconds", ylabel="cost", xscale="log")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=7)


def _steps(axes: Any, row: dict[str, Any], label: str) -> None:
    """Draw the best value so far until the end of the run; of a summary, at its times."""
    known = [(float(at), value) for at, value in row.get("at", {}).items() if value is not None]
    if not (history := row.get("history", known)):
        return
    times, values = zip(*history, strict=True)
    end = max(row["seconds"], times[-1])
    axes.step([*times, end], [*values, values[-1]], where="post", label=label)

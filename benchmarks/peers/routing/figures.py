"""Figures of the benchmark of vehicle routing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.helpers import common
from benchmarks.peers.routing.solvers import HGS, OURS, PYVRP

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MARKS = {OURS: ("o", "tab:blue"), HGS: ("x", "tab:orange"), PYVRP: ("+", "tab:green")}
LEAST = 1e-3  # lowest drawn gap in percent


def draw(out: Path, name: str, record: dict[str, Any]) -> None:
    """Draw the measured sections."""
    for section in ("x", "eight", "golden", "cmt"):
        if section in record:
            gaps(out, f"{name}_{section}", section, record[section]["runs"])
    if "throughput" in record:
        rates(out, f"{name}_throughput", record["throughput"])


def gaps(out: Path, name: str, section: str, runs: Sequence[dict[str, Any]]) -> None:
    """Draw gaps by customers, axes for each time, and the curve of ours."""
    times = sorted({run["seconds"] for run in runs})
    with common.Figure(out, name, columns=len(times), rows=2) as axes:
        for column, seconds in enumerate(times):
            own = [run for run in runs if run["seconds"] == seconds and "gap" in run]
            above, below = axes[column], axes[len(times) + column]
            for solver, (mark, colour) in MARKS.items():
                of_it = [run for run in own if run["solver"] == solver]
                if of_it:
                    customers = [run["customers"] for run in of_it]
                    heights = [max(LEAST, run["gap"]) for run in of_it]
                    above.plot(customers, heights, mark, color=colour, label=solver)
            above.set(xscale="log", yscale="log", xlabel="customers", ylabel="gap (%)")
            above.set_title(f"{section}, {seconds:g} s")
            above.legend()
            _draw_curves(below, [run for run in own if run["solver"] == OURS])


def _draw_curves(axis: Any, runs: Sequence[dict[str, Any]]) -> None:
    for run in runs:
        best = run["cost"] / (1 + run["gap"] / 100)
        curve = run.get("curve", ())  # a summary has none
        points = [(at, max(LEAST, 100 * (cost / best - 1))) for at, cost in curve]
        if points:
            axis.plot(*zip(*points, strict=True), linewidth=0.6)
    axis.set(xscale="log", yscale="log", xlabel="seconds", ylabel="gap (%)", title=OURS)
    axis.set_visible(bool(axis.lines))


def rates(out: Path, name: str, record: dict[str, Any]) -> None:
    """Draw kicks, educations and iterations a second."""
    kinds = {
        "kicks": ("rates", "kicks"),
        "educations": ("educations", "per_second"),
        "HGS-CVRP, one core": ("rates", "hgs_one_core"),
        "HGS-CVRP, all cores": ("rates", "hgs_all_cores"),
    }
    names = sorted({run["instance"] for run in record["runs"]})
    with common.Figure(out, name) as axes:
        places = np.arange(len(names))
        for k, (kind, (table, field)) in enumerate(kinds.items()):
            rows = [record.get(table, {}).get(instance, {}) for instance in names]
            heights = [row.get(field) or np.nan for row in rows]
            axes[0].bar(places + 0.2 * (k - 1.5), heights, 0.2, label=kind)
        axes[0].set(ylabel="a second")
        axes[0].set_yscale("log", nonpositive="clip")
        axes[0].set_xticks(places, names)
        axes[0].legend()

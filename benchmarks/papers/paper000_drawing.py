"""The plots of bench_paper000.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.helpers import common

if TYPE_CHECKING:
    from pathlib import Path

Rows = list[dict[str, Any]]


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw iterations beside the paper's, and kernels by what was changed."""
    with common.Figure(out, "paper000", columns=2) as axes:
        _iterations(axes[0], record.get("iterations", []))
        _filters(axes[1], record.get("filters", []))
        _legends(axes)
    with common.Figure(out, "paper000_kernels", columns=3, rows=2) as axes:
        _levels(axes[0], record.get("levels", []))
        together = record.get("combined", [])
        _stack(axes[1], together, ("load", "duration", "vehicles"), -0.2)
        _stack(axes[1], together, ("all",), 0.2)
        _stack(axes[2], record.get("shares", []), ("evaluation", "keeping", "choice_and_move"), 0.0)
        _steps(axes[3], record.get("ablation", []))
        _blocks(axes[4], record.get("blocks", []))
        _idle(axes[5], record.get("idle", []))
        _legends(axes)


def _legends(axes: Any) -> None:
    for plot in axes:
        if plot.get_legend_handles_labels()[0]:
            plot.legend(fontsize=7)


def _iterations(plot: Any, every: Rows) -> None:
    for edges in (2, 3):
        rows = [r for r in every if r["edges"] == edges]
        nodes = [r["n"] for r in rows]
        plot.plot(nodes, [r["seconds"] for r in rows], "-o", label=f"{edges}-opt")
        plot.plot(nodes, [r["paper"] for r in rows], ":x", label=f"{edges}-opt, paper")
    plot.set(xlabel="nodes", ylabel="seconds of an iteration", xscale="log", yscale="log")


def _filters(plot: Any, every: Rows) -> None:
    for edges, n, mode in dict.fromkeys((r["edges"], r["n"], r["mode"]) for r in every):
        rows = [r for r in every if (r["edges"], r["n"], r["mode"]) == (edges, n, mode)]
        whole = [r["seconds"] / rows[0]["seconds"] for r in rows]
        label = f"{edges}-opt, {n} nodes, {mode}"
        plot.plot([r["share"] for r in rows], whole, "-o", label=label)
    plot.set(xlabel="share of moves kept", ylabel="time to that of all", xscale="log")


def _levels(plot: Any, rows: Rows) -> None:
    """Draw iterations by nodes; for each level those with the best parts."""
    for edges, marks in ((2, "-o"), (3, "x")):
        for level in dict.fromkeys(row["level"] for row in rows):
            best: dict[int, float] = {}
            for row in rows:
                if (row["edges"], row["level"]) == (edges, level):
                    best[row["n"]] = min(row["iteration"], best.get(row["n"], np.inf))
            name = f"{edges}-opt, {'scans' if level == 'scans' else f'level {level}'}"
            plot.plot(list(best), list(best.values()), marks, label=name)
    plot.set(xlabel="nodes", ylabel="seconds of an iteration, best parts", yscale="log")


def _stack(plot: Any, rows: Rows, parts: tuple[str, ...], aside: float) -> None:
    """Draw a bar of parts for each neighbourhood."""
    places, bottom = np.arange(len(rows)) + aside, np.zeros(len(rows))
    for part in parts:
        own = np.array([row[part] for row in rows])
        plot.bar(places, own, 0.4, bottom, label=part.replace("_", " "))
        bottom += own
    plot.set_xticks(range(len(rows)), [f"{row['edges']}-opt, {row['n']}" for row in rows])
    plot.set(ylabel="seconds")


def _steps(plot: Any, every: Rows) -> None:
    """Draw the iterations of the variants that stay, to the first one."""
    for edges, n in dict.fromkeys((r["edges"], r["n"]) for r in every):
        rows = [r for r in every if (r["edges"], r["n"]) == (edges, n) and r["kept"]]
        times = [rows[0]["iteration"] / r["iteration"] for r in rows]
        plot.plot(range(len(rows)), times, "-o", label=f"{edges}-opt, {n}")
    plot.set(xlabel="steps that stay", ylabel="times as fast as the first version", yscale="log")


def _blocks(plot: Any, every: Rows) -> None:
    for kind in dict.fromkeys((r["kernel"], r["edges"], r["n"]) for r in every):
        rows = [r for r in every if (r["kernel"], r["edges"], r["n"]) == kind]
        best = min(r["seconds"] for r in rows)
        label = f"{kind[0]}, {kind[1]}-opt, {kind[2]}"
        plot.plot([r["threads"] for r in rows], [r["seconds"] / best for r in rows], "-o",
                  label=label)  # fmt: skip
    plot.set(xlabel="threads of a block", ylabel="time to the best", xscale="log")


def _idle(plot: Any, rows: Rows) -> None:
    kinds = list(dict.fromkeys((r["edges"], r["n"]) for r in rows))
    for k, loop in enumerate(dict.fromkeys(r["loop"] for r in rows)):
        own = {(r["edges"], r["n"]): r["idle"] for r in rows if r["loop"] == loop}
        places = [kinds.index(kind) + 0.2 * (k - 1.5) for kind in own]
        plot.bar(places, [100 * share for share in own.values()], 0.2, label=loop)
    plot.set_xticks(range(len(kinds)), [f"{edges}-opt, {n}" for edges, n in kinds])
    plot.set(ylabel="idle share of an iteration, %")

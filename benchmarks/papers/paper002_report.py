"""Markdown tables and the figure of paper 002's results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.papers.paper002 import CHAINS, INSTANCES, SPEEDUPS, TABLE_1, TABLE_3

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

QUALITY = {
    "table1_paper": TABLE_1,
    "table1_usual": TABLE_1,
    "table1_deep": TABLE_1,
    "table1_crossed": TABLE_1,
    "table3": TABLE_3,
    "table3_from_nearest": TABLE_3,
}


def markdown(record: dict[str, Any]) -> str:
    """Return the tables of all measured sections."""
    parts = []
    for section, paper in QUALITY.items():
        rows = record.get(section, {}).get("rows", {})
        if rows:
            parts += [f"## {section}", *_quality(rows, paper)]
    if rows := record.get("variants", {}).get("rows", {}):
        parts += ["## variants", *_variants(rows)]
    return "\n".join(parts)


def _table(cell: Callable[[str, int, int], str]) -> list[str]:
    head = "| instance | " + " | ".join(f"{c:,}" for c in CHAINS) + " |"
    lines = [head, "|---" * (len(CHAINS) + 1) + "|"]
    for name in INSTANCES:
        cells = (cell(name, place, chains) for place, chains in enumerate(CHAINS))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _quality(rows: dict[str, Any], paper: Any) -> list[str]:
    """Return two tables, deviations and speedups, and how many cells are no worse."""
    better = [r for r in rows.values() if r["deviation"] <= r["paper_deviation"] + 5e-4]

    def deviation(name: str, place: int, chains: int) -> str:
        row, theirs = rows.get(f"{name} {chains}"), paper[name][0][place]
        if row is None:
            return f"TODO(gpu) ({theirs:g})"
        ours = f"{row['deviation']:.3f}".rstrip("0").rstrip(".")
        return f"{ours if row in better else f'**{ours}**'} ({theirs:g})"

    def speedup(name: str, place: int, chains: int) -> str:
        row = rows.get(f"{name} {chains}")
        ours = "TODO(gpu)" if row is None else f"{row['speedup']:.3g}, {row['seconds']:.2g} s"
        key = "RKBI" if paper is TABLE_3 else "BG"
        return f"{ours} ({SPEEDUPS[name][key][place]:g})"

    return [
        f"{len(better)} of {len(rows)} cells are no worse than the paper's.",
        "",
        "Deviation of the best chain in percent (paper's in brackets):",
        "",
        *_table(deviation),
        "",
        "Times one core, and seconds (paper's in brackets):",
        "",
        *_table(speedup),
        "",
    ]


def _variants(rows: dict[str, Any]) -> list[str]:
    keys = [
        key for key in ("BG", "BS", "warp", "RKBI") if f"{key}_speedup" in next(iter(rows.values()))
    ]
    lines = ["| variant | " + " | ".join(f"{c:,}" for c in CHAINS) + " |"]
    lines.append("|---" * (len(CHAINS) + 1) + "|")
    for key in keys:
        cells = []
        for place, chains in enumerate(CHAINS):
            column = [r for r in rows.values() if r["tours"] == chains]
            own = [r[f"{key}_speedup"] for r in column if f"{key}_speedup" in r]
            theirs = [SPEEDUPS[n][key][place] for n in INSTANCES if key in SPEEDUPS[n]]
            paper = f" ({min(theirs):g} to {max(theirs):g})" if theirs else ""
            cells.append(f"{min(own):.2g} to {max(own):.3g}{paper}" if own else "TODO(gpu)")
        lines.append(f"| {key} | {' | '.join(cells)} |")
    return lines


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw deviations against the number of chains, ours and the paper's (dotted)."""
    shown = [s for s in ("table1_deep", "table3") if record.get(s, {}).get("rows")]
    if not shown:
        return
    with common.Figure(out, "paper002", columns=len(shown)) as axes:
        for plot, section in zip(axes, shown, strict=True):
            rows, paper = record[section]["rows"], QUALITY[section]
            for number, name in enumerate(INSTANCES):
                mine = [rows[f"{name} {c}"] for c in CHAINS if f"{name} {c}" in rows]
                at = [r["chains"] for r in mine]
                plot.plot(at, [r["deviation"] for r in mine], "-o", color=f"C{number}", label=name)
                plot.plot(CHAINS, paper[name][0], ":s", color=f"C{number}")
            title = "independent chains" if section == "table1_deep" else "random-k-best"
            plot.set(title=f"{title} (paper 002: dotted)", xlabel="chains", xscale="log")
            plot.set_ylabel("best chain, percent above the optimum")
            plot.legend(fontsize=7)

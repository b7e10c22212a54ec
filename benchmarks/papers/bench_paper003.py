"""O'Neil and Burtscher's code versions and ours: figures 2 to 8 of their paper, in sections.

Throughput (`versions`, figures 2 to 4): moves per second on the first n cities of d18512, from
random tours, with real Euclidean distances. Each version runs complete climbs, enough to load the
device fully and to take some hundredths of a second; long climbs stop earlier, since every pass
costs the same. The best of the repeats counts, as in the paper. `ours` is the whole call of the
library's search, with its checks and exact costs; `ours, kernel` is the launches alone, as the
versions are measured. A version is left out at sizes where one pass of a full load takes too long.

Speedup (`equal`, figure 8): climbs of equal length from the same tours, enough to load `calc`
fully; complete climbs up to 200 cities, else limited ones. `threads` (figure 5): equal climbs on
kroA150 by numbers of CPU threads and by the GPU. `processors` (figure 6): moves per second of the
GPU and of all cores. `quality` (figure 7): the best of 100,000 climbs with each TSPLIB instance of
up to 200 cities. `sweep`: layouts of our kernel.

The versions are written from the paper's description; they are not the authors' code.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common, sections
from benchmarks.papers import paper003_tables
from benchmarks.papers.paper003_climbs import processors, quality, threads
from benchmarks.papers.paper003_sweep import sweep
from benchmarks.papers.paper003_versions import equal, versions

if TYPE_CHECKING:
    import argparse

NAME = "paper003"
SECTIONS = {
    "versions": versions,
    "equal": equal,
    "quality": quality,
    "processors": processors,
    "threads": threads,
    "sweep": sweep,
}
FIGURES = {
    "figure 2": ("matr_s", "matr_g", "matr_g_ro", "calc"),
    "figure 3": ("matr_s", "calc", "intra"),
    "figure 4": ("matr_s", "calc", "intra", "tile", "tuned", "ours", "ours, kernel"),
}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the chosen sections; print their tables as Markdown."""
    record = sections.measure(options, NAME, __doc__ or "", SECTIONS, {})
    paper003_tables.show({name: found["rows"] for name, found in record.items()})
    return record


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw figures 2 to 4 and 8 into one file, and figures 5 to 7 into another."""
    rows = {name: list(record[name]["rows"].values()) for name in SECTIONS if name in record}
    if {"versions", "equal"} <= set(rows):
        with common.Figure(out, NAME, len(FIGURES) + 1) as axes:
            for plot, (title, names) in zip(axes, FIGURES.items(), strict=False):
                for name in names:
                    _rates(plot, [r for r in rows["versions"] if name in r], name)
                plot.set(title=title, xscale="log", yscale="log")
            for name in ("tuned", "ours"):
                sizes = [r["n"] for r in rows["equal"]]
                axes[-1].plot(sizes, [r[name] for r in rows["equal"]], "-o", label=name)
            axes[-1].set(title="figure 8", xlabel="cities", ylabel="climbs per second over calc")
            axes[-1].axhline(1, color="gray", linestyle=":")
            axes[-1].set(xscale="log", ylim=(0, None))
            axes[-1].legend()
    if {"threads", "processors", "quality"} <= set(rows):
        with common.Figure(out, f"{NAME}_climbs", 3) as axes:
            _climbs(axes, rows)


def _climbs(axes: Any, rows: dict[str, list[dict[str, Any]]]) -> None:
    runs = rows["threads"]
    shares = [r["seconds"] / runs[0]["seconds"] for r in runs]
    axes[0].bar([str(r["threads"]) for r in runs], shares)
    axes[0].set(title="figure 5", xlabel="threads", ylabel="seconds over one thread", yscale="log")
    for name in ("gpu", "cpu"):
        _rates(axes[1], rows["processors"], name)
    axes[1].set(title="figure 6", xscale="log", yscale="log")
    sizes = [r["n"] for r in rows["quality"]]
    axes[2].plot(sizes, [r["error"] for r in rows["quality"]], "o", label="best climb")
    axes[2].plot(sizes, [r["mean_error"] for r in rows["quality"]], ".", label="mean climb")
    axes[2].set(title="figure 7", xlabel="cities", ylabel="% above the optimum", yscale="symlog")
    axes[2].legend()


def _rates(plot: Any, rows: list[dict[str, Any]], name: str) -> None:
    rates = [r[name]["moves_per_s"] / 1e9 for r in rows]
    plot.plot([r["n"] for r in rows], rates, "-o", markersize=3, label=name)
    plot.set(xlabel="cities", ylabel="G moves per second")
    plot.legend(fontsize=7)


if __name__ == "__main__":
    common.main(
        *(__doc__, NAME, measure, draw),
        common.sections_option(SECTIONS),
        common.SHARE,
        ("--limit", {"type": float, "default": math.inf, "help": "seconds of all sections"}),
        ("--seconds", {"type": float, "default": 0.05, "help": "of one run on the GPU"}),
        ("--repeats", {"type": int, "default": 3}),
        ("--sizes", {"type": int, "nargs": "*", "help": "numbers of cities"}),
    )

"""Vehicle routing on a GPU as Schulz (2013) measures it.

`iterations` (table 5): one iteration of best improvement with the move applied, with capacity,
route limit and number of vehicles, at the paper's numbers of nodes (customers and copies of the
depot), for uniform customers, from a sweep. The time is the difference of two runs of unequal
length over that of their passes. `filters` (figure 25): the same with random filters that keep a
share of all moves.

`levels` (figure 17), of a former version: an iteration with paths of the tour computed ahead in
levels 0, 1 and 2, by several parts, and by scans alone; the preparation of stored data, the
evaluation of all moves, and the iteration. Scans were fastest, and the levels were removed.

`combined` (figure 19): evaluations under all constraints in one kernel beside the sum of those
under each constraint alone. Each of these computes lengths as well, and no kernel writes its
findings for every move, as the paper's do. So the sum is only a stand-in for separate kernels.
`shares` (figure 24): preparation, evaluation, and the choice of a move and its application, by
kernels that are launched one by one. Times are between events around calls; compiling is not timed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common
from benchmarks.papers.paper000 import constrained, iteration_seconds
from benchmarks.papers.paper000_kernels import combined, draw_kernels, shares

if TYPE_CHECKING:
    import argparse

NAME = "paper000"
# Seconds of the paper (table 5, the better index mode), by nodes.
PAPER = {
    2: {57: 4.99e-4, 99: 6.47e-4, 201: 7.03e-4, 301: 1.02e-3, 399: 1.45e-3, 511: 2.02e-3,
        967: 5.50e-3, 1441: 9.68e-3, 2081: 1.95e-2, 2401: 2.59e-2},
    3: {57: 1.23e-3, 99: 3.64e-3, 201: 2.34e-2, 301: 7.50e-2, 399: 0.170, 511: 0.341,
        967: 2.45, 1441: 7.88, 2081: 23.6, 2401: 36.3},
}  # fmt: skip
BARS = {2: {399: 3e-5, 2401: 1e-4}, 3: {399: 3e-4, 2401: 1.2e-2}}
ITERATIONS, LEAST_ITERATIONS = 100, 20  # of a longer run: the iterations of the paper in a second
FILTERED = {2: (399, 2401), 3: (399,)}
SHARES = (1.0, 0.5, 0.25, 0.1, 0.01, 0.001)
MODES = ("masked", "fused")
SECTIONS = ("iterations", "filters", "combined", "shares")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the requested sections."""
    common.require_gpu()
    record = common.stored(options.out, NAME, (*SECTIONS, "levels"))
    measures = {"iterations": iterations, "filters": filters}
    measures |= {"combined": combined, "shares": shares}
    for name in options.sections.split(","):
        record[name] = measures[name]()
        common.write_json(options.out, NAME, __doc__ or "", record)  # also if the run is cut off
    return record


def iterations() -> list[dict[str, Any]]:
    """Time an iteration of each neighbourhood at each size."""
    import gpu_ls_plugin as gls

    rows = []
    for edges, paper in PAPER.items():
        part = gls.TwoOpt() if edges == 2 else gls.ThreeOpt()
        search = gls.LocalSearch([part], candidates=gls.All(), pivoting=gls.Best())
        for n, seconds in paper.items():
            problem, tours = constrained(n)
            most = max(LEAST_ITERATIONS, min(ITERATIONS, int(1 / seconds)))
            own = iteration_seconds(search, problem, tours, most)
            bar = BARS[edges].get(n)
            rows.append({"edges": edges, "n": n, "seconds": own, "paper": seconds, "bar": bar})
            print(rows[-1], flush=True)
    columns = ("edges", "n", "seconds", "bar", "paper")
    common.show("an iteration", columns, [[row[c] or "-" for c in columns] for row in rows])
    return rows


def filters() -> list[dict[str, Any]]:
    """Time an iteration by mode and share of moves kept."""
    import gpu_ls_plugin as gls

    rows = []
    for edges, sizes in FILTERED.items():
        for n in sizes:
            problem, tours = constrained(n)
            for mode in MODES:
                for share in SHARES:
                    part = gls.FilteredNeighbourhood(
                        gls.TwoOpt() if edges == 2 else gls.ThreeOpt(), gls.RandomKeep(share), mode
                    )
                    search = gls.LocalSearch([part], candidates=gls.All(), pivoting=gls.Best())
                    own = iteration_seconds(search, problem, tours, 20)
                    rows.append(
                        {"edges": edges, "n": n, "mode": mode, "share": share, "seconds": own}
                    )
    columns = ("edges", "n", "mode", "share", "seconds")
    common.show("an iteration under a filter", columns, [[r[c] for c in columns] for r in rows])
    return rows


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw the times of iterations beside the paper's, and those under filters."""
    with common.Figure(out, NAME, columns=2) as axes:
        for edges in PAPER:
            rows = [r for r in record.get("iterations", []) if r["edges"] == edges]
            nodes = [r["n"] for r in rows]
            axes[0].plot(nodes, [r["seconds"] for r in rows], "-o", label=f"{edges}-opt")
            axes[0].plot(nodes, [r["paper"] for r in rows], ":x", label=f"{edges}-opt, paper")
        axes[0].set(xlabel="nodes", ylabel="seconds of an iteration", xscale="log", yscale="log")
        for edges, sizes in FILTERED.items():
            for n in sizes:
                for mode in MODES:
                    rows = [
                        r
                        for r in record.get("filters", [])
                        if (r["edges"], r["n"], r["mode"]) == (edges, n, mode)
                    ]
                    whole = [r["seconds"] / rows[0]["seconds"] for r in rows]
                    label = f"{edges}-opt, {n} nodes, {mode}"
                    axes[1].plot([r["share"] for r in rows], whole, "-o", label=label)
        axes[1].set(xlabel="share of moves kept", ylabel="time to that of all", xscale="log")
        for plot in axes:
            plot.legend(fontsize=7)
    draw_kernels(out, record)


if __name__ == "__main__":
    common.main(
        *(__doc__, NAME, measure, draw),
        ("--sections", {"default": ",".join(SECTIONS)}),
    )

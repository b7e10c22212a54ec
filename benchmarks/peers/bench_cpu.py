"""The CPU backend beside NumPy: 2-opt climbs of 100 tours of 1,000 cities on 2 cores.

Every version descends from the same nearest-neighbour tours by one best move of the whole
neighbourhood per pass, and must end with the same tours, city by city. NumPy runs in one process
per core and has the distance matrix; making it and starting the processes is not timed. Ours is
timed as a user calls it, with checks and the recomputation of all costs.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from benchmarks.helpers import common
from benchmarks.peers import numpy_two_opt

if TYPE_CHECKING:
    import argparse

OURS = "gpu_ls_plugin"
SIDE = 1_000_000


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Time all versions side by side."""
    import gpu_ls_plugin as gls

    os.environ["GPU_LS_THREADS"] = str(options.cores)
    problem = gls.TSP(common.uniform(options.cities, SIDE), "EUC_2D")
    distances = numpy_two_opt.euclidean_matrix(problem.coordinates)
    starts = gls.nearest_neighbour(problem, options.tours, seed=1, backend="cpu")
    search = gls.LocalSearch([gls.TwoOpt()], candidates=gls.All(), pivoting=gls.Best())
    found: dict[str, Any] = {}
    seconds: dict[str, list[float]] = {}

    def ours() -> None:
        found[OURS] = search(problem, starts, backend="cpu")

    def numpy(version: str) -> None:
        found[version] = workers.climb_all(version, starts)

    ours()  # compiles
    with numpy_two_opt.Workers(distances, options.cores) as workers:
        for _ in range(options.repeats):
            seconds.setdefault(OURS, []).extend(common.seconds_of(ours))
            for version in numpy_two_opt.CLIMBS:
                seconds.setdefault(version, []).extend(
                    common.seconds_of(lambda v=version: numpy(v))
                )

    result, passes = found[OURS], found[OURS].statistics.passes
    rows = []
    for version, times in seconds.items():
        if version != OURS and not np.array_equal(found[version][0], result.tours):
            raise AssertionError(f"{version} ends with other tours")
        rows.append(
            {
                "version": version,
                "seconds": common.median(times),
                "all_seconds": times,
                "moves_per_second": common.moves_of(problem.n, passes) / common.median(times),
                "ours_is_faster_by": common.median(times) / common.median(seconds[OURS]),
            }
        )
    common.show(
        f"{options.tours} climbs, n = {problem.n}, {options.cores} cores, {passes} passes",
        ["version", "seconds", "moves/s", "ours is faster by"],
        [
            [r["version"], *(r[k] for k in ("seconds", "moves_per_second", "ours_is_faster_by"))]
            for r in rows
        ],
    )
    return {
        "cities": problem.n,
        "tours": options.tours,
        "cores": options.cores,
        "passes": passes,
        "mean_cost_before": float(problem.cost(starts).mean()),
        "mean_cost_after": float(result.costs.mean()),
        "rows": rows,
    }


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw the times as bars on a logarithmic axis."""
    rows = record["rows"]
    with common.Figure(out, "cpu") as (axes,):
        names = [
            "gpu_ls_plugin" if r["version"] == OURS else f"NumPy, {r['version']}" for r in rows
        ]
        bars = axes.barh(names, [r["seconds"] for r in rows])
        labels = [f"{r['seconds']:.3g} s ({r['ours_is_faster_by']:.0f} x)" for r in rows]
        axes.bar_label(bars, labels, padding=3)
        axes.set(xscale="log", xlabel="seconds")
        axes.set_xlim(right=8 * max(r["seconds"] for r in rows))
        axes.invert_yaxis()
        axes.set_title(
            f"{record['tours']} climbs, n = {record['cities']}, {record['cores']} cores",
        )


if __name__ == "__main__":
    common.main(
        *(__doc__, "cpu", measure, draw),
        ("--cities", {"type": int, "default": 1000}),
        ("--tours", {"type": int, "default": 100}),
        ("--cores", {"type": int, "default": 2}),
        ("--repeats", {"type": int, "default": 3}),
    )

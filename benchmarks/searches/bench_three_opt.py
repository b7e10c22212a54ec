"""Exhaustive best-improvement 3-opt on the GPU: time of a pass.

A pass evaluates all four pure reconnections of all n (n - 1) (n - 2) / 6 triples of edges of every
tour and applies the best move. Passes are queued in one call of the engine behind LocalSearch, from
random tours, far from the local optimum; times are medians of repeats between two events, divided
by the number of passes. One tour is spread over the whole device; the batch has one tour for each
multiprocessor of an H200. Schulz (2013, table 5) took 38 s for n = 2,401 on a GTX 480, with
capacities and route lengths.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common

if TYPE_CHECKING:
    import argparse

ONE_TOUR = (200, 400, 1000, 2401, 3000)
BATCH = (200, 132)  # cities, tours
METRICS = ("EUC_2D", "EUC")
BAR = {"n": 2401, "milliseconds": 5.0}
OPERATIONS = 2 / 64  # clocks of a multiprocessor for a triple: two minima, 64 a clock
NO_LIMIT = 2**62


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Time passes of one tour at all sizes, and of the batch."""
    common.require_gpu()
    cases = [(n, 1) for n in ONE_TOUR] + [BATCH]
    rows = [time_passes(n, size, m, options.repeats) for m in METRICS for n, size in cases]
    columns = ("metric", "n", "tours", "passes", "milliseconds", "moves_per_s", "of_floor")
    common.show("one pass", columns, [[row[c] for c in columns] for row in rows])
    (reached,) = (r for r in rows if (r["metric"], r["n"]) == ("EUC_2D", BAR["n"]))
    return {"rows": rows, "bar": BAR, "reached": reached["milliseconds"]}


def time_passes(n: int, size: int, metric: str, repeats: int) -> dict[str, Any]:
    """Return the time of a pass of `size` tours of n cities."""
    import cupy

    import gpu_ls_plugin as gls
    from gpu_ls_plugin.backends import get_backend
    from gpu_ls_plugin.tours.engines.exhaustive.three_opt_climb import ThreeOptClimb

    problem = gls.TSP(common.uniform(n), metric)
    starts = cupy.asarray(gls.random_tours(problem, size, seed=1, backend="cuda"))
    passes = 50 if n < 1000 else 10

    def engine() -> ThreeOptClimb:
        return ThreeOptClimb(get_backend("cuda"), problem, starts.copy(), NO_LIMIT)

    engine().launch(passes, math.inf)  # compiles
    seconds = []
    for _ in range(repeats):
        climb = engine()
        seconds += common.seconds_of(
            lambda climb=climb: climb.launch(passes, math.inf), on_gpu=True
        )
        assert int(climb.move_counts.sum()) == passes * size
    per_pass = common.median(seconds) / passes
    attributes = cupy.cuda.Device().attributes
    clocks = 1e3 * attributes["ClockRate"] * attributes["MultiProcessorCount"]
    floor = size * math.comb(n, 3) * OPERATIONS / clocks
    return {
        "metric": metric,
        "n": n,
        "tours": size,
        "passes": passes,
        "milliseconds": 1e3 * per_pass,
        "all_milliseconds": [1e3 * s / passes for s in seconds],
        "moves_per_s": size * climb.moves_per_evaluation() / per_pass,
        "floor_milliseconds": 1e3 * floor,
        "of_floor": floor / per_pass,
    }


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw the time of a pass of one tour by size, with the floor and the bar."""
    with common.Figure(out, "three_opt") as (plot,):
        for metric in METRICS:
            rows = [r for r in record["rows"] if (r["metric"], r["tours"]) == (metric, 1)]
            sizes = [r["n"] for r in rows]
            plot.plot(sizes, [r["milliseconds"] for r in rows], "-o", label=metric)
        floors = [r["floor_milliseconds"] for r in rows]
        plot.plot(sizes, floors, ":", color="gray", label="floor: two minima a triple")
        bar = record["bar"]
        plot.plot(
            [bar["n"]], [bar["milliseconds"]], "v", color="black", label=f"bar, n = {bar['n']}"
        )
        plot.set(xlabel="cities", ylabel="ms a pass", xscale="log", yscale="log")
        marked = [n for n in sizes if n != bar["n"]]
        plot.set_xticks(marked, map(str, marked), minor=False)
        plot.minorticks_off()
        plot.legend()


if __name__ == "__main__":
    common.main(
        *(__doc__, "three_opt", measure, draw),
        ("--repeats", {"type": int, "default": 5, "help": "of the passes"}),
    )

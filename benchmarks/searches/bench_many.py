"""Many instances at once: mean gaps beside ten times longer runs, single solves, other programs.

Uniform instances in the unit square with real lengths, from the array of coordinates to the tours
and exact costs; kernels are compiled before. A gap is the mean of cost / reference - 1 over the
instances. The reference is a run that is ten times as long, with another seed; `gap_to_best` is
relative to the best of all runs. Single solves and other programs work on a sample of the
instances, one after the other; other programs have a process for each core. `seconds_for_all` is
the time for all instances at that rate.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common
from benchmarks.peers.solvers import has

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from numpy.typing import NDArray

SHARES = (0.1, 0.3, 1.0)  # of the seconds of a bar
LONGER = 10
SINGLE_SECONDS = (0.003, 0.01, 0.03, 0.1)
SAMPLE, MOST_OF_OTHERS = 20, 1_000  # instances, and cities, of single solves and other programs
SCALE = 1e6  # factor of lengths for programs that take integers only
COLUMNS = ("who", "seconds", "wall", "gap_percent", "gap_to_best_percent", "seconds_for_all")


@dataclass(frozen=True)
class Bar:
    """A bar: a mean gap in percent on a number of instances of equal size within some seconds."""

    backend: str
    instances: int
    cities: int
    gap: float
    seconds: float = 1.0

    @property
    def name(self) -> str:
        return f"{self.instances:,} of {self.cities:,} cities, {self.backend}"


BARS = (
    Bar("cuda", 10_000, 100, 0.004),
    Bar("cuda", 1_000, 1_000, 0.15),
    Bar("cuda", 100, 5_000, 0.15, 3.0),
    Bar("cpu", 300, 100, 0.02),
)


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the bars of a backend."""
    bars = [bar for bar in BARS if bar.backend == options.backend]
    return {"bars": [_measured(bar, options) for bar in bars]}


def _measured(bar: Bar, options: argparse.Namespace) -> dict[str, Any]:
    import gpu_ls_plugin as gls

    count = max(1, round(bar.instances * options.share))
    points = np.random.default_rng(1).random((count, bar.cities, 2))
    gls.solve_many(points, bar.seconds, backend=bar.backend)  # compiles
    rows: list[dict[str, Any]] = []

    def add(who: str, seconds: float, wall: float, costs: NDArray[Any], of: int = count) -> None:
        every = wall / of * count
        row = {"who": who, "seconds": seconds, "wall": wall, "seconds_for_all": every}
        rows.append({**row, "costs": costs})

    def many(seconds: float, seed: int, who: str = "solve_many") -> None:
        begin = time.perf_counter()
        found = gls.solve_many(points, seconds, seed=seed, backend=bar.backend)
        add(who, seconds, time.perf_counter() - begin, found.costs)
        counts = found.statistics
        rows[-1] |= {"kicks_per_instance": counts.kicks / count, "phases": counts.phases}

    for share in SHARES:
        many(share * bar.seconds, 1)
    many(LONGER * bar.seconds, 2, "ten times as long")
    sample = points[: min(SAMPLE, count)]
    others = bar.cities <= MOST_OF_OTHERS and not options.alone
    for seconds in SINGLE_SECONDS if others else ():
        add("solve, one by one", seconds, *_single(sample, seconds, bar.backend), len(sample))
    for who, solver in PEERS.items():
        if has(who) and others:
            add(who, 0.0, *_peer(points[: 4 * SAMPLE], solver), len(points[: 4 * SAMPLE]))
    _add_gaps(rows)
    (bar_row,) = (r for r in rows if r["who"] == "solve_many" and r["seconds"] == bar.seconds)
    title = f"{bar.name}: bar {bar.gap} % in {bar.seconds} s"
    common.show(title, COLUMNS, [[row[c] for c in COLUMNS] for row in rows])
    return {
        "name": bar.name,
        "instances": count,
        "cities": bar.cities,
        "bar_percent": bar.gap,
        "reached": bar_row["gap_percent"] <= bar.gap,
        "rows": rows,
    }


def _add_gaps(rows: list[dict[str, Any]]) -> None:
    """Turn the costs of rows, for the first instances or for all, into gaps."""
    (reference,) = (row["costs"] for row in rows if row["who"] == "ten times as long")
    best = reference.copy()
    for row in rows:
        own = row["costs"]
        best[: len(own)] = np.minimum(best[: len(own)], own)
    for row in rows:
        own = row.pop("costs")
        row["gap_percent"] = 100 * float((own / reference[: len(own)] - 1).mean())
        row["gap_to_best_percent"] = 100 * float((own / best[: len(own)] - 1).mean())
        row["mean_cost"] = float(own.mean())


def _single(points: NDArray[Any], seconds: float, backend: str) -> tuple[float, NDArray[Any]]:
    """Return the wall time of solves one by one, and their costs."""
    import gpu_ls_plugin as gls

    problems = [gls.TSP(own) for own in points]
    gls.solve(problems[0], seconds, backend=backend)  # compiles
    begin = time.perf_counter()
    costs = [gls.solve(problem, seconds, backend=backend).best_cost for problem in problems]
    return time.perf_counter() - begin, np.array(costs)


def _peer(points: NDArray[Any], solver: Callable[..., Any]) -> tuple[float, NDArray[Any]]:
    """Return the wall time of another program in a process for each core, and its costs."""
    import gpu_ls_plugin as gls

    cores = len(os.sched_getaffinity(0))
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        pool.map(solver, points[:cores], chunksize=1)  # imports
        begin = time.perf_counter()
        tours = pool.map(solver, points, chunksize=1)
        wall = time.perf_counter() - begin
    costs = [gls.TSP(own).cost(np.array(tour))[0] for own, tour in zip(points, tours, strict=True)]
    return wall, np.array(costs)


def _with_elkai(points: NDArray[Any]) -> list[int]:
    import elkai

    cities = {str(c): tuple(xy) for c, xy in enumerate((SCALE * points).tolist())}
    tour = elkai.Coordinates2D(cities).solve_tsp(runs=1)
    return [int(city) for city in tour[: len(points)]]


def _with_fast_tsp(points: NDArray[Any]) -> list[int]:
    import fast_tsp

    lengths = np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
    tour: list[int] = fast_tsp.find_tour((SCALE * lengths).astype(np.int32), 0.05, max_threads=1)
    return tour


PEERS = {"elkai": _with_elkai, "fast_tsp": _with_fast_tsp}


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw gaps against the time for all instances."""
    backend = "cuda" if record["machine"]["gpu"] else "cpu"
    with common.Figure(out, f"many_{backend}", len(record["bars"])) as axes:
        for plot, bar in zip(axes, record["bars"], strict=True):
            for who in dict.fromkeys(row["who"] for row in bar["rows"]):
                own = [row for row in bar["rows"] if row["who"] == who]
                gaps = [max(row["gap_to_best_percent"], 1e-4) for row in own]
                plot.plot([row["seconds_for_all"] for row in own], gaps, "o-", label=who)
            plot.axhline(bar["bar_percent"], linestyle=":", color="grey")
            plot.set(xscale="log", yscale="log", title=bar["name"])
            plot.set(xlabel="seconds for all", ylabel="mean gap to the best, %")
            plot.legend(fontsize=7)


def main() -> None:
    """Measure on the available backend and write `many_<backend>.json`."""
    options = common.arguments(
        __doc__,
        common.backend_option(),
        common.SHARE,
        ("--alone", {"action": "store_true", "help": "no single solves and other programs"}),
    )
    common.finish(options, f"many_{options.backend}", measure, draw, __doc__ or "")


if __name__ == "__main__":
    main()

"""Gap against time with every recombination, with search and without, beside fast-tsp and elkai.

With search: generations of `MemeticGA` that cross random parents and search all children by the
same search, with as many children as tours. Without: pymoo's GA with the operator of the same
recombination, no mutation, and tours of nearest neighbour at the start. `MemeticGA()` with its
defaults runs beside them. Curves have the best tour after each generation. Time counts from the
instance on, with candidates and starts; kernels are compiled before. A run ends at the optimum. Gap
is the length over the optimal length less one, in percent; results are medians of the seeds,
infinite if most of them miss the gap.

fast-tsp runs for longer and longer, with one thread (median of as many processes as seeds at a
time) and with many threads that search together. elkai runs once until it ends or reaches its
limit.
"""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common
from benchmarks.helpers.gaps import percent
from benchmarks.peers.solvers import FastTsp, durations, elkai_runs, has, processes

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

INSTANCES = ("lin318", "rat783", "pr1002", "pr2392", "pcb3038", "fnl4461")
THREADS = 15  # of fast-tsp, at most
GAPS = (1.0, 0.1, 0.0)  # percent; the times to these are reported
SMALLEST = 1e-3  # lowest percentage on a logarithmic axis
AS_IT_IS = "MemeticGA()"
COLUMNS = ("who", "search", "gap", *(f"to_{gap:g}" for gap in GAPS), "generations")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the requested instances; those of earlier calls stay in the file."""
    names = options.instances.split(",")
    record = common.stored(options.out, name_of(options.backend), INSTANCES)
    for name in names:
        rows = [_row(who, searched, runs) for who, searched, runs in _all_runs(name, options)]
        peers = _peers(name, options)
        shown = [[row.get(c, "") for c in COLUMNS] for row in (*rows, *peers)]
        common.show(f"{name}, {options.backend}, {options.seconds:g} s", COLUMNS, shown)
        given = {key: getattr(options, key) for key in ("seconds", "seeds", "population", "search")}
        record[name] = {"rows": rows, "peers": peers, **given, "machine": common.machine()}
        common.write_json(options.out, name_of(options.backend), __doc__ or "", record)
    return record


def name_of(backend: str) -> str:
    """Return the name of the results of a backend."""
    return f"memetic_crossovers_{backend}"


# ---- Ours ----------------------------------------------------------------------------------------


def _all_runs(
    name: str, options: argparse.Namespace
) -> Iterator[tuple[str, bool, list[dict[str, Any]]]]:
    """Yield for each algorithm its name, whether it searches, and a run for each seed."""
    from gpu_ls_plugin.core.registry import registry

    makers: list[tuple[str, bool, Callable[[Any, int], Any]]] = [
        (AS_IT_IS, True, lambda tsp, seed: _default(options))
    ]
    for part in registry.parts("recombination"):
        factory: Any = part.factory
        makers += [
            (part.name, True, lambda tsp, seed, make=factory: _memetic(make(), options)),
            (part.name, False, lambda tsp, seed, make=factory: _bare(make(), options, tsp, seed)),
        ]
    for who, searched, make in makers:
        runs = [_run(name, make, options, seed) for seed in range(options.seeds + 1)]
        yield who, searched, runs[1:]  # the first one compiles


def _default(options: argparse.Namespace) -> Any:
    from gpu_ls_pymoo import MemeticGA

    return MemeticGA(backend=options.backend)


def _memetic(part: Any, options: argparse.Namespace) -> Any:
    """Return generations of crossed and searched children, for any recombination."""
    from gpu_ls_pymoo import MemeticGA

    size = options.population
    return MemeticGA(
        size, options.search, crossover=part, n_offsprings=size, backend=options.backend
    )


def _bare(part: Any, options: argparse.Namespace, tsp: Any, seed: int) -> Any:
    """Return pymoo's GA with the recombination as its only operator."""
    from pymoo.algorithms.soo.nonconvex.ga import GA
    from pymoo.operators.mutation.nom import NoMutation

    import gpu_ls_plugin as gls
    from gpu_ls_pymoo import RecombinationCrossover, TourDuplicateElimination

    size, backend = options.population, options.backend
    return GA(
        pop_size=size,
        sampling=gls.nearest_neighbour(tsp, size=size, seed=seed, backend=backend),
        crossover=RecombinationCrossover(part, backend=backend),
        mutation=NoMutation(),
        eliminate_duplicates=TourDuplicateElimination(),
    )


def _run(
    name: str, make: Callable[[Any, int], Any], options: argparse.Namespace, seed: int
) -> dict[str, Any]:
    """Run an algorithm on a new copy of an instance; seed 0 makes two generations only."""
    from pymoo.optimize import minimize

    import gpu_ls_plugin as gls
    from gpu_ls_pymoo import TSPProblem

    tsp = gls.TSP.read(common.require_instances() / f"{name}.tsp")
    curve, limit = _curve(common.optima()[name]), ("time", options.seconds)
    begin = curve.begin = time.perf_counter()
    algorithm = make(tsp, seed)
    given = {"callback": curve, "copy_algorithm": False}
    minimize(TSPProblem(tsp), algorithm, limit if seed else ("n_gen", 2), seed=seed, **given)
    return {
        "seed": seed,
        "seconds": time.perf_counter() - begin,
        "generations": algorithm.n_iter - 1,
        "curve": curve.points,
    }


def _curve(optimum: int) -> Any:
    """Return a callback that keeps every better tour's time and gap, and ends at the optimum."""
    from pymoo.core.callback import Callback

    class Curve(Callback):
        begin = 0.0

        def __init__(self) -> None:
            super().__init__()
            self.points: list[tuple[float, float]] = []

        def notify(self, algorithm: Any) -> None:
            gap = float(percent(algorithm.opt.get("F").min(), optimum))
            if not self.points or gap < self.points[-1][1]:
                self.points.append((time.perf_counter() - self.begin, gap))
            if gap <= 0:
                algorithm.termination.terminate()

    return Curve()


def _row(who: str, searched: bool, runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the reported figures of the runs of an algorithm."""
    gaps = [run["curve"][-1][1] for run in runs]
    row: dict[str, Any] = {"who": who, "search": searched, "gap": common.median(gaps), "gaps": gaps}
    for gap in GAPS:
        row[f"to_{gap:g}"] = common.median([_time_to(run["curve"], gap) for run in runs])
    row["generations"] = common.median([run["generations"] for run in runs])
    return row | {"runs": runs}


def _time_to(curve: list[tuple[float, float]], gap: float) -> float:
    return next((seconds for seconds, reached in curve if reached <= gap), math.inf)


# ---- Others --------------------------------------------------------------------------------------


def _peers(name: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return rows of fast-tsp and elkai, if they are installed."""
    import gpu_ls_plugin as gls

    problem = gls.TSP.read(common.require_instances() / f"{name}.tsp")
    optimum, rows = common.optima()[name], []
    if has("fast_tsp"):
        with FastTsp(processes(THREADS)) as peer:
            rows = _fast_tsp(peer, problem, optimum, options)
    if options.elkai_limit:
        with elkai_runs({name: problem}, options.elkai_limit) as records:
            pass
        for found in records.values():
            done = found["cost"] is not None
            curve = [(found["seconds"], float(percent(found["cost"], optimum)))] if done else []
            rows.append(_peer_row("elkai", curve))
    return rows


def _fast_tsp(
    peer: FastTsp, problem: Any, optimum: int, options: argparse.Namespace
) -> list[dict[str, Any]]:
    """Return the rows of one thread and of many."""
    peer.load(problem)
    one: list[tuple[float, float]] = []
    many: list[tuple[float, float]] = []
    for seconds in durations(options.seconds):
        costs, wall = peer.independent(seconds, min(options.seeds, peer.size))
        one.append((wall, float(percent(common.median(costs), optimum))))
        cost, wall = peer.together(seconds, peer.size)
        many.append((wall, float(percent(cost, optimum))))
    threads = f"fast-tsp, {peer.size} threads"
    return [_peer_row("fast-tsp, 1 thread", one), _peer_row(threads, many)]


def _peer_row(who: str, curve: list[tuple[float, float]]) -> dict[str, Any]:
    row: dict[str, Any] = {"who": who, "gap": curve[-1][1] if curve else math.inf}
    return row | {f"to_{gap:g}": _time_to(curve, gap) for gap in GAPS} | {"curve": curve}


# ---- The plot ------------------------------------------------------------------------------------


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw a panel for each instance: searched solid, bare dashed, others as marks."""
    names = [name for name in INSTANCES if name in record]
    columns = min(3, len(names))
    rows = -(-len(names) // columns)
    with common.Figure(out, record["name"], columns, rows) as axes:
        for panel, name in zip(axes, names, strict=False):
            _panel(panel, name, record[name])
        for panel in axes[len(names) :]:
            panel.axis("off")
        axes[0].legend(fontsize=6)


def _panel(axes: Any, name: str, section: dict[str, Any]) -> None:
    colours: dict[str, str] = {}
    for row in section["rows"]:
        colour = colours.setdefault(row["who"], f"C{len(colours)}")
        times, gaps = _median_curve([run["curve"] for run in row["runs"]], section["seconds"])
        label = row["who"] if row["search"] else None
        line = "-" if row["search"] else "--"
        axes.plot(times, gaps, line, color=colour, label=label, drawstyle="steps-post")
    for row, mark in zip(section["peers"], "xo^", strict=False):
        if row["curve"]:
            times, gaps = zip(*row["curve"], strict=True)
            axes.plot(times, np.maximum(gaps, SMALLEST), f"k{mark}:", ms=4, label=row["who"])
    axes.set(xscale="log", yscale="log", xlabel="seconds", ylabel="gap in percent", title=name)


def _median_curve(curves: list[list[tuple[float, float]]], longest: float) -> tuple[Any, Any]:
    """Return times and the median gap at each, once all curves have begun."""
    begin = max(curve[0][0] for curve in curves)
    times = np.geomspace(begin, max(longest, begin), 200)
    gaps = []
    for curve in curves:
        seconds, values = map(np.array, zip(*curve, strict=True))
        gaps.append(values[np.searchsorted(seconds, times, side="right") - 1])
    return times, np.maximum(np.median(gaps, axis=0), SMALLEST)


if __name__ == "__main__":
    given = common.arguments(
        __doc__,
        ("--backend", {"choices": ("cpu", "cuda"), "default": "cpu", "help": "backend of ours"}),
        ("--instances", {"default": ",".join(INSTANCES), "help": "comma-separated"}),
        ("--seconds", {"type": float, "default": 10.0, "help": "of a run"}),
        ("--seeds", {"type": int, "default": 3}),
        ("--population", {"type": int, "default": 100}),
        ("--search", {"default": "lin_kernighan/nearest(8)", "help": "of children, as text"}),
        ("--elkai-limit", {"type": float, "default": 60.0, "help": "seconds; 0 leaves elkai out"}),
    )
    name = name_of(given.backend)
    common.finish(
        given, name, measure, lambda out, record: draw(out, record | {"name": name}), __doc__ or ""
    )

"""Local search on candidate lists: GPU beside our own CPU backend on all cores of the host.

Every line is one search of the same tours to the local optimum. `kernel_ms` is the search alone,
between two events on the device, with candidate lists and tours there; `wall_ms` is a whole call
with NumPy arrays in and out. `cpu_ms` and `cpu_wall_ms` are the same on the CPU backend. Times are
medians of five (GPU) and three (CPU) repeats; calls longer than a second are measured once. First
calls, which compile, and candidate lists are timed apart.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common
from benchmarks.helpers.search_clock import compare, threads
from benchmarks.searches import curves

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

COLUMNS = ("what", "kernel_ms", "wall_ms", "cpu_ms", "cpu_wall_ms", "ratio", "bar_ms", "same_tours")
MILLION = 1_000_000
EXHAUSTIVE_CITIES, EXHAUSTIVE_BAR_MS = 2401, 5.0
CPU_TOURS = 100


def populations(gpu: bool) -> dict[str, Any]:
    """Search 2,112 nearest-neighbour tours of pr1002."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.tours.candidates.alpha import Alpha
    from gpu_ls_plugin.tours.candidates.nearest import Nearest

    problem = gls.TSP.read(common.require_instances() / "pr1002.tsp")
    tours = gls.nearest_neighbour(problem, 2112, seed=1, backend=_backend(gpu))
    searches = {
        "2-opt + Or-opt, Nearest(8)": (gls.LocalSearch(candidates=Nearest(8)), 2.0),
        "2-opt + Or-opt, Nearest(10)": (gls.LocalSearch(candidates=Nearest(10)), 2.0),
        "LinKernighan(3), Alpha(5)": (gls.LocalSearch([gls.LinKernighan(3)], Alpha(5)), 6.0),
        "LinKernighan(5), Alpha(5)": (gls.LocalSearch([gls.LinKernighan(5)], Alpha(5)), None),
        "3-opt, Nearest(8)": (gls.LocalSearch([gls.ThreeOpt()], Nearest(8)), None),
    }
    return _table(
        "2,112 tours of pr1002 from nearest neighbour",
        [compare(k, s, problem, tours, gpu=gpu, bar_ms=b) for k, (s, b) in searches.items()],
    )


def random_starts(gpu: bool) -> dict[str, Any]:
    """Search random tours of 1,000 uniform cities: 64 of them, and other numbers of tours."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.tours.candidates.nearest import Nearest

    problem = gls.TSP(common.uniform(1000), "EUC_2D", name="uniform 1000")
    most = curves.POPULATIONS[-2]
    tours = gls.random_tours(problem, most, seed=1, backend=_backend(gpu))
    rows: list[dict[str, Any]] = []
    for k in (8, 10):
        searches = {
            f"Nearest({k}), {rule.name}": gls.LocalSearch(candidates=Nearest(k), pivoting=rule)
            for rule in (gls.First(), gls.Multi())
        }
        bars = {"bar_ms": 5.0, "ratio_bar": 20.0}
        both = [
            compare(f"2-opt + Or-opt, {what}", search, problem, tours[:64], gpu=gpu, **bars)
            for what, search in searches.items()
        ]
        fastest = min(row["cpu_ms"] for row in both)
        for row in both:
            row["ratio_to_fastest_cpu"] = fastest / row["kernel_ms"] if gpu else None
        rows += both
    columns = ("what", "ratio", "ratio_to_fastest_cpu", "ratio_bar", "mean_cost")
    common.show(
        "to the fastest search of 16 cores", columns, [[r[c] for c in columns] for r in rows]
    )
    return _table("64 random tours of 1,000 cities", rows) | {
        "by_tours": curves.by_tours(searches, problem, tours, gpu)
    }


def single_tours(gpu: bool) -> dict[str, Any]:
    """Search one large greedy tour."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.tours.candidates.nearest import Nearest
    from gpu_ls_plugin.tours.candidates.quadrant import Quadrant

    folder = common.require_instances()
    rows = []
    for name, bar in (("d18512", 150.0), ("pla85900", 600.0)):
        problem = gls.TSP.read(folder / f"{name}.tsp")
        for m in (10, 40):
            search = gls.LocalSearch([gls.ThreeOpt()], Quadrant(m))
            rows.append(_single(f"{name}, 3-opt, Quadrant({m})", search, problem, bar, gpu))
    problem = gls.TSP(common.uniform(MILLION, MILLION), "EUC_2D", name="uniform 1000000")
    search = gls.LocalSearch(candidates=Nearest(8))
    what = "1,000,000 cities, 2-opt + Or-opt, Nearest(8)"
    rows.append(_single(what, search, problem, 10_000.0, gpu))
    common.show(
        "device memory of the call",
        ["what", "peak_gb", "candidates_s", "greedy_s"],
        [[r[k] for k in ("what", "peak_gb", "candidates_s", "greedy_s")] for r in rows],
    )
    return _table("one greedy tour", rows) | {"peak_bar_gb": 2.0}


def _single(what: str, search: Any, problem: Any, bar: float, gpu: bool) -> dict[str, Any]:
    """Make candidate lists and tour, each timed; compare."""
    import gpu_ls_plugin as gls

    found: dict[str, Any] = {}

    def start() -> None:
        found["tours"] = gls.greedy(problem, backend="cpu")

    apart = {
        "candidates_s": common.seconds_of(lambda: search.candidates.of(problem))[0],
        "greedy_s": common.seconds_of(start)[0],
    }
    return compare(what, search, problem, found["tours"], gpu=gpu, bar_ms=bar) | apart


def exhaustive(gpu: bool) -> dict[str, Any]:
    """Time a pass of best-improvement 3-opt over all triples of edges."""
    if not gpu:
        return {"rows": []}
    from benchmarks.searches import bench_three_opt

    row = bench_three_opt.time_passes(EXHAUSTIVE_CITIES, 1, "EUC_2D", 3)
    row |= {"bar_ms": EXHAUSTIVE_BAR_MS, "cpu_ms": _exhaustive_cpu_ms()}
    row["ratio"] = row["cpu_ms"] / row["milliseconds"]
    columns = ("n", "tours", "milliseconds", "cpu_ms", "ratio", "bar_ms")
    common.show("a pass of exhaustive 3-opt", columns, [[row[c] for c in columns]])
    return {"rows": [row]}


def _exhaustive_cpu_ms() -> float:
    """Return the time of the same pass in one thread, which is the part of one tour."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.backends import get_backend
    from gpu_ls_plugin.tours.engines.exhaustive.three_opt_climb import ThreeOptClimb

    problem = gls.TSP(common.uniform(EXHAUSTIVE_CITIES), "EUC_2D")
    tours = gls.random_tours(problem, 1, seed=1, backend="cpu")
    climb = ThreeOptClimb(get_backend("cpu"), problem, tours, 1)
    climb.launch(0, math.inf)  # compiles
    return 1e3 * common.seconds_of(lambda: climb.launch(1, math.inf))[0]


def cpu_lines(gpu: bool) -> dict[str, Any]:
    """Search 100 nearest-neighbour tours of pr1002 on one and on two threads."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.tours.candidates.alpha import Alpha
    from gpu_ls_plugin.tours.candidates.nearest import Nearest

    problem = gls.TSP.read(common.require_instances() / "pr1002.tsp")
    tours = gls.nearest_neighbour(problem, CPU_TOURS, seed=1, backend="cpu")
    searches = {
        "2-opt + Or-opt, Nearest(8)": (gls.LocalSearch(candidates=Nearest(8)), 40.0),
        "LinKernighan(5), Alpha(5)": (gls.LocalSearch([gls.LinKernighan(5)], Alpha(5)), 150.0),
    }
    rows = []
    for what, (search, bar) in searches.items():
        for count in (1, 2):
            bar_ms = bar if count == 1 else None
            label = f"{what}, {count} thread{'s' * (count > 1)}"
            with threads(count):
                rows.append(
                    compare(label, search, problem, tours, gpu=False, bar_ms=bar_ms, cpu_repeats=7)
                )
    return _table(f"CPU backend, {CPU_TOURS} tours of pr1002", rows)


def _backend(gpu: bool) -> str:
    return "cuda" if gpu else "cpu"


def _table(title: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    common.show(title, COLUMNS, [[row[c] for c in COLUMNS] for row in rows])
    return {"rows": rows}


SECTIONS: dict[str, Callable[[bool], dict[str, Any]]] = {
    "populations": populations,
    "random_starts": random_starts,
    "single_tours": single_tours,
    "exhaustive": exhaustive,
    "against_cities": curves.against_cities,
    "against_tours": curves.against_tours,
    "against_gap": curves.against_gap,
    "cpu_lines": cpu_lines,
}
PLOTS = {
    "against_cities": curves.draw_cities,
    "against_tours": curves.draw_tours,
    "against_gap": curves.draw_gap,
}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the requested sections."""
    chosen = options.sections.split(",")
    if unknown := set(chosen) - set(SECTIONS):
        raise SystemExit(f"--sections: {', '.join(sorted(unknown))}: none of {', '.join(SECTIONS)}")
    gpu = not options.cpu_only
    if gpu:
        common.require_gpu()
    record: dict[str, Any] = common.stored(options.out, file_name(options), ("seconds", *SECTIONS))
    record.setdefault("seconds", {})
    for name in (s for s in SECTIONS if s in chosen):
        print(f"== {name}", flush=True)

        def section(name: str = name) -> None:
            record[name] = SECTIONS[name](gpu)

        record["seconds"][name] = common.seconds_of(section)[0]
        # Measured sections stay if a later one fails.
        common.write_json(options.out, file_name(options), __doc__ or "", record)
    print({name: round(s, 1) for name, s in record["seconds"].items()})
    return record


def file_name(options: argparse.Namespace) -> str:
    """Return the name of the results without its suffix."""
    return "local_search_cpu" if options.cpu_only else "local_search"


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw the sections that are curves."""
    here = [name for name in PLOTS if name in record]
    if not here or record["machine"]["gpu"] is None:
        return
    with common.Figure(out, "local_search", len(here)) as axes:
        for plot, name in zip(axes, here, strict=True):
            PLOTS[name](plot, record[name])


if __name__ == "__main__":
    given = common.arguments(
        __doc__,
        ("--sections", {"default": "", "help": f"comma-separated, of {', '.join(SECTIONS)}"}),
        ("--cpu-only", {"action": "store_true", "help": "no GPU; by default cpu_lines"}),
    )
    given.sections = given.sections or ("cpu_lines" if given.cpu_only else ",".join(SECTIONS))
    common.finish(given, file_name(given), measure, draw, __doc__ or "")

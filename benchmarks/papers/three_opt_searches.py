"""Local searches of paper 002 (Delevacq, Delisle and Krajecki 2012), timed as described there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.helpers.search_clock import search_seconds, threads

if TYPE_CHECKING:
    from gpu_ls_plugin import TSP, LocalSearch

SIZES_002 = (1, 8, 64, 512, 2048)
LAYOUTS = {"BG": "global", "BS": "block", "warp": "warp"}
PAPER_002 = {  # speedups over one core in its table 1, by number of solutions
    "kroA100": {
        "T": (0.01, 0.06, 0.34, 0.93, 2.02),
        "BG": (0.08, 0.45, 2.83, 6.40, 7.07),
        "BS": (0.08, 0.50, 3.13, 7.01, 7.83),
    },
    "lin318": {
        "T": (0.01, 0.06, 0.35, 0.84, 1.72),
        "BG": (0.09, 0.51, 3.23, 6.92, 7.77),
        "BS": (0.10, 0.57, 3.54, 7.61, 8.51),
    },
    "rat783": {
        "T": (0.01, 0.06, 0.34, 0.80, 1.49),
        "BG": (0.07, 0.43, 2.69, 5.77, 6.37),
        "BS": (0.08, 0.49, 2.18, 3.13, 3.27),
    },
    "fl1577": {
        "T": (0.01, 0.05, 0.23, 0.54, 0.79),
        "BG": (0.07, 0.33, 1.73, 4.59, 5.20),
        "BS": (0.08, 0.40, 0.97, 1.14, 1.13),
    },
    "pcb3038": {
        "T": (0.01, 0.06, 0.39, 0.76, 1.27),
        "BG": (0.08, 0.46, 2.91, 5.20, 5.60),
        "BS": (),
    },
}
# One core searches at most this many tours; its time for more is in proportion.
ONE_CORE_TOURS = 64
RANDOM_K = 1000


def paper_002(gpu: bool) -> dict[str, Any]:
    """Time one local search of its strategies, as speedups over one core."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.tours.candidates.quadrant import Quadrant

    folder = common.require_instances()
    first, rows = {}, []
    for key, layout in LAYOUTS.items():
        first[key] = gls.LocalSearch([gls.ThreeOpt()], Quadrant(40), layout=layout)
    random_k = gls.LocalSearch([gls.ThreeOpt()], gls.All(), gls.RandomK(RANDOM_K))
    for name in PAPER_002:
        problem = gls.TSP.read(folder / f"{name}.tsp")
        backend = "cuda" if gpu else "cpu"
        tours = gls.nearest_neighbour(problem, SIZES_002[-1], seed=1, backend=backend)
        for place, size in enumerate(SIZES_002 if gpu else SIZES_002[:3]):
            row: dict[str, Any] = {"instance": name, "n": problem.n, "tours": size}
            kinds = {"first": first, "random_k": {"RKBI": random_k}}
            for kind, searches in kinds.items():
                one_core = _one_core(next(iter(searches.values())), problem, tours[:size])
                row[f"{kind}_one_core_ms"] = one_core
                for key, search in searches.items() if gpu else ():
                    seconds, _ = search_seconds(search, problem, tours[:size], "cuda", 3)
                    row[f"{key}_ms"] = 1e3 * common.median(seconds)
                    row[f"{key}_speedup"] = one_core / row[f"{key}_ms"]
            row["paper"] = {k: v[place] for k, v in PAPER_002[name].items() if v}
            rows.append(row)
            print(name, size, flush=True)
    shown = [k for k in rows[0] if k in ("instance", "tours") or k.endswith(("speedup", "core_ms"))]
    common.show("paper 002: times one core", shown, [[r[k] for k in shown] for r in rows])
    return {"rows": rows, "one_core_tours": ONE_CORE_TOURS, "k": RANDOM_K}


def _one_core(search: LocalSearch, problem: TSP, tours: Any) -> float:
    """Return the milliseconds of one core; if it searches only some tours, in proportion."""
    some = tours[:ONE_CORE_TOURS]
    with threads(1):
        seconds, _ = search_seconds(search, problem, some, "cpu", 1)
    return 1e3 * seconds[0] * len(tours) / len(some)


def draw_paper_002(plot: Any, section: dict[str, Any]) -> None:
    """Draw the speedups of 2,048 tours by instance, ours beside the paper's."""
    rows = [r for r in section["rows"] if r["tours"] == SIZES_002[-1] and "BS_speedup" in r]
    at = [r["instance"] for r in rows]
    for number, key in enumerate((*LAYOUTS, "RKBI")):
        label = LAYOUTS.get(key, f"best of {section['k']:,} random moves")
        plot.plot(at, [r[f"{key}_speedup"] for r in rows], "-o", color=f"C{number}", label=label)
        paper = [r["paper"].get(key, math.nan) for r in rows]
        plot.plot(at, paper, ":s", color=f"C{number}")
    plot.set(title="3-opt, 2,048 tours (paper 002: dotted)", ylabel="times one core", yscale="log")
    plot.legend(fontsize=7)

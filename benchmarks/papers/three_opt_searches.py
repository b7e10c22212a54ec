"""Local searches of two papers, timed as described there.

Paper 001 is Fosin, Davidović and Carić (2013), paper 002 Delevacq, Delisle and Krajecki (2012).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.helpers.gaps import names
from benchmarks.helpers.search_clock import engine_maker, queued_seconds, search_seconds, threads

if TYPE_CHECKING:
    from gpu_ls_plugin import TSP, LocalSearch

GROUPS = {  # numbers of cities
    "70-400": range(70, 400),
    "400-2000": range(400, 2000),
    "2000-18512": range(2000, 18_513),
}
PAPER_001_MS = {"70-400": 0.2670, "400-2000": 0.3561, "2000-18512": 1.6981} | {
    "pla33810": 3.7,
    "pla85900": 9.1,
}
RATIO_BAR = 20.0
REPEATS = 5

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


# ---- Paper 001, tables 1 and 2 -------------------------------------------------------------------


def paper_001(gpu: bool) -> dict[str, Any]:
    """Time one pass of 3-opt on 40 quadrant neighbours, of every instance, and by group."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.tours.candidates.quadrant import Quadrant

    folder = common.require_instances()
    search = gls.LocalSearch([gls.ThreeOpt()], Quadrant(40), gls.Best())
    chosen = [name for name in names(70, 18_512) if name != "linhp318"]
    rows = []
    for name in [*chosen, "pla33810", "pla85900"]:
        problem = gls.TSP.read(folder / f"{name}.tsp")
        seconds = common.seconds_of(lambda p=problem: search.candidates.of(p))[0]
        rows.append(_one_pass(search, problem, gpu) | {"candidates_seconds": seconds})
    groups = [_group(name, [r for r in rows if r["n"] in sizes]) for name, sizes in GROUPS.items()]
    groups += [_group(r["instance"], [r]) for r in rows[-2:]]
    common.show("paper 001: one pass of 3-opt", list(groups[0]), [list(g.values()) for g in groups])
    return {"rows": rows, "groups": groups, "ratio_bar": RATIO_BAR}


def _one_pass(search: LocalSearch, problem: TSP, gpu: bool) -> dict[str, Any]:
    import gpu_ls_plugin as gls

    backends = {"cuda": "", "cpu": "cpu_"} if gpu else {"cpu": "cpu_"}
    row: dict[str, Any] = {"instance": problem.name, "n": problem.n}
    row |= {"evaluation_ms": None, "pass_ms": None}
    for backend, prefix in backends.items():
        tours = gls.nearest_neighbour(problem, 1, seed=1, backend=backend)
        make = engine_maker(search, problem, tours, backend)
        make().launch(1, math.inf)  # compiles
        clock = queued_seconds if backend == "cuda" else lambda f: common.seconds_of(f)[0]
        evaluations, passes = [], []
        for _ in range(REPEATS):
            engine: Any = make()

            evaluations.append(clock(engine.evaluate))
            passes.append(clock(lambda engine=engine: engine.launch(1, math.inf)))
        row[f"{prefix}evaluation_ms"] = 1e3 * common.median(evaluations)
        row[f"{prefix}pass_ms"] = 1e3 * common.median(passes)
        row["moves"] = engine.moves_per_evaluation()
    return row


def _group(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    def mean(key: str) -> float | None:
        values = [r[key] for r in rows]
        return None if None in values or not values else sum(values) / len(values)

    ours, paper = mean("evaluation_ms"), PAPER_001_MS[name]
    return {
        "group": name,
        "instances": len(rows),
        "evaluation_ms": ours,
        "pass_ms": mean("pass_ms"),
        "cpu_evaluation_ms": mean("cpu_evaluation_ms"),
        "paper_ms": paper,
        "ratio": None if ours is None else paper / ours,
    }


# ---- Paper 002, tables 1 and 3 -------------------------------------------------------------------


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

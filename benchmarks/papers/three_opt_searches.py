"""Local searches of paper 001 (Fosin, Davidović and Carić 2013), timed as described there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.helpers.gaps import names
from benchmarks.helpers.search_clock import engine_maker, queued_seconds

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

"""Filtered neighbourhoods on the GPU: the time that filters save.

`iterations`: passes of a descent from random tours, with the move applied. `descents`: from greedy
tours to the local optimum, wall time of the second call. `mappings`: one evaluation of all moves by
each mapping. `large`: 3-opt at 5,000 cities within a limit of memory. Other times are between
events on the stream.
"""

from __future__ import annotations

import math
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common

if TYPE_CHECKING:
    import argparse

ITERATIONS = {(2, 399): 0.030, (2, 2401): 0.1}  # bars in milliseconds
NO_LIMIT = 2**62
SECTIONS = ("iterations", "descents", "mappings", "large")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the requested sections."""
    common.require_gpu()
    chosen = options.sections.split(",")
    measures = {
        "iterations": iterations,
        "descents": descents,
        "mappings": mappings,
        "large": large,
    }
    # "keep" compares a mode that was removed; it cannot be measured again.
    record = common.stored(options.out, NAME, ("keep", *SECTIONS))

    def once(name: str) -> None:
        try:
            record[name] = measures[name]()
        except Exception as error:
            record[name] = {"error": repr(error)}
            traceback.print_exc()

    for name in chosen:
        seconds = common.seconds_of(lambda name=name: once(name))[0]
        print(f"{name} took {seconds:.1f} s", flush=True)
        common.write_json(options.out, NAME, __doc__ or "", record)  # also if the run is cut off
    options.failed = any("error" in section for section in record.values())
    return record


NAME = "filtered"


def neighbourhood(edges: int, *given: Any, **named: Any) -> Any:
    """Return a filtered 2-opt or 3-opt neighbourhood."""
    import gpu_ls_plugin as gls

    return gls.FilteredNeighbourhood(
        gls.TwoOpt() if edges == 2 else gls.ThreeOpt(), *given, **named
    )


def engine(problem: Any, part: Any, tours: Any, memory: int = 2**35) -> Any:
    """Return the engine behind LocalSearch, for a copy of the tours."""
    from gpu_ls_plugin.backends import get_backend
    from gpu_ls_plugin.tours.engines.filtered.filtered_moves import FilteredMoves

    return FilteredMoves(get_backend("cuda"), problem, tours.copy(), part, NO_LIMIT, memory=memory)


def random_start(n: int) -> tuple[Any, Any]:
    """Return a uniform problem of n cities and a random tour on the device."""
    import cupy

    import gpu_ls_plugin as gls

    problem = gls.TSP(common.uniform(n), "EUC_2D")
    return problem, cupy.asarray(gls.random_tours(problem, 1, seed=1, backend="cuda"))


# ---- Iterations ----------------------------------------------------------------------------------


def iterations() -> dict[str, Any]:
    """Time passes with the move applied."""
    import gpu_ls_plugin as gls

    rows = []
    for (edges, n), bar in {**ITERATIONS, (3, 1000): None, (3, 2400): None}.items():
        for filter_ in (gls.Everything(), gls.GainBound(), gls.InCandidates(gls.Nearest(10))):
            for mode in ("masked", "fused", "openings"):
                problem, tours = random_start(n)
                part = neighbourhood(edges, filter_, mode)
                passes = 200 if edges == 2 else 20
                batch = engine(problem, part, tours)
                batch.launch(2 * 16 + 1, math.inf)  # compiles and records
                batch.launch(2 * 16 + 1, math.inf)
                before = int(batch.move_counts.sum())
                seconds = common.seconds_of(
                    lambda batch=batch, passes=passes: batch.launch(passes, math.inf), on_gpu=True
                )[0]
                moves = int(batch.move_counts.sum()) - before
                rows.append(
                    {
                        "edges": edges,
                        "n": n,
                        "filter": repr(filter_),
                        "mode": mode,
                        "milliseconds": 1e3 * seconds / passes,
                        "moves": moves,
                        "passes": passes,
                        "bar": bar,
                    }
                )
    columns = ("edges", "n", "filter", "mode", "milliseconds", "bar", "moves", "passes")
    common.show(
        "one iteration",
        columns,
        [[str(r[c]) if r[c] is None else r[c] for c in columns] for r in rows],
    )
    return {"rows": rows}


# ---- Descents ------------------------------------------------------------------------------------


def descents() -> dict[str, Any]:
    """Time 3-opt descents of pr1002 and pr2392 from greedy, with and without filters."""
    import gpu_ls_plugin as gls

    folder, optimum = common.require_instances(), common.optima()
    bound, lists, awake = gls.GainBound(), gls.InCandidates(gls.Nearest(10)), gls.DontLook()
    filters = {
        "tiled, no filter": None,
        "no filter": (gls.Everything(), "masked"),
        "gain bound, masked": (bound, "masked"),
        "gain bound, fused": (bound, "fused"),
        "gain bound, openings": (bound, "openings"),
        "candidates, fused": (lists, "fused"),
        "candidates, openings": (lists, "openings"),
        "both, openings": (bound & lists, "openings"),
        "gain bound and don't-look bits, openings": (bound & awake, "openings"),
        "all three, openings": (bound & lists & awake, "openings"),
    }
    rows = []
    for name in ("pr1002", "pr2392"):
        problem = gls.TSP.read(folder / f"{name}.tsp")
        start = gls.greedy(problem, 1, seed=1, backend="cuda")
        for label, given in filters.items():
            if name != "pr1002" and given is not None and given[1] != "openings":
                continue  # tens of seconds
            part = gls.ThreeOpt() if given is None else neighbourhood(3, *given)
            search = gls.LocalSearch([part], gls.All(), gls.Best())
            row = descent(search, problem, start, optimum[name])
            rows.append({"instance": name, "search": label, **row})
            print(rows[-1], flush=True)
        own = {r["search"]: r["milliseconds"] for r in rows if r["instance"] == name}
        for row in (r for r in rows if r["instance"] == name):
            for other in ("no filter", "tiled, no filter"):
                if other in own:
                    row[f"times_faster_than {other}"] = own[other] / row["milliseconds"]
    columns = ("instance", "search", "milliseconds", "moves", "gap", "times_faster_than no filter",
               "times_faster_than tiled, no filter")  # fmt: skip
    common.show("3-opt from greedy", columns, [[r.get(c, "-") for c in columns] for r in rows])
    return {"rows": rows, "bar_times_faster": 20}


def descent(search: Any, problem: Any, start: Any, optimum: int) -> dict[str, Any]:
    """Time a complete descent, and shorter ones on its way."""
    import gpu_ls_plugin as gls

    search(problem, start, backend="cuda", budget=gls.Budget(moves=20))  # compiles
    result = search(problem, start, backend="cuda")
    count = result.statistics
    curve = []
    for moves in (0, count.moves // 4, count.moves // 2, 3 * count.moves // 4):
        if count.seconds < 0.3:
            part = search(problem, start, backend="cuda", budget=gls.Budget(moves=moves))
            gap = 100 * (part.best_cost / optimum - 1)
            curve.append({"milliseconds": 1e3 * part.statistics.seconds, "gap": gap})
    gap = 100 * (result.best_cost / optimum - 1)
    curve.append({"milliseconds": 1e3 * count.seconds, "gap": gap})
    return {
        **curve[-1],
        "moves": count.moves,
        "evaluations": count.evaluations,
        "curve": curve,
        "moves_of_the_same_filter_left": moves_left(search, problem, result.tours),
    }


def moves_left(search: Any, problem: Any, tours: Any) -> int | None:
    """Return the number of moves that the flat evaluation of the same filter still finds: 0."""
    from dataclasses import replace

    import gpu_ls_plugin as gls

    (part,) = search.neighbourhoods
    if not isinstance(part, gls.FilteredNeighbourhood):
        return None
    flat = replace(search, neighbourhoods=[replace(part, mode="masked")])
    budget = gls.Budget(moves=1)
    return int(flat(problem, tours, backend="cuda", budget=budget).statistics.moves)


# ---- Mappings ------------------------------------------------------------------------------------


def mappings() -> dict[str, Any]:
    """Time one evaluation of all moves by each mapping."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.tours.filters.filtered_neighbourhood import MAPPINGS

    rows = []
    for edges, n in ((2, 4000), (2, 20_000), (3, 400), (3, 1000)):
        problem, tours = random_start(n)
        for mapping, (_, kinds) in MAPPINGS.items():
            part_of = {2: gls.TwoOpt, 3: gls.ThreeOpt}[edges]
            if part_of not in kinds:
                continue
            part = neighbourhood(edges, gls.Everything(), "masked", mapping)
            batch = engine(problem, part, tours)
            batch.launch(1, math.inf)
            passes = 5
            seconds = common.seconds_of(
                lambda batch=batch, passes=passes: batch.launch(passes, math.inf), on_gpu=True
            )[0]
            rows.append(
                {"edges": edges, "n": n, "mapping": mapping, "milliseconds": 1e3 * seconds / passes}
            )
    columns = ("edges", "n", "mapping", "milliseconds")
    common.show("one evaluation of all moves", columns, [[r[c] for c in columns] for r in rows])
    return {"rows": rows}


# ---- Large neighbourhoods ------------------------------------------------------------------------


def large() -> dict[str, Any]:
    """Time 3-opt iterations at 5,000 cities within 256 MB."""
    import cupy

    import gpu_ls_plugin as gls

    limit, n = 256 << 20, 5000
    problem, tours = random_start(n)
    rows = []
    cases = (
        ("masked", gls.Everything()),
        ("fused", gls.GainBound()),
        ("openings", gls.GainBound()),
    )
    for mode, filter_ in cases:
        search = gls.LocalSearch([neighbourhood(3, filter_, mode)], pivoting=gls.Best())
        pool = cupy.cuda.MemoryPool()
        peak = 0

        def allocate(size: int, pool: Any = pool) -> Any:
            nonlocal peak
            memory = pool.malloc(size)
            peak = max(peak, pool.used_bytes())
            return memory

        with cupy.cuda.using_allocator(allocate):
            result = search(
                problem, tours, backend="cuda", budget=gls.Budget(moves=2), memory_limit=limit
            )
        count = result.statistics
        rows.append(
            {
                "mode": mode,
                "filter": repr(filter_),
                "moves": count.moves,
                "seconds": count.seconds,
                "peak_bytes": peak,
                "limit_bytes": limit,
                "cost": int(result.best_cost),
            }
        )
        print(rows[-1], flush=True)
    return {"n": n, "moves_of_neighbourhood": 4 * math.comb(n, 3), "rows": rows}


# ---- Plots ---------------------------------------------------------------------------------------


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw the descents."""
    rows = record.get("descents", {}).get("rows", [])
    if rows:
        names = sorted({r["instance"] for r in rows})
        with common.Figure(out, "filtered_descents", len(names)) as plots:
            for plot, name in zip(plots, names, strict=True):
                for row in (r for r in rows if r["instance"] == name):
                    points = row["curve"]
                    plot.plot(
                        [p["milliseconds"] for p in points],
                        [p["gap"] for p in points],
                        "-o",
                        markersize=3,
                        label=row["search"],
                    )
                plot.set(
                    xlabel="ms",
                    ylabel="gap in percent",
                    title=name,
                    xscale="log",
                )
                plot.legend(fontsize=7)


if __name__ == "__main__":
    given = common.arguments(
        __doc__, ("--sections", {"default": ",".join(SECTIONS), "help": "comma-separated"})
    )
    common.finish(given, NAME, measure, draw, __doc__ or "")
    sys.exit(int(getattr(given, "failed", False)))

"""Filtered neighbourhoods on the GPU: time against the share of moves kept, and what filters save.

`keep`: random flags are given, as in Schulz (2013, section 7); making them is timed apart. All
modes evaluate the same chunks of the neighbourhood of a greedy tour; the baseline is the kernel
that evaluates one move per lane with the identity mapping. Chunks are sampled where the
neighbourhood is huge. Beside them stands the unfiltered kernel that shares distances in tiles.
`iterations`: passes of a descent from random tours, the move applied. `descents`: from greedy to
the local optimum, wall time of the second call. `mappings`: one evaluation of all moves by each.
`large`: 3-opt at 5,000 cities within a budget of memory. Other times are between events on the
stream.
"""

from __future__ import annotations

import itertools
import math
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common

if TYPE_CHECKING:
    import argparse

RATES = (1.0, 0.75, 0.5, 0.25, 0.1, 0.05, 0.01, 0.001)
KEEP = {3: (400, 1000, 2400, 5000), 2: (4000, 20_000)}  # cities, by the edges of a move
BARS = {(3, 1000), (3, 2400)}  # compact at most 1.3 f + 0.10 of the baseline
BAR_RATES = (0.5, 0.25, 0.1, 0.01)
MOST_CHUNKS = 12  # that are timed of a neighbourhood
ITERATIONS = {(2, 399): 0.030, (2, 2401): 0.1}  # milliseconds asked
NO_LIMIT = 2**62
SECTIONS = ("keep", "iterations", "descents", "mappings", "large")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the sections that were asked for."""
    common.require_gpu()
    chosen = options.sections.split(",")
    measures = {
        "keep": keep,
        "iterations": iterations,
        "descents": descents,
        "mappings": mappings,
        "large": large,
    }
    record = common.stored(options.out, NAME, SECTIONS)

    def once(name: str) -> None:
        try:
            record[name] = measures[name]()
        except Exception as error:
            record[name] = {"error": repr(error)}
            traceback.print_exc()

    for name in chosen:
        seconds = common.seconds_of(lambda name=name: once(name))[0]
        print(f"{name} took {seconds:.1f} s", flush=True)
        common.write_json(options.out, NAME, __doc__ or "", record)  # also of a run that is cut
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


def greedy_start(n: int) -> tuple[Any, Any]:
    """Return a uniform problem of n cities and its greedy tour on the device."""
    import cupy

    import gpu_ls_plugin as gls

    problem = gls.TSP(common.uniform(n), "EUC_2D")
    return problem, cupy.asarray(gls.greedy(problem, 1, seed=1, backend="cuda"))


def random_start(n: int) -> tuple[Any, Any]:
    """Return a uniform problem of n cities and a random tour on the device."""
    import cupy

    import gpu_ls_plugin as gls

    problem = gls.TSP(common.uniform(n), "EUC_2D")
    return problem, cupy.asarray(gls.random_tours(problem, 1, seed=1, backend="cuda"))


# ---- Time against the share of moves kept --------------------------------------------------------


def keep() -> dict[str, Any]:
    """Time one evaluation by mode and share of moves kept."""
    rows = [row for edges, sizes in KEEP.items() for n in sizes for row in keep_rows(edges, n)]
    columns = ("edges", "n", "rate", "compact", "bar", "compaction", "masked", "fused", "tiled")
    table = [[row.get(c, "-") for c in columns] for row in rows]
    common.show("time as a share of the baseline's", columns, table)
    return {"rows": rows, "crossovers": crossovers(rows)}


def keep_rows(edges: int, n: int) -> list[dict[str, Any]]:
    """Time one evaluation of some or all chunks of a neighbourhood, for all rates."""
    import gpu_ls_plugin as gls

    problem, tours = greedy_start(n)
    tiled = tiled_seconds(edges, problem, tours)
    rows = []
    for rate in RATES:
        batch = engine(problem, neighbourhood(edges, gls.RandomKeep(rate), "compact"), tours)
        chunks = batch.arguments["chunks"]
        sampled = range(0, chunks, max(1, chunks // MOST_CHUNKS))
        times: dict[str, float] = {}
        for chunk in sampled:
            for name, seconds in chunk_seconds(batch, chunk).items():
                times[name] = times.get(name, 0) + seconds
        share = math.fsum(moves_of_chunk(batch, chunk) for chunk in sampled) / (
            moves_of_chunk(batch, 0) * (chunks - 1) + moves_of_chunk(batch, chunks - 1)
        )
        seconds = {name: time / share for name, time in times.items()}
        base = seconds["baseline"]
        row = {"edges": edges, "n": n, "rate": rate, "chunks": chunks, "sampled": len(sampled)}
        row |= {f"{name}_seconds": time for name, time in seconds.items()}
        row["tiled_seconds"] = tiled
        row["compact"] = (seconds["compaction"] + seconds["mapped"]) / base
        row |= {name: seconds[name] / base for name in ("compaction", "mapped", "masked", "fused")}
        row["tiled"] = tiled / base
        row["moves_per_second"] = batch.moves_per_evaluation() / base
        row["cupy_compaction"] = cupy_compaction_seconds(batch) / share / base * len(sampled)
        if (edges, n) in BARS and rate in BAR_RATES:
            row["bar"] = 1.3 * rate + 0.10
        rows.append(row)
        print({k: v for k, v in row.items() if not k.endswith("seconds")}, flush=True)
    return rows


def moves_of_chunk(batch: Any, chunk: int) -> int:
    """Return how many positions a chunk has."""
    n, size = batch.problem.n, batch.arguments["chunk_size"]
    all_of_them = math.comb(n - 1, 2) if batch.part.edges == 2 else math.comb(n, 3)
    return int(min(size, all_of_them - chunk * size))


def chunk_seconds(batch: Any, chunk: int) -> dict[str, float]:
    """Return the seconds of each kernel on one chunk, whose flags are made before."""
    from dataclasses import replace

    import gpu_ls_plugin as gls

    kernels = batch.kernels
    batch.arguments["cursors"].fill(chunk)
    make, compact, mapped = kernels.evaluation("compact")
    everything = replace(kernels, part=replace(batch.part, filter=gls.Everything()))
    calls = {
        "flags": make,
        "compaction": compact,
        "mapped": mapped,
        "masked": kernels.evaluation("masked", "Flagged")[0],
        "fused": kernels.evaluation("fused", "Flagged")[0],
        "baseline": everything.evaluation("masked")[0],
    }
    return {name: kernel_seconds(batch, kernel, name) for name, kernel in calls.items()}


def kernel_seconds(batch: Any, kernel: Any, name: str, together: int = 4) -> float:
    """Return the seconds of a kernel, launched several times by a graph."""

    def work() -> None:
        if name == "compaction":
            batch.arguments["entry_counts"].fill(0)
        batch.backend.launch(kernel, batch.slots, batch.arguments)

    replay = batch.backend.recorded(work, together)
    for _ in range(2):  # compiles, and records
        replay()
    return common.median(common.seconds_of(replay, 3, on_gpu=True)) / together


def cupy_compaction_seconds(batch: Any) -> float:
    """Return the seconds in which CuPy, by CUB's scan, compacts the flags of the last chunk."""
    import cupy

    flags = cupy.unpackbits(batch.arguments["flags"].view("uint8")).astype(bool)
    cupy.flatnonzero(flags)
    return common.median(common.seconds_of(lambda: cupy.flatnonzero(flags), 3, on_gpu=True))


def tiled_seconds(edges: int, problem: Any, tours: Any) -> float:
    """Return the seconds of a pass of the unfiltered kernel that shares distances in tiles."""
    from gpu_ls_plugin.backends import get_backend
    from gpu_ls_plugin.tours.engines.exhaustive import three_opt_climb
    from gpu_ls_plugin.tours.engines.exhaustive.two_opt_climb import TwoOptClimb

    def climb() -> Any:
        if edges == 2:
            return TwoOptClimb(get_backend("cuda"), problem, tours.copy(), 1, NO_LIMIT)
        return three_opt_climb.ThreeOptClimb(get_backend("cuda"), problem, tours.copy(), NO_LIMIT)

    limit = three_opt_climb.LARGEST
    three_opt_climb.LARGEST = max(limit, problem.n)  # the kernel itself knows no such limit
    try:
        passes = 10
        climb().launch(passes, math.inf)
        batch = climb()
        return common.seconds_of(lambda: batch.launch(passes, math.inf), on_gpu=True)[0] / passes
    finally:
        three_opt_climb.LARGEST = limit


PAIRS = (
    *((mode, "baseline") for mode in ("masked", "compact", "fused")),
    ("compact", "masked"),
    ("compact", "fused"),
    *((mode, "tiled") for mode in ("masked", "compact", "fused")),
)


def crossovers(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return below which share kept a mode is faster than another: 0 never, 1 always.

    Between two shares, times are interpolated.
    """
    found = []
    for edges, n in sorted({(r["edges"], r["n"]) for r in rows}):
        own = [r | {"baseline": 1.0} for r in rows if (r["edges"], r["n"]) == (edges, n)]
        own.sort(key=lambda r: r["rate"])
        for mode, other in PAIRS:
            ahead = [(r["rate"], r[other] - r[mode]) for r in own]
            share = 1.0 if ahead[0][1] > 0 else 0.0
            for (low, gain), (high, loss) in itertools.pairwise(ahead):
                if gain > 0 >= loss:
                    share = low + (high - low) * gain / (gain - loss)
                    break
            found.append({"edges": edges, "n": n, "mode": mode, "than": other, "below": share})
    return found


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
        "gain bound, compact": (bound, "compact"),
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
    """Time a descent to its end, and shorter ones on the way there."""
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
    """Return how many moves the flat evaluation of the same filter still finds: none."""
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
        ("compact", gls.GainBound()),
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
    """Draw the times against the share kept, and the descents."""
    rows = record.get("keep", {}).get("rows", [])
    for edges in sorted({r["edges"] for r in rows}):
        sizes = sorted({r["n"] for r in rows if r["edges"] == edges})
        with common.Figure(out, f"filtered_{edges}opt", len(sizes)) as plots:
            for plot, n in zip(plots, sizes, strict=True):
                own = [r for r in rows if (r["edges"], r["n"]) == (edges, n)]
                shares = [r["rate"] for r in own]
                for name in ("masked", "compact", "mapped", "fused"):
                    label = {"mapped": "compact, compaction not counted"}.get(name, name)
                    plot.plot(shares, [r[name] for r in own], "-o", label=label, markersize=3)
                plot.plot(shares, [r["tiled"] for r in own], ":", label="tiles, no filter")
                plot.plot(shares, shares, color="gray", lw=0.7, label="share kept")
                plot.set(
                    xlabel="share of moves kept",
                    title=f"{edges}-opt, {n:,} cities",
                    xscale="log",
                    yscale="log",
                )
            plots[0].set_ylabel("time / time of the baseline")
            plots[0].legend(fontsize=7)
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

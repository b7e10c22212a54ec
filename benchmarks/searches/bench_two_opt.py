"""Exhaustive 2-opt on the GPU beside the plain kernel: moves per second and full climbs.

Ours is `LocalSearch([TwoOpt()], candidates=All(), pivoting=Best())` with tours on the device,
called as a user calls it: the permutation check, copies and the exact costs of all tours count.
The plain kernel (peers/plain_two_opt.cu) is one launch with its number of threads tuned before.
Both evaluate, reduce and apply on the device, one move per pass, from the same tours in one run;
a pass counts n (n - 3) / 2 moves. Times are medians of repeats between two events. Rows marked
with a limit stop every tour after that many passes, which keeps the plain kernel below 20 s.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common
from benchmarks.peers.plain_two_opt import NO_LIMIT, PlainTwoOpt

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

SIZES = (1024, 4096, 8192)
METRICS = ("EUC", "EUC_2D")
BARS = {"EUC": 2.0e12, "EUC_2D": 1.4e12, "ratio": 1.5, "climbs_seconds": 0.15}
RATES = ("ours_moves_per_s", "plain_moves_per_s")
LIMIT = 100  # passes of a row that is not a full climb


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    """Yield the cases: instance, size, start, tours per multiprocessor, passes."""
    uniform = {"instance": "uniform", "start": "nearest neighbour", "repeats": 3}
    yield {**uniform, "n": 1024, "per_processor": 32, "limit": None, "plain_limit": None}
    yield {**uniform, "n": 1024, "per_processor": 32, "limit": None, "plain_limit": None} | {
        "start": "random",
        "repeats": 1,
    }
    full = None if not quick else LIMIT
    yield {**uniform, "n": 4096, "per_processor": 16, "limit": full, "plain_limit": full} | {
        "repeats": 1
    }
    yield {**uniform, "n": 8192, "per_processor": 8, "limit": full, "plain_limit": LIMIT} | {
        "repeats": 1
    }
    prefix = {"instance": "d18512", "start": "nearest neighbour", "repeats": 3}
    yield {**prefix, "n": 1024, "per_processor": 32, "limit": None, "plain_limit": None}
    for n in SIZES[1:]:
        yield {**prefix, "n": n, "per_processor": 16, "limit": LIMIT, "plain_limit": LIMIT}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Run all cases for both metrics, then the 1,000 climbs."""
    cupy = common.require_gpu()
    processors = cupy.cuda.Device().attributes["MultiProcessorCount"]
    rows = []
    for case in cases(options.quick):
        coordinates = (
            common.uniform(case["n"])
            if case["instance"] == "uniform"
            else common.prefix(case["instance"], case["n"])
        )
        if coordinates is None:
            print(f"{case['instance']} is left out: no file (GPU_LS_INSTANCES)")
            continue
        for metric in METRICS:
            rows.append(throughput(coordinates, metric, case, case["per_processor"] * processors))
            print({k: rows[-1][k] for k in ("n", "metric", "ours_moves_per_s", "ratio")})
    climbs = thousand_climbs(options.repeats)
    columns = ("instance", "n", "start", "tours", "metric")
    common.show(
        "moves per second, both kernels side by side",
        [*columns, "passes", "ours", "plain", "ratio"],
        [
            [*(r[k] for k in columns), str(r["limit"] or "all"), *(r[k] for k in RATES), r["ratio"]]
            for r in rows
        ],
    )
    common.show(
        "1,000 climbs of n = 1,000 (EUC_2D) from nearest neighbour to the local optimum",
        ["version", "seconds"],
        [[name, value] for name, value in climbs["seconds"].items()],
    )
    full = [r for r in rows if r["instance"] == "uniform" and r["start"] == "nearest neighbour"]
    bars = {
        **{
            metric: min(r["ours_moves_per_s"] for r in full if r["metric"] == metric)
            for metric in METRICS
        },
        "ratio": min(r["ratio"] for r in full),
        "climbs_seconds": climbs["seconds"]["ours, NumPy in and out"],
    }
    return {"rows": rows, "climbs": climbs, "bars": BARS, "reached": bars}


def throughput(coordinates: Any, metric: str, case: dict[str, Any], count: int) -> dict[str, Any]:
    """Measure one case with one metric."""
    import cupy

    import gpu_ls_plugin as gls

    problem = gls.TSP(coordinates, metric)
    construct = gls.random_tours if case["start"] == "random" else gls.nearest_neighbour
    starts = cupy.asarray(construct(problem, count, seed=1, backend="cuda"))
    search = gls.LocalSearch([gls.TwoOpt()], candidates=gls.All(), pivoting=gls.Best())
    plain = PlainTwoOpt(coordinates, metric)
    threads = plain.tune(starts)
    results: dict[str, Any] = {}

    def ours(limit: int | None = case["limit"]) -> None:
        budget = None if limit is None else gls.Budget(moves=limit)
        results["ours"] = search(problem, starts, budget=budget, backend="cuda")

    def simple() -> None:
        tours = results["plain"] = starts.copy()
        results["passes"] = plain.climb(tours, case["plain_limit"] or NO_LIMIT)

    ours(2)  # compiles
    our_seconds, plain_seconds = [], []
    for _ in range(case["repeats"]):
        our_seconds += common.seconds_of(ours, on_gpu=True)
        plain_seconds += common.seconds_of(simple, on_gpu=True)
    done = results["ours"].statistics
    comparable = case["limit"] == case["plain_limit"]
    row = {
        **case,
        "tours": count,
        "metric": metric,
        "ours_seconds": common.median(our_seconds),
        "ours_passes": done.passes,
        "ours_moves_per_s": done.evaluations / common.median(our_seconds),
        "plain_seconds": common.median(plain_seconds),
        "plain_passes": results["passes"],
        "plain_threads": threads,
        "plain_moves_per_s": common.moves_of(problem.n, results["passes"])
        / common.median(plain_seconds),
        "ours_mean_cost": float(results["ours"].costs.mean()),
        "plain_mean_cost": float(problem.cost(results["plain"].get()).mean()),
        "same_tours": bool((results["ours"].tours == results["plain"]).all())
        if comparable
        else None,
    }
    row["ratio"] = row["ours_moves_per_s"] / row["plain_moves_per_s"]
    return row


def thousand_climbs(repeats: int) -> dict[str, Any]:
    """Time 1,000 climbs of 1,000 cities: wall time of the call."""
    import cupy

    import gpu_ls_plugin as gls

    coordinates = common.uniform(1000)
    problem = gls.TSP(coordinates, "EUC_2D")
    host = gls.nearest_neighbour(problem, 1000, seed=1, backend="cuda")
    starts = cupy.asarray(host)
    search = gls.LocalSearch([gls.TwoOpt()], candidates=gls.All(), pivoting=gls.Best())
    several = gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best(), moves_per_pass=8)
    plain = PlainTwoOpt(coordinates, "EUC_2D")
    plain.tune(starts)
    calls = {
        "ours, NumPy in and out": lambda: search(problem, host, backend="cuda"),
        "ours, CuPy in and out": lambda: search(problem, starts, backend="cuda"),
        "ours, 8 moves per pass": lambda: several(problem, starts, backend="cuda"),
        "plain kernel": lambda: plain.climb(starts.copy()),
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(repeats):
        for name, call in calls.items():
            cupy.cuda.get_current_stream().synchronize()
            times[name] += common.seconds_of(call)
    result = search(problem, host, backend="cuda")
    return {
        "seconds": {name: common.median(values) for name, values in times.items()},
        "all_seconds": times,
        "passes": result.statistics.passes,
        "mean_cost_before": float(problem.cost(host).mean()),
        "mean_cost_after": float(result.costs.mean()),
    }


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw moves per second by size, one plot per metric."""
    with common.Figure(out, "two_opt", len(METRICS)) as axes:
        for plot, metric in zip(axes, METRICS, strict=True):
            for instance, mark in (("uniform", "-o"), ("d18512", "--s")):
                rows = [
                    r
                    for r in record["rows"]
                    if (r["metric"], r["instance"]) == (metric, instance)
                    and r["start"] == "nearest neighbour"
                ]
                for who, colour in (("ours", "C0"), ("plain", "C1")):
                    rates = [r[f"{who}_moves_per_s"] / 1e12 for r in rows]
                    sizes = [r["n"] for r in rows]
                    plot.plot(sizes, rates, mark, color=colour, label=f"{who}, {instance}")
            plot.axhline(record["bars"][metric] / 1e12, color="gray", linestyle=":")
            plot.set(title=metric, xlabel="cities", ylabel="T moves per second", xscale="log")
            plot.set_xticks(SIZES, map(str, SIZES), minor=False)
            plot.minorticks_off()
            plot.set_ylim(bottom=0)
            plot.legend()


if __name__ == "__main__":
    common.main(
        *(__doc__, "two_opt", measure, draw),
        ("--quick", {"action": "store_true", "help": "limit passes from 4,096 cities on"}),
        ("--repeats", {"type": int, "default": 5, "help": "of the 1,000 climbs"}),
    )

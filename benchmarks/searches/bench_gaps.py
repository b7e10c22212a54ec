"""The quality of local optima on candidate lists: gaps on the EUC_2D instances of TSPLIB.

All instances of 1,000 to 20,000 cities, each from the greedy tour and from nearest-neighbour tours
of different start cities (the gap is their mean). All searches use first improvement with a queue.
Gap is the length over the optimal length less one, in percent; means are over instances. Seconds
are wall time of the call. Candidate lists are made before and timed apart; first calls, which
compile, are left out.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common
from benchmarks.helpers.gaps import mean, names, percent

if TYPE_CHECKING:
    import argparse

    from gpu_ls_plugin import TSP, LocalSearch

SIZES = (1000, 20_000)
BARS = {"2-opt": 5.3, "2-opt + Or-opt": 4.5, "3-opt": 3.0, "Lin-Kernighan": 3.0}
UNIFORM = ("fnl4461", "nrw1379", "pcb3038", "d15112", "d18512")  # without clusters and grids
UNIFORM_BAR = {"Lin-Kernighan": 2.3}
STARTS = ("greedy", "nearest neighbour")


def searches() -> dict[str, LocalSearch]:
    """Return the searches by name."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.tours.candidates.alpha import Alpha
    from gpu_ls_plugin.tours.candidates.quadrant import Quadrant

    quadrants = Quadrant(40)
    return {
        "2-opt": gls.LocalSearch([gls.TwoOpt()], quadrants),
        "2-opt + Or-opt": gls.LocalSearch([gls.TwoOpt(), gls.OrOpt(3)], quadrants),
        "3-opt": gls.LocalSearch([gls.ThreeOpt()], quadrants),
        "Lin-Kernighan": gls.LocalSearch([gls.LinKernighan()], Alpha(5)),
        "default": gls.LocalSearch(),
    }


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Search all instances from both starts."""
    import gpu_ls_plugin as gls

    folder, best_known = common.require_instances(), common.optima()
    rows: list[dict[str, Any]] = []
    candidates: list[dict[str, Any]] = []
    chosen = [name for name in names(*SIZES) if name != "linhp318"]
    for name in chosen:
        problem = gls.TSP.read(folder / f"{name}.tsp")
        candidates += [{"name": name, "n": problem.n} | make_candidates(problem)]
        tours = {
            "greedy": gls.greedy(problem, backend=options.backend),
            "nearest neighbour": gls.nearest_neighbour(
                problem, options.starts, seed=1, backend=options.backend
            ),
        }
        for kind, search in searches().items():
            for start in STARTS:
                first = gls.Budget(moves=1)  # compiles
                search(problem, tours[start], budget=first, backend=options.backend)
                begin = time.perf_counter()
                result = search(problem, tours[start], backend=options.backend)
                seconds = time.perf_counter() - begin
                gaps = percent(result.costs, best_known[name])
                rows.append(
                    {
                        "name": name,
                        "n": problem.n,
                        "start": start,
                        "search": kind,
                        "tours": len(gaps),
                        "start_gap": percent(problem.cost(tours[start]), best_known[name]).mean(),
                        "gap": float(gaps.mean()),
                        "best_gap": float(gaps.min()),
                        "seconds": seconds,
                    }
                )
        done = [r for r in rows if r["name"] == name and r["start"] == "greedy"]
        print(name, *(f"{r['search']} {r['gap']:.2f} %" for r in done), sep="; ", flush=True)
    means = [summary(rows, kind, start) for start in STARTS for kind in searches()]
    common.show("mean gap in percent", list(means[0]), [list(m.values()) for m in means])
    return {
        "searches": {kind: repr(search) for kind, search in searches().items()},
        "starts": options.starts,
        "backend": result.statistics.backend,
        "rows": rows,
        "candidates": candidates,
        "bars": {"mean": BARS, "uniform_mean": UNIFORM_BAR, "uniform": UNIFORM},
        "reached": means,
    }


def make_candidates(problem: TSP) -> dict[str, float]:
    """Make the candidate lists of all searches; return the seconds of each."""
    made = {search.candidates for search in searches().values()}
    return {
        repr(rule): common.seconds_of(lambda rule=rule: rule.of(problem))[0]
        for rule in sorted(made, key=repr)
    }


def summary(rows: list[dict[str, Any]], kind: str, start: str) -> dict[str, Any]:
    """Return the means of one search from one start."""
    own = [r for r in rows if (r["search"], r["start"]) == (kind, start)]
    uniform = [r for r in own if r["name"] in UNIFORM]
    return {
        "start": start,
        "search": kind,
        "mean": mean(own, "gap"),
        "bar": BARS.get(kind, ""),
        "uniform_mean": mean(uniform, "gap"),
        "uniform_bar": UNIFORM_BAR.get(kind, ""),
        "seconds": float(sum(r["seconds"] for r in own)),
    }


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw the gap by instance, one line per search, one plot per start."""
    with common.Figure(out, "gaps", len(STARTS)) as axes:
        for plot, start in zip(axes, STARTS, strict=True):
            for number, kind in enumerate(record["searches"]):
                (reached,) = (
                    r for r in record["reached"] if (r["search"], r["start"]) == (kind, start)
                )
                own = [r for r in record["rows"] if (r["search"], r["start"]) == (kind, start)]
                label = f"{kind}: mean {reached['mean']:.2f} %"
                plot.plot(
                    [r["name"] for r in own],
                    [r["gap"] for r in own],
                    "-o",
                    color=f"C{number}",
                    markersize=3,
                    label=label,
                )
            for bar in sorted(set(record["bars"]["mean"].values())):
                plot.axhline(bar, color="gray", linestyle=":", linewidth=0.8)
            plot.set(title=f"from {start}", ylabel="gap in percent")
            plot.set_ylim(0, 1.4 * plot.get_ylim()[1])  # the legend is above
            plot.tick_params(axis="x", rotation=90, labelsize=7)
            plot.legend(fontsize=7)


if __name__ == "__main__":
    common.main(
        *(__doc__, "gaps", measure, draw),
        ("--starts", {"type": int, "default": 5, "help": "nearest-neighbour tours"}),
        ("--backend", {"default": "auto", "help": "auto, cpu or cuda"}),
    )

"""The quality of 2-opt optima: gaps to the optimum on the EUC_2D instances of TSPLIB.

Random restarts (instances up to 200 cities): the best of many climbs from uniform random tours.
Nearest neighbour (1,000 to 3,000 cities): one climb, and the mean of climbs, from nearest-neighbour
tours of different start cities. Each pass makes the best move of the whole neighbourhood. Gap is
the length over the optimal length less one, in percent; means are over instances.
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

BARS = {"random_restarts_percent": 1.3, "nearest_neighbour_percent": 5.5}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Search all instances of both kinds."""
    import gpu_ls_plugin as gls

    search = gls.LocalSearch([gls.TwoOpt()], candidates=gls.All(), pivoting=gls.Best())
    folder, best_known = common.require_instances(), common.optima()
    restarts, descents = [], []
    for name in names(1, options.largest):
        problem = gls.TSP.read(folder / f"{name}.tsp")
        begin = time.perf_counter()
        climbers = gls.RandomRestarts(search, climbs=options.climbs, keep=1)
        result = climbers(problem, seed=1, backend=options.backend)
        seconds = time.perf_counter() - begin
        gap = percent(result.best_cost, best_known[name])
        restarts.append({"name": name, "n": problem.n, "gap": gap, "seconds": seconds})
    for name in names(1000, 3000):
        problem = gls.TSP.read(folder / f"{name}.tsp")
        begin = time.perf_counter()
        tours = gls.nearest_neighbour(problem, options.starts, seed=1, backend=options.backend)
        result = search(problem, tours, backend=options.backend)
        seconds = time.perf_counter() - begin
        gaps = percent(result.costs, best_known[name])
        descents.append(
            {
                "name": name,
                "n": problem.n,
                "start_gap": float(percent(problem.cost(tours), best_known[name]).mean()),
                "first_gap": float(gaps[0]),
                "mean_gap": float(gaps.mean()),
                "best_gap": float(gaps.min()),
                "seconds": seconds,
            }
        )
    means = {
        "random_restarts_percent": mean(restarts, "gap"),
        "nearest_neighbour_percent": mean(descents, "mean_gap"),
        "nearest_neighbour_one_tour_percent": mean(descents, "first_gap"),
    }
    for title, rows in (("best of the restarts", restarts), ("nearest neighbour", descents)):
        common.show(title, list(rows[0]), [list(row.values()) for row in rows])
    common.show("mean gap in percent", ["what", "reached"], [list(pair) for pair in means.items()])
    return {
        "climbs": options.climbs,
        "starts": options.starts,
        "backend": result.statistics.backend,
        "random_restarts": restarts,
        "nearest_neighbour": descents,
        "bars": BARS,
        "reached": means,
    }


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw the gaps of all instances as bars, one plot per start."""
    with common.Figure(out, "quality", 2) as (left, right):
        kinds = (
            (left, "random_restarts", "gap", f"best of {record['climbs']} random restarts"),
            (
                right,
                "nearest_neighbour",
                "mean_gap",
                f"mean of {record['starts']} climbs, NN start",
            ),
        )
        for plot, kind, key, title in kinds:
            rows = record[kind]
            plot.bar([row["name"] for row in rows], [row[key] for row in rows])
            plot.axhline(record["bars"][f"{kind}_percent"], color="C3", linestyle=":", label="bar")
            reached = record["reached"][f"{kind}_percent"]
            plot.axhline(reached, color="C1", label=f"mean {reached:.2f} %")
            plot.set(title=title, ylabel="gap in percent")
            plot.tick_params(axis="x", rotation=90, labelsize=7)
            plot.legend()


if __name__ == "__main__":
    common.main(
        *(__doc__, "quality", measure, draw),
        ("--climbs", {"type": int, "default": 1000, "help": "random restarts per instance"}),
        ("--starts", {"type": int, "default": 100, "help": "nearest-neighbour tours"}),
        ("--largest", {"type": int, "default": 200, "help": "cities of the restarts"}),
        ("--backend", {"default": "auto", "help": "auto, cpu or cuda"}),
    )

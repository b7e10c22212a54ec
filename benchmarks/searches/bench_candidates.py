"""The time of candidate sets, and the share of edges of optimal tours that they contain.

Seconds are the median of several builds of all lists of an instance, on the host, after one build
of a small instance. An edge of the published optimal tour is covered if it is in the list of at
least one of its cities; rank is its mean place, from 1, in the lists that contain it. Uniform
instances have integer coordinates in a square; no optimal tour is known for them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from benchmarks.helpers import common

if TYPE_CHECKING:
    import argparse

NAMES = ("pr1002", "pr2392", "fnl4461", "d18512")
UNIFORM = 100_000
BARS = {  # seconds on two cores
    ("pr2392", "Alpha(k=5, steps=30)"): 0.15,
    ("fnl4461", "Alpha(k=5, steps=30)"): 0.4,
    ("d18512", "Quadrant(m=40)"): 0.5,
    (f"uniform{UNIFORM}", "Alpha(k=5, steps=30)"): 60.0,
}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Build every set for every instance."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.tours.candidates.alpha import Alpha
    from gpu_ls_plugin.tours.candidates.nearest import Nearest
    from gpu_ls_plugin.tours.candidates.quadrant import Quadrant

    sets = (Nearest(8), Nearest(10), Quadrant(8), Quadrant(40), Alpha(5), Alpha(10))
    sets = (*sets, Alpha(5) | Quadrant(8))
    for candidates in sets:
        candidates.build(gls.TSP(common.uniform(500), "EUC_2D"))
    folder = common.require_instances()
    problems = [gls.TSP.read(folder / f"{name}.tsp") for name in NAMES]
    problems.append(
        gls.TSP(common.uniform(options.uniform), "EUC_2D", name=f"uniform{options.uniform}")
    )
    rows = []
    for problem in problems:
        repeats = options.repeats if problem.n < options.uniform else 1
        for candidates in sets:
            # The parts of the union exist by now, so the union alone is timed.
            seconds = common.seconds_of(lambda c=candidates, p=problem: c.build(p), repeats)
            lists = candidates.of(problem)
            row = {"name": problem.name, "n": problem.n, "set": repr(candidates)}
            row |= {"degree": lists.degree, "seconds": common.median(seconds)}
            row |= {"bar": BARS.get((problem.name, row["set"]))}
            rows.append(row | coverage(lists.cities, folder / f"{problem.name}.opt.tour"))
    header = ["name", "set", "degree", "seconds", "bar", "covered_percent", "rank"]
    common.show(
        "candidate sets",
        header,
        [["" if row[h] is None else row[h] for h in header] for row in rows],
    )
    return {"sets": rows}


def coverage(cities: np.ndarray[Any, Any], tour_file: Path) -> dict[str, float | None]:
    """Return the percentage of a tour's edges that are covered, and their mean rank."""
    if not tour_file.is_file():
        return {"covered_percent": None, "rank": None}
    words = tour_file.read_text().partition("TOUR_SECTION")[2].split()
    tour = np.array([int(word) for word in words if word.isdigit()]) - 1
    following = np.roll(tour, -1)
    hits = [cities[a] == b[:, None] for a, b in ((tour, following), (following, tour))]
    covered = hits[0].any(axis=1) | hits[1].any(axis=1)
    rank = np.concatenate([np.nonzero(hit)[1] for hit in hits]).mean() + 1
    return {"covered_percent": 100.0 * float(covered.mean()), "rank": float(rank)}


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw seconds against cities, one line per set."""
    with common.Figure(out, "candidates") as (plot,):
        for name in dict.fromkeys(row["set"] for row in record["sets"]):
            rows = [row for row in record["sets"] if row["set"] == name]
            plot.loglog(
                [row["n"] for row in rows], [row["seconds"] for row in rows], "o-", label=name
            )
        plot.set(title="time to make candidate lists", xlabel="cities", ylabel="seconds")
        plot.legend(fontsize=6)


if __name__ == "__main__":
    common.main(
        *(__doc__, "candidates", measure, draw),
        ("--repeats", {"type": int, "default": 5, "help": "builds of each set"}),
        ("--uniform", {"type": int, "default": UNIFORM, "help": "cities of the uniform one"}),
    )

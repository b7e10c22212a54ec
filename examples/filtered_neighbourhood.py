"""Exhaustive 3-opt with and without filters: numbers of evaluated moves, and tour lengths.

python examples/filtered_neighbourhood.py [FILE] [--size 8]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console
from rich.table import Table

import gpu_ls_plugin as gls

CAPITALS = Path(__file__).parent / "data" / "europe_capitals.tsp"


def main() -> None:
    """Search from the same tours with each filter, and count the evaluated moves."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("instance", type=Path, nargs="?", default=CAPITALS, help="TSPLIB file")
    parser.add_argument("--size", type=int, default=8, help="tours in a batch")
    options = parser.parse_args()

    problem = gls.TSP.read(options.instance)
    tours = gls.nearest_neighbour(problem, size=options.size, seed=1)
    exact = gls.GainBound()  # drops only moves that cannot improve the tour
    near = exact & gls.InCandidates(gls.Nearest(8))
    three_opt = gls.ThreeOpt()
    moves = {
        "all": three_opt,
        "that can improve": gls.FilteredNeighbourhood(three_opt, exact),
        "and to near cities": gls.FilteredNeighbourhood(three_opt, near),
    }
    table = Table(title=f"{problem.name}: 3-opt, {problem.n} cities, {options.size} tours")
    for column in ("moves", "evaluated", "mean", "best"):
        table.add_column(column, justify="left" if column == "moves" else "right")
    for name, neighbourhood in moves.items():
        search = gls.LocalSearch([neighbourhood], candidates=gls.All(), pivoting=gls.Best())
        result = search(problem, tours)
        table.add_row(
            name,
            f"{result.statistics.evaluations:,}",
            f"{result.costs.mean():.0f}",
            f"{result.best_cost:.0f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()

"""Search from four kinds of start tours, each kind in one batch.

python examples/climb_batch.py [FILE] [--size 64]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console
from rich.table import Table

import gpu_ls_plugin as gls

CAPITALS = Path(__file__).parent / "data" / "europe_capitals.tsp"


def main() -> None:
    """Construct tours, search them, and show mean lengths before and after."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("instance", type=Path, nargs="?", default=CAPITALS, help="TSPLIB file")
    parser.add_argument("--size", type=int, default=64, help="tours in a batch")
    options = parser.parse_args()

    problem = gls.TSP.read(options.instance)
    search = gls.LocalSearch()
    table = Table(title=f"{problem.name}: {problem.n} cities, {options.size} tours a batch")
    for column in ("start", "mean", "after search", "best", "moves", "seconds"):
        table.add_column(column, justify="left" if column == "start" else "right")
    for construct in (gls.random_tours, gls.space_filling_curve, gls.nearest_neighbour, gls.greedy):
        tours = construct(problem, size=options.size, seed=1)
        result = search(problem, tours)
        table.add_row(
            construct.__name__,
            f"{problem.cost(tours).mean():.0f}",
            f"{result.costs.mean():.0f}",
            f"{result.best_cost:.0f}",
            str(result.statistics.moves),
            f"{result.statistics.seconds:.3f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()

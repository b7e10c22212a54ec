"""Iterated local search of a population, with a live display; Ctrl-C ends it early.

python examples/iterated.py [FILE] [--seconds 5] [--size 16] [--plot history.png]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import gpu_ls_plugin as gls

CAPITALS = Path(__file__).parent / "data" / "europe_capitals.tsp"


def main() -> None:
    """Search, show the progress, and list the best distinct tours."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("instance", type=Path, nargs="?", default=CAPITALS, help="TSPLIB file")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--size", type=int, default=16, help="number of chains of kicks")
    parser.add_argument("--plot", type=Path, help="draw costs over time here (needs extra plot)")
    options = parser.parse_args()

    problem = gls.TSP.read(options.instance)
    tours = gls.nearest_neighbour(problem, size=options.size, seed=1)
    search = gls.IteratedLocalSearch(accept=gls.Annealing(0.8))
    with gls.SearchDisplay(problem.name, options.seconds) as display:
        # Ctrl-C ends the search, which then returns the best tours so far.
        result = search(
            problem, tours, seed=1, budget=gls.Budget(seconds=options.seconds), callback=display
        )
    counts = result.statistics
    print(f"{counts.kicks:,} kicks, {counts.accepted:,} accepted, stopped by {counts.stopped_by}")
    best = result.distinct(3)  # tours that differ in at least 1 % of their edges
    for tour, cost in zip(best.tours, best.costs, strict=True):
        print(f"length {cost}: {' '.join(str(city + 1) for city in tour[:12])} ...")
    if options.plot is not None:
        result.plot(options.plot)


if __name__ == "__main__":
    main()

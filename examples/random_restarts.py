"""Search from thousands of random tours and keep the best.

python examples/random_restarts.py [FILE] [--climbs 1000]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import gpu_ls_plugin as gls

CAPITALS = Path(__file__).parent / "data" / "europe_capitals.tsp"


def main() -> None:
    """Run the searches and show the best tour and the best lengths."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("instance", type=Path, nargs="?", default=CAPITALS, help="TSPLIB file")
    parser.add_argument("--climbs", type=int, default=1000)
    options = parser.parse_args()

    problem = gls.TSP.read(options.instance)
    search = gls.RandomRestarts(gls.LocalSearch(), climbs=options.climbs, keep=5)
    result = search(problem, seed=1)
    statistics = result.statistics
    print(
        f"{problem.name}: {statistics.climbs} climbs, {statistics.moves} moves, "
        f"{statistics.seconds:.2f} s on the {statistics.backend} backend"
    )
    print("best lengths:", *result.costs)
    print("best tour:", *result.best_tour + 1)  # TSPLIB counts cities from 1


if __name__ == "__main__":
    main()

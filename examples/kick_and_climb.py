"""Iterated local search of a batch, built from its parts: kick, search, keep the better tour.

python examples/kick_and_climb.py [FILE] [--rounds 20] [--size 32]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import gpu_ls_plugin as gls

CAPITALS = Path(__file__).parent / "data" / "europe_capitals.tsp"


def main() -> None:
    """Improve every tour of a batch independently."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("instance", type=Path, nargs="?", default=CAPITALS, help="TSPLIB file")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--size", type=int, default=32, help="tours in the batch")
    options = parser.parse_args()

    problem = gls.TSP.read(options.instance)
    climb = gls.LocalSearch()
    kick = gls.DoubleBridge(segment=50)
    current = climb(problem, gls.nearest_neighbour(problem, size=options.size, seed=1))
    tours, costs = current.tours, current.costs
    print(f"{problem.name}: local optima: best {costs.min()}, mean {costs.mean():.1f}")
    for seed in range(options.rounds):
        result = climb(problem, kick.perturb(problem, tours, seed=seed))
        better = result.costs < costs
        tours[better], costs[better] = result.tours[better], result.costs[better]
    print(f"after {options.rounds} kicks each: best {costs.min()}, mean {costs.mean():.1f}")


if __name__ == "__main__":
    main()

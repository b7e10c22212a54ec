"""Tours that are short on two maps at once: fronts of MemeticNSGA2 and of pymoo's NSGA2.

The second map has the same cities at random places. All algorithms get the same time. The script
prints the number of non-dominated tours that each one finds, and the hypervolume of these tours;
with ``--plot``, it also draws the fronts.

    python examples/two_objectives.py --instance FILE --seconds 10 --seed 1 --plot out.png
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.indicators.hv import HV
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.mutation.inversion import InversionMutation
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize

import gpu_ls_plugin as gls
from gpu_ls_pymoo import LocalSearchMutation, MemeticNSGA2, MultiObjectiveTSPProblem

CAPITALS = Path(__file__).parent / "data" / "europe_capitals.tsp"


def two_maps(path: Path, seed: int) -> MultiObjectiveTSPProblem:
    """Return a problem with the cities of a file, and the same cities at random places."""
    first = gls.TSP.read(path)
    elsewhere = np.random.default_rng(seed).integers(0, 1000, (first.n, 2))
    return MultiObjectiveTSPProblem([first, gls.TSP(elsewhere, "EUC_2D", name="elsewhere")])


def algorithms(pop: int) -> dict[str, Any]:
    """Return the algorithms; the second differs from the first in one line."""
    usual = {"sampling": PermutationRandomSampling(), "crossover": OrderCrossover()}
    return {
        "NSGA2": NSGA2(pop_size=pop, mutation=InversionMutation(), **usual),
        "NSGA2, LocalSearchMutation": NSGA2(pop_size=pop, mutation=LocalSearchMutation(), **usual),
        "MemeticNSGA2": MemeticNSGA2(pop_size=pop),
    }


def draw(fronts: dict[str, Any], path: Path) -> None:
    """Draw the costs of all tours of the fronts."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 5), layout="constrained")
    axes = figure.subplots()
    for name, costs in fronts.items():
        axes.plot(*costs.T, ".", markersize=3, label=name)
    axes.set(xlabel="length on the first map", ylabel="length on the second map")
    axes.legend()
    figure.savefig(path, dpi=110)


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--instance", type=Path, default=CAPITALS, help="TSPLIB file")
    parser.add_argument("--seconds", type=float, default=5.0, help="time of each run")
    parser.add_argument("--pop", type=int, default=100, help="population size")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path, help="image file for the fronts")
    options = parser.parse_args()

    problem = two_maps(options.instance, options.seed)
    random = problem.evaluate(gls.random_tours(problem.tours.objectives[0], 1000, seed=0))
    volume = HV(ref_point=np.ones(2))
    LocalSearchMutation().prepare(problem, options.pop)  # compile before the clocks start
    fronts = {}
    for name, algorithm in algorithms(options.pop).items():
        found = minimize(problem, algorithm, ("time", options.seconds), seed=options.seed)
        fronts[name] = found.F
        share = volume(found.F / random.mean(axis=0))
        print(f"{name}: {len(found.F)} tours, hypervolume {share:.4f}")
    if options.plot:
        draw(fronts, options.plot)
        print(f"Fronts: {options.plot}")


if __name__ == "__main__":
    main()

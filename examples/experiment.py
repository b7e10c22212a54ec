"""Compare three genetic algorithms, with statistical tests.

The script runs a standard genetic algorithm, the same one with local search, and `MemeticGA` on the
capitals and on random cities, with several seeds. It prints tables and tests, and writes a page
with figures. If you stop it with Ctrl-C and start it again, it makes only the missing runs.

    python examples/experiment.py --folder experiment --seeds 10 --seconds 5
    gpu-ls report experiment
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.mutation.inversion import InversionMutation
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.problems.single.traveling_salesman import create_random_tsp_problem
from rich.console import Console

import gpu_ls_plugin as gls
from gpu_ls_pymoo import Experiment, LocalSearchMutation, MemeticGA

CAPITALS = Path(__file__).parent / "data" / "europe_capitals.tsp"


def main() -> None:
    """Make the missing runs, and show the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=Path("experiment"), help="folder of results")
    parser.add_argument("--seeds", type=int, default=6, help="runs of each combination")
    parser.add_argument("--seconds", type=float, help="time of each run, instead of 20 generations")
    parser.add_argument("--pop", type=int, default=20, help="population size")
    options = parser.parse_args()

    usual = {"sampling": PermutationRandomSampling(), "crossover": OrderCrossover()}
    experiment = Experiment(
        {
            "GA": GA(pop_size=options.pop, mutation=InversionMutation(), **usual),
            "GA, searched": GA(pop_size=options.pop, mutation=LocalSearchMutation(), **usual),
            "MemeticGA": MemeticGA(pop_size=options.pop),
        },
        {
            "capitals": gls.TSP.read(CAPITALS),
            "random 100": create_random_tsp_problem(100, 1000, seed=1),
        },
        seeds=options.seeds,
        termination=("time", options.seconds) if options.seconds else ("n_gen", 20),
        folder=options.folder,
    )
    results = experiment.run()
    console = Console()
    for table in (results.table(), results.times(), results.tests()):
        console.print(table, "")
    page = options.folder / "report.html"
    results.report(page, title="Three genetic algorithms")
    console.print(f"Tables and figures: {page}", soft_wrap=True)


if __name__ == "__main__":
    main()

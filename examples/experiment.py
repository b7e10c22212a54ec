"""Three genetic algorithms on two problems with eight seeds, and tests of the differences.

The script prints gaps and tests, and writes a page with figures, experiment/report.html. It
keeps each run: if you stop it with Ctrl-C and start it again, it makes only the missing runs.
`gpu-ls report experiment` writes the page again.
"""

from pathlib import Path

from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.mutation.inversion import InversionMutation
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.problems.single.traveling_salesman import create_random_tsp_problem

import gpu_ls_plugin as gls
from gpu_ls_pymoo import Experiment, LocalSearchMutation, MemeticGA

usual = {"sampling": PermutationRandomSampling(), "crossover": OrderCrossover()}
experiment = Experiment(
    {
        "GA": GA(pop_size=20, mutation=InversionMutation(), **usual),
        "GA, searched": GA(pop_size=20, mutation=LocalSearchMutation(), **usual),
        "MemeticGA": MemeticGA(pop_size=20),
    },
    {
        "capitals": gls.TSP.read(Path(__file__).parent / "data" / "europe_capitals.tsp"),
        "random 100": create_random_tsp_problem(100, 1000, seed=1),
    },
    seeds=8,
    termination=("n_gen", 20),  # or ("time", 5)
    folder="experiment",
)
results = experiment.run()
if results.missing:
    raise SystemExit(f"{len(results.missing)} runs are missing: start the script again")
print(results.table())
print(results.tests(control="GA"))
results.report("experiment/report.html", title="Three genetic algorithms", control="GA")

"""Tours that are short on two maps at once: NSGA-II, NSGA-II with local search, `MemeticNSGA2`.

The second map has the same cities at random places. Each algorithm runs for three seconds. The
script prints the number of non-dominated tours that each one finds and their hypervolume (larger
is better), and draws the fronts, fronts.png.
"""

from pathlib import Path

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.indicators.hv import HV
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.mutation.inversion import InversionMutation
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize

import gpu_ls_plugin as gls
from gpu_ls_pymoo import LocalSearchMutation, MemeticNSGA2, MultiObjectiveTSPProblem

first = gls.TSP.read(Path(__file__).parent / "data" / "europe_capitals.tsp")
second = gls.TSP(np.random.default_rng(1).integers(0, 1000, (first.n, 2)), "EUC_2D")
problem = MultiObjectiveTSPProblem([first, second])

usual = {"sampling": PermutationRandomSampling(), "crossover": OrderCrossover()}
algorithms = {
    "NSGA2": NSGA2(pop_size=100, mutation=InversionMutation(), **usual),
    "NSGA2, LocalSearchMutation": NSGA2(pop_size=100, mutation=LocalSearchMutation(), **usual),
    "MemeticNSGA2": MemeticNSGA2(pop_size=100),
}
random_tours = gls.random_tours(first, 1000, seed=1)
scale = problem.evaluate(random_tours).mean(axis=0)  # mean lengths of random tours
hypervolume = HV(ref_point=np.ones(2))

fronts = {}
for name, algorithm in algorithms.items():
    result = minimize(problem, algorithm, ("time", 3), seed=1)
    fronts[name] = result.F
    print(f"{name}: {len(result.F)} tours, hypervolume {hypervolume(result.F / scale):.4f}")
gls.plot_fronts(fronts, "fronts.png")

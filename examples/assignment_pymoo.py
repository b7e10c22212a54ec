"""Generalised assignment in pymoo: a GA with usual operators or successors, and `MemeticGA`.

Each algorithm assigns 100 jobs to 10 agents for three seconds. The script prints the cost of the
best assignment of each, and by how much it overloads agents.
"""

from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.mutation.pm import PM
from pymoo.operators.repair.rounding import RoundingRepair
from pymoo.operators.sampling.rnd import IntegerRandomSampling
from pymoo.optimize import minimize

import gpu_ls_plugin as gls
from gpu_ls_pymoo import AssignmentProblem, MemeticGA, SuccessorMutation, SuccessorSampling

jobs = gls.GeneralisedAssignment.generated("D", jobs=100, agents=10, seed=1)
cheap = gls.CheapestValue()  # a successor gives each released job to the cheapest agent

algorithms = {
    "GA, PM": GA(
        pop_size=100,
        sampling=IntegerRandomSampling(),
        crossover=UniformCrossover(),
        mutation=PM(vtype=float, repair=RoundingRepair()),
    ),
    "GA, SuccessorMutation": GA(
        pop_size=100,
        sampling=SuccessorSampling(cheap),
        crossover=UniformCrossover(),
        mutation=SuccessorMutation(cheap, share=0.05),
    ),
    "MemeticGA": MemeticGA(),
}
for name, algorithm in algorithms.items():
    result = minimize(AssignmentProblem(jobs), algorithm, ("time", 3), seed=1)
    best = result.opt[0]  # the least overload, if no assignment is feasible
    print(f"{name}: cost {best.F[0]:.0f}, overload {jobs.excess(best.X)[0]}")

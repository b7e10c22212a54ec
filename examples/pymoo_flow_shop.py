"""pymoo's own flow shop: a GA with inversion, and the same GA with `LocalSearchMutation`.

Both run for three seconds on 30 jobs and 10 machines. The script prints the makespan of the best
order of each, and draws the better schedule as a Gantt chart, schedule.png.
"""

import numpy as np
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.mutation.inversion import InversionMutation
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize
from pymoo.problems.single.flowshop_scheduling import FlowshopScheduling

import gpu_ls_plugin as gls
from gpu_ls_pymoo import LocalSearchMutation

times = np.random.default_rng(1).integers(1, 100, (30, 10))  # or gls.FlowShop.read(FILE).times
problem = FlowshopScheduling(times.T)  # pymoo has a row for each machine

for mutation in (InversionMutation(), LocalSearchMutation()):
    algorithm = GA(
        pop_size=50,
        sampling=PermutationRandomSampling(),
        crossover=OrderCrossover(),
        mutation=mutation,
    )
    result = minimize(problem, algorithm, ("time", 3), seed=1)
    print(f"GA, {type(mutation).__name__}: makespan {result.F[0]:.0f}")

gls.plot_schedule(gls.FlowShop(times), result.X, "schedule.png")

"""Vehicle routing in pymoo: a GA with inversion, the same GA with local search, and `MemeticGA`.

Solutions are giant tours: permutations of the customers and of copies of the depot. Loads are
constraints of pymoo. Each algorithm runs for three seconds. The script prints the cost of the best
routes of each, then the routes of the last, which it also draws, routes.png, and writes as a
CVRPLIB solution, routes.sol.
"""

import numpy as np
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.mutation.inversion import InversionMutation
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize

import gpu_ls_plugin as gls
from gpu_ls_pymoo import CVRPProblem, LocalSearchMutation, MemeticGA

rng = np.random.default_rng(1)
places = rng.integers(0, 1000, (61, 2))  # the depot comes first
demands = [0, *rng.integers(1, 10, 60)]
cvrp = gls.CVRP(places, demands, capacity=40)  # or gls.CVRP.read(FILE)
problem = CVRPProblem(cvrp)

usual = {"sampling": PermutationRandomSampling(), "crossover": OrderCrossover()}
algorithms = {
    "GA, InversionMutation": GA(pop_size=50, mutation=InversionMutation(), **usual),
    "GA, LocalSearchMutation": GA(pop_size=50, mutation=LocalSearchMutation(), **usual),
    "MemeticGA": MemeticGA(),
}
for name, algorithm in algorithms.items():
    result = minimize(problem, algorithm, ("time", 3), seed=1, return_least_infeasible=True)
    print(f"{name}: cost {result.F[0]:.0f}, violation {result.CV[0]:.0f}")

for route in cvrp.routes(result.X):
    print(f"load {cvrp.demands[route].sum()} of {cvrp.capacity}: {route}")
gls.plot_routes(cvrp, result.X, "routes.png")
cvrp.write_solution(result.X, "routes.sol")

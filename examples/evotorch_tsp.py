"""EvoTorch on a travelling salesman problem: one changed operator, and `MemeticGA`.

EvoTorch's GeneticAlgorithm runs for two seconds with order crossover and double bridges, then with
`LocalSearchMutation` in place of the double bridges, which searches all children of a generation in
one call; then `MemeticGA` runs. Populations are tensors, on the GPU if there is one. The script
prints the length of the best tour of each run.
"""

from pathlib import Path

from evotorch.algorithms import GeneticAlgorithm

import gpu_ls_plugin as gls
from gpu_ls_evotorch import (
    DomainProblem,
    DoubleBridgeMutation,
    LocalSearchMutation,
    MemeticGA,
    RecombinationCrossover,
    TimedRun,
)

tsp = gls.TSP.read(Path(__file__).parent / "data" / "europe_capitals.tsp")
run = TimedRun(seconds=2)


def best_length(problem, mutation):
    """Run EvoTorch's algorithm with a mutation until the time is up."""
    crossover = RecombinationCrossover(problem, "order_recombination")
    ga = GeneticAlgorithm(problem, operators=[crossover, mutation], popsize=50, re_evaluate=False)
    run.restart()
    while not run.over:
        ga.step()
    return ga.status["best_eval"]


problem = DomainProblem(tsp, seed=1)
kick = DoubleBridgeMutation(problem, segment=None)
print(f"DoubleBridgeMutation: {best_length(problem, kick):.0f}")

problem = DomainProblem(tsp, seed=1)  # a problem of EvoTorch remembers its best solution
search = LocalSearchMutation(problem, run=run)
search.prepare(50)  # compile before the run
print(f"LocalSearchMutation: {best_length(problem, search):.0f}")

memetic = MemeticGA(DomainProblem(tsp, seed=1), 50, seconds=2)
memetic.run()
print(f"MemeticGA: {memetic.status['best_eval']:.0f}")

"""PyGAD on a travelling salesman problem, before and after one changed line.

PyGAD's GA runs three times, two seconds each: with an order crossover and PyGAD's inversion, with
`LocalSearchMutation` in place of the inversion, and with a crossover of this library as well. The
script prints the length of the best tour of each run.
"""

from pathlib import Path

import numpy as np
import pygad

import gpu_ls_plugin as gls
from gpu_ls_pygad import LocalSearchMutation, RecombinationCrossover, TourFitness

problem = gls.TSP.read(Path(__file__).parent / "data" / "europe_capitals.tsp")


def order_crossover(parents, offspring_size, ga):
    """Keep a section of a parent, and take the other cities in the order of the next parent.

    PyGAD's own crossovers do not return permutations, so users write a crossover like this.
    """
    children = np.empty(offspring_size, parents.dtype)
    for k, child in enumerate(children):
        first, second = parents[k % len(parents)], parents[(k + 1) % len(parents)]
        begin, end = sorted(ga.numpy_random_generator.choice(len(child) + 1, 2, replace=False))
        others = second[~np.isin(second, first[begin:end])]
        child[:] = np.concatenate([others[:begin], first[begin:end], others[begin:]])
    return children


crossover = RecombinationCrossover(problem, "segment_recombination")
mutation = LocalSearchMutation(problem)
mutation.prepare()  # compile before the first run
for name, operators in {
    "order crossover, inversion": (order_crossover, "inversion"),
    "order crossover, LocalSearchMutation": (order_crossover, mutation),
    "RecombinationCrossover, LocalSearchMutation": (crossover, mutation),
}.items():
    ga = pygad.GA(
        num_generations=1_000_000,
        stop_criteria="time_2",
        fitness_func=TourFitness(problem),
        fitness_batch_size=50,
        initial_population=gls.random_tours(problem, size=50, seed=1),
        gene_type=int,
        num_parents_mating=25,
        crossover_type=operators[0],
        mutation_type=operators[1],
        random_seed=1,
        suppress_warnings=True,
    )
    ga.run()
    print(f"{name}: {-ga.best_solution()[1]}")

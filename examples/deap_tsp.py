"""DEAP on a travelling salesman problem, before and after one changed line.

A generational algorithm runs three times, two seconds each: with DEAP's inversion; with
`LocalSearchMutation` in its place, which searches one tour per call; and with `var_and` as well,
which searches all offspring of a generation in one call. The script prints the length of the best
tour of each run.
"""

import random
from pathlib import Path

from deap import algorithms, base, creator, tools

import gpu_ls_plugin as gls
from gpu_ls_deap import LocalSearchMutation, TimedRun, TourCost, var_and

problem = gls.TSP.read(Path(__file__).parent / "data" / "europe_capitals.tsp")
creator.create("Shortest", base.Fitness, weights=(-1.0,))
creator.create("Tour", list, fitness=creator.Shortest)
run = TimedRun(seconds=2)


def best_length(mutate, vary):
    """Run generations from random tours until the time is up."""
    toolbox = base.Toolbox()
    toolbox.register("evaluate", TourCost(problem))
    toolbox.register("mate", tools.cxOrdered)
    toolbox.register("mutate", mutate)
    toolbox.register("select", tools.selTournament, tournsize=3)
    random.seed(1)
    population = [creator.Tour(random.sample(range(problem.n), problem.n)) for _ in range(50)]
    best = tools.HallOfFame(1)
    run.restart()
    while True:
        for individual in population:
            if not individual.fitness.valid:
                individual.fitness.values = toolbox.evaluate(individual)
        best.update(population)
        if run.over:
            return best[0].fitness.values[0]
        population = vary(toolbox.select(population, 50), toolbox, cxpb=0.9, mutpb=1.0)


search = LocalSearchMutation(problem, run=run)
search.prepare()  # compile before the first run
print(f"mutInversion: {best_length(tools.mutInversion, algorithms.varAnd):.0f}")
print(f"LocalSearchMutation: {best_length(search, algorithms.varAnd):.0f}")
print(f"LocalSearchMutation, var_and: {best_length(search, var_and):.0f}")

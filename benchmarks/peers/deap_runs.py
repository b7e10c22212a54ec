"""A generational algorithm in DEAP before and after one changed line."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from deap import algorithms, base, creator, tools

from gpu_ls_deap import LocalSearchMutation, TimedRun, TourCost, var_and

if TYPE_CHECKING:
    from collections.abc import Callable

    import gpu_ls_plugin as gls

creator.create("Shortest", base.Fitness, weights=(-1.0,))
creator.create("Tour", list, fitness=creator.Shortest)


def toolbox_of(problem: gls.TSP, mutate: Callable[..., Any]) -> base.Toolbox:
    """Return the toolbox of DEAP's own TSP example, with the given mutation."""
    toolbox = base.Toolbox()
    toolbox.register("evaluate", TourCost(problem))
    toolbox.register("mate", tools.cxOrdered)
    toolbox.register("mutate", mutate)
    toolbox.register("select", tools.selTournament, tournsize=3)
    return toolbox


def run(
    toolbox: base.Toolbox, vary: Callable[..., Any], n: int, clock: TimedRun, pop: int, seed: int
) -> tuple[Any, list[tuple[float, float]]]:
    """Run generations from random tours until the time is up.

    Return the best individual, and the seconds and the best length of each generation.
    """
    random.seed(seed)
    offspring = [creator.Tour(random.sample(range(n), n)) for _ in range(pop)]
    best, curve = tools.HallOfFame(1), []
    clock.restart()
    while True:
        new = [individual for individual in offspring if not individual.fitness.valid]
        for individual, values in zip(new, toolbox.map(toolbox.evaluate, new), strict=True):
            individual.fitness.values = values
        best.update(offspring)
        curve.append((clock.seconds - clock.seconds_left(), best[0].fitness.values[0]))
        if clock.over:
            return best[0], curve
        offspring = vary(toolbox.select(offspring, pop), toolbox, cxpb=0.9, mutpb=1.0)


def contestants(
    problem: gls.TSP, clock: TimedRun
) -> dict[str, tuple[base.Toolbox, Callable[..., Any]]]:
    """Return toolboxes and variations; the second toolbox differs from the first by one line."""
    searched = LocalSearchMutation(problem, run=clock)
    searched.prepare()  # compile before the clocks start
    return {
        "mutInversion": (toolbox_of(problem, tools.mutInversion), algorithms.varAnd),
        "LocalSearchMutation": (toolbox_of(problem, searched), algorithms.varAnd),
        "LocalSearchMutation, var_and": (toolbox_of(problem, searched), var_and),
    }

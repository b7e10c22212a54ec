"""The operators of DEAP's adapter, for the suite."""

from __future__ import annotations

import array
import random
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.adapters.face import Face, Outcome, others

if TYPE_CHECKING:
    import gpu_ls_plugin as gls
    from tests.adapters.face import Rows


class Deap(Face):
    """DEAP's operators change individuals in place; random numbers are Python's."""

    framework = "deap"

    def mutated(self, kind: str, problem: Any, rows: Rows, seed: int, options: Any) -> Rows:
        random.seed(seed)
        pop = individuals(rows)
        assert self.operators(problem)[kind](**options).batch(pop) is pop
        return np.array(pop)

    def sampled(self, kind: str, problem: Any, size: int, seed: int, options: Any) -> Rows:
        random.seed(seed)
        return np.array(self.operators(problem)[kind](**options)(list, size))

    def cross(self, problem: Any, part: Any, first: Rows, second: Rows, seed: int = 1) -> Rows:
        from gpu_ls_deap import RecombinationCrossover

        random.seed(seed)
        pairs = list(zip(individuals(first), individuals(second), strict=True))
        RecombinationCrossover(problem, part).batch(pairs)
        return np.array([one for one, _ in pairs])

    def costs(self, problem: Any, rows: Rows) -> list[float]:
        from gpu_ls_deap import TourCost

        cost = TourCost(problem)
        return [cost(individual)[0] for individual in individuals(rows)]

    def run(
        self, problem: gls.TSP, seconds: float, generations: int = 10**6, search: Any = None
    ) -> Outcome:
        from deap import base, tools

        from gpu_ls_deap import RecombinationCrossover, TimedRun, TourCost, var_and

        random.seed(1)
        run, toolbox, best = TimedRun(seconds), base.Toolbox(), tools.HallOfFame(1)
        mutation = self.operators(problem)["search"](search, run=run)
        toolbox.register("evaluate", TourCost(problem))
        toolbox.register("select", tools.selTournament, tournsize=3)
        toolbox.register("mate", RecombinationCrossover(problem, "order_recombination"))
        toolbox.register("mutate", mutation)
        mutation.prepare(50)
        pop = individuals(others(problem, 50))
        run.restart()
        begin, offspring, done = time.perf_counter(), pop, 0
        while True:
            for one in (one for one in offspring if not one.fitness.valid):
                one.fitness.values = toolbox.evaluate(one)
            best.update(offspring)
            pop[:] = offspring
            if run.over or done == generations:
                break
            done += 1
            offspring = var_and(toolbox.select(pop, 50), toolbox, 0.9, 1.0)
        seconds = time.perf_counter() - begin
        return Outcome(seconds, best[0].fitness.values[0], np.array(best[0]), done)


def individuals(rows: Rows, kind: Any = list) -> list[Any]:
    """Return rows as individuals of DEAP without a valid fitness."""
    from deap import base, creator

    name = f"TourOf{kind.__name__}"
    if not hasattr(creator, "Shortest"):
        creator.create("Shortest", base.Fitness, weights=(-1.0,))
    if not hasattr(creator, name):
        extra = {"typecode": "i"} if kind is array.array else {}
        creator.create(name, kind, fitness=creator.Shortest, **extra)
    return [getattr(creator, name)(row) for row in np.asarray(rows).tolist()]

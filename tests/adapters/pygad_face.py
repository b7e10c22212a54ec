"""The operators of PyGAD's adapter, for the suite."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.adapters.face import Face, Outcome, others

if TYPE_CHECKING:
    import gpu_ls_plugin as gls
    from tests.adapters.face import Rows


class PyGAD(Face):
    """PyGAD's operators get all offspring of a generation, and the GA itself."""

    framework = "pygad"

    def mutated(self, kind: str, problem: Any, rows: Rows, seed: int, options: Any) -> Rows:
        mutation = self.operators(problem)[kind](**options)
        ga = self.plain(others(problem), seed, mutation_type=mutation)
        given = rows.copy()
        made = mutation(given, ga)
        assert np.array_equal(given, rows) and made.dtype == rows.dtype
        return made

    def sampled(self, kind: str, problem: Any, size: int, seed: int, options: Any) -> Rows:
        return self.operators(problem)[kind](**options)(size, seed=seed)

    def cross(self, problem: Any, part: Any, first: Rows, second: Rows, seed: int = 1) -> Rows:
        from gpu_ls_pygad import RecombinationCrossover

        # Offspring k is a child of parents k and k + 1: every second one is of a pair.
        parents = np.stack([first, second], axis=1).reshape(-1, first.shape[1])
        crossover = RecombinationCrossover(problem, part)
        ga = self.ga(problem, parents, seed, crossover_type=crossover)
        return crossover(parents, parents.shape, ga)[::2]

    def costs(self, problem: Any, rows: Rows) -> list[float]:
        ga = self.ga(problem, rows, 1)
        return (-ga.cal_pop_fitness()).tolist()

    def run(
        self, problem: gls.TSP, seconds: float, generations: int = 10**6, search: Any = None
    ) -> Outcome:
        from gpu_ls_pygad import RecombinationCrossover

        mutation = self.operators(problem)["search"](search)
        crossover = RecombinationCrossover(problem, "order_recombination")
        for operator in (mutation, crossover):
            operator.prepare(50)
        ga = self.ga(
            problem,
            others(problem, 50),
            1,
            num_generations=generations,
            mutation_type=mutation,
            crossover_type=crossover,
            stop_criteria=f"time_{seconds}",
        )
        begin = time.perf_counter()
        ga.run()
        seconds = time.perf_counter() - begin
        tour, fitness, _ = ga.best_solution()
        return Outcome(seconds, float(-fitness), tour, ga.generations_completed)

    def ga(self, problem: Any, rows: Rows, seed: int, **options: Any) -> Any:
        from gpu_ls_pygad import TourFitness

        return self.plain(rows, seed, fitness_func=TourFitness(problem), **options)

    def plain(self, rows: Rows, seed: int, **options: Any) -> Any:
        import pygad

        given = {"num_generations": 1, "num_parents_mating": 2, "suppress_warnings": True}
        given |= {"fitness_func": lambda ga, some, index: 0.0, "gene_type": int}
        given |= {"initial_population": rows, "fitness_batch_size": len(rows)}
        return pygad.GA(**given | options, random_seed=seed)

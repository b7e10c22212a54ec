"""PyGAD's GA on a travelling salesman problem before and after one changed line."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pygad

import gpu_ls_plugin as gls
from gpu_ls_pygad import LocalSearchMutation, RecombinationCrossover, TourFitness


def order_crossover(parents: Any, offspring_size: tuple[int, int], ga: pygad.GA) -> Any:
    """Keep a section of a parent and take the other cities in the order of the next parent.

    PyGAD's own crossovers do not return permutations, so users write a crossover like this.
    """
    made = np.empty(offspring_size, parents.dtype)
    for k, child in enumerate(made):
        first, second = parents[k % len(parents)], parents[(k + 1) % len(parents)]
        begin, end = sorted(ga.numpy_random_generator.choice(len(child) + 1, 2, replace=False))
        kept = first[begin:end]
        rest = second[~np.isin(second, kept)]
        child[:] = np.concatenate([rest[:begin], kept, rest[begin:]])
    return made


def contestants(problem: gls.TSP) -> dict[str, dict[str, Any]]:
    """Return the operators of each algorithm; the second differs from the first in one line."""
    searched = LocalSearchMutation(problem)
    crossover = RecombinationCrossover(problem, "segment_recombination")
    for operator in (searched, crossover):
        operator.prepare()  # compile before the clocks start
    return {
        "order crossover, inversion": {
            "crossover_type": order_crossover,
            "mutation_type": "inversion",
        },
        "order crossover, LocalSearchMutation": {
            "crossover_type": order_crossover,
            "mutation_type": searched,
        },
        "SegmentCrossover, LocalSearchMutation": {
            "crossover_type": crossover,
            "mutation_type": searched,
        },
    }


def run(
    problem: gls.TSP, operators: dict[str, Any], seconds: float, pop: int, seed: int
) -> tuple[pygad.GA, list[tuple[float, float]]]:
    """Run an algorithm from random tours; return it and its curve of (seconds, length)."""
    start = gls.random_tours(problem, size=pop, seed=seed)
    curve = [(0.0, float(problem.cost(start).min()))]

    def note(ga: pygad.GA) -> None:
        best = float(-ga.last_generation_fitness.max())
        curve.append((time.monotonic() - ga.run_start_time, best))

    ga = pygad.GA(
        num_generations=10**9,
        stop_criteria=f"time_{seconds}",
        fitness_func=TourFitness(problem),
        fitness_batch_size=pop,
        initial_population=start,
        gene_type=int,
        num_parents_mating=max(2, pop // 2),
        on_generation=note,
        random_seed=seed,
        suppress_warnings=True,
        **operators,
    )
    ga.run()
    return ga, curve

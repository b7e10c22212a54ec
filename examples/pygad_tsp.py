"""A genetic algorithm of PyGAD on a travelling salesman problem, before and after one changed line.

The script runs `pygad.GA` three times, each time for the same number of seconds: with an order
crossover and PyGAD's inversion; with `LocalSearchMutation` instead of the inversion; and with
`LocalSearchMutation` and a crossover of this library. It prints a table.

    python examples/pygad_tsp.py --instance FILE --seconds 10 --pop 100 --seed 1
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import pygad
from rich.console import Console
from rich.table import Table

import gpu_ls_plugin as gls
from gpu_ls_pygad import LocalSearchMutation, RecombinationCrossover, TourFitness

CAPITALS = Path(__file__).parent / "data" / "europe_capitals.tsp"


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


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--instance", type=Path, default=CAPITALS, help="TSPLIB file")
    parser.add_argument("--seconds", type=float, default=10.0, help="time of each run")
    parser.add_argument("--pop", type=int, default=100, help="population size")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    problem = gls.TSP.read(options.instance)
    table = Table(title=f"PyGAD, {problem.name}: {problem.n} cities, {options.seconds:g} s each")
    for column in ("operators", "length", "generations"):
        table.add_column(column, justify="left" if column == "operators" else "right", no_wrap=True)
    for name, operators in contestants(problem).items():
        ga, _ = run(problem, operators, options.seconds, options.pop, options.seed)
        table.add_row(name, f"{-ga.best_solution()[1]:.10g}", str(ga.generations_completed))
    Console().print(table)


if __name__ == "__main__":
    main()

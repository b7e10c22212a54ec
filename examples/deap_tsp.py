"""A genetic algorithm in DEAP on a travelling salesman problem, before and after one changed line.

The script runs three versions of a generational algorithm: one with DEAP's order crossover and
inversion; one with `LocalSearchMutation` instead of the inversion, which searches one tour per
call; and one that also uses `var_and`, which searches all offspring of a generation in one call. It
prints a table.

    python examples/deap_tsp.py --instance FILE --seconds 10 --pop 100 --seed 1
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deap import algorithms, base, creator, tools
from rich.console import Console
from rich.table import Table

import gpu_ls_plugin as gls
from gpu_ls_deap import LocalSearchMutation, TimedRun, TourCost, var_and

if TYPE_CHECKING:
    from collections.abc import Callable

CAPITALS = Path(__file__).parent / "data" / "europe_capitals.tsp"

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


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--instance", type=Path, default=CAPITALS, help="TSPLIB file")
    parser.add_argument("--seconds", type=float, default=10.0, help="time of each run")
    parser.add_argument("--pop", type=int, default=100, help="population size")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    problem, clock = gls.TSP.read(options.instance), TimedRun(options.seconds)
    table = Table(title=f"DEAP, {problem.name}: {problem.n} cities, {options.seconds:g} s each")
    for column in ("mutation", "length", "generations"):
        table.add_column(column, justify="left" if column == "mutation" else "right", no_wrap=True)
    for name, (toolbox, vary) in contestants(problem, clock).items():
        best, curve = run(toolbox, vary, problem.n, clock, options.pop, options.seed)
        table.add_row(name, f"{best.fitness.values[0]:.10g}", str(len(curve) - 1))
    Console().print(table)


if __name__ == "__main__":
    main()

"""EvoTorch on a travelling salesman problem: one operator more, and `MemeticGA`.

The script runs EvoTorch's GeneticAlgorithm with order crossover and kicks; the same with
`LocalSearchMutation` behind them, which searches all children of a generation in one call; and
`MemeticGA`, which runs the search of ``gpu-ls solve``. Populations are tensors, on the GPU if there
is one. It prints a table.

    python examples/evotorch_tsp.py --instance FILE --seconds 10 --pop 100 --seed 1
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evotorch.algorithms import GeneticAlgorithm
from rich.console import Console
from rich.table import Table

import gpu_ls_plugin as gls
from gpu_ls_evotorch import (
    DomainProblem,
    DoubleBridgeMutation,
    LocalSearchMutation,
    MemeticGA,
    RecombinationCrossover,
    TimedRun,
)

if TYPE_CHECKING:
    from collections.abc import Callable

CAPITALS = Path(__file__).parent / "data" / "europe_capitals.tsp"


def usual(problem: DomainProblem, clock: TimedRun, pop: int) -> Any:
    """Return EvoTorch's algorithm without a search."""
    operators = [
        RecombinationCrossover(problem, "order_recombination"),
        DoubleBridgeMutation(problem, segment=None),
    ]
    return GeneticAlgorithm(problem, operators=operators, popsize=pop, re_evaluate=False)


def searched(problem: DomainProblem, clock: TimedRun, pop: int) -> Any:
    """Return the same with a search of all children."""
    search = LocalSearchMutation(problem, run=clock)
    search.prepare(pop)  # compile before the clock starts
    operators = [RecombinationCrossover(problem, "order_recombination"), search]
    return GeneticAlgorithm(problem, operators=operators, popsize=pop, re_evaluate=False)


def memetic(problem: DomainProblem, clock: TimedRun, pop: int) -> Any:
    """Return the ready-made algorithm."""
    return MemeticGA(problem, pop, seconds=clock.seconds)


def run(make: Callable[..., Any], tsp: gls.TSP, seconds: float, pop: int, seed: int) -> Any:
    """Run an algorithm until the time is up, and return it."""
    clock = TimedRun(seconds)
    algorithm = make(DomainProblem(tsp, seed=seed), clock, pop)
    clock.restart()
    while not (clock.over or algorithm.is_terminated):
        algorithm.step()
    return algorithm


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--instance", type=Path, default=CAPITALS, help="TSPLIB file")
    parser.add_argument("--seconds", type=float, default=10.0, help="time of each run")
    parser.add_argument("--pop", type=int, default=100, help="population size")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    tsp = gls.TSP.read(options.instance)
    title = f"EvoTorch, {tsp.name}: {tsp.n} cities, {options.seconds:g} s each"
    table = Table(title=title)
    for column in ("algorithm", "length", "generations"):
        table.add_column(column, justify="left" if column == "algorithm" else "right", no_wrap=True)
    contestants = {
        "DoubleBridgeMutation": usual,
        "LocalSearchMutation": searched,
        "MemeticGA": memetic,
    }
    for name, make in contestants.items():
        ended = run(make, tsp, options.seconds, options.pop, options.seed)
        table.add_row(name, f"{ended.status['best_eval']:.10g}", str(ended.step_count))
    Console().print(table)


if __name__ == "__main__":
    main()

"""Vehicle routing in pymoo: a plain genetic algorithm, the same with local search, and MemeticGA.

Each algorithm runs for the same time on giant tours; violations are constraints of pymoo. The
script prints the results and the last algorithm's routes. With ``--solution``, it also writes
these routes as a CVRPLIB solution. Without an instance, the capitals of Europe are the customers,
except the most central one, which is the depot.

    python examples/vehicle_routing_pymoo.py --instance FILE.vrp --seconds 10 --solution out.sol
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.mutation.inversion import InversionMutation
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize
from rich.console import Console
from rich.table import Table

import gpu_ls_plugin as gls
from gpu_ls_pymoo import CVRPProblem, LocalSearchMutation, MemeticGA

if TYPE_CHECKING:
    from numpy.typing import NDArray

CAPITALS = Path(__file__).parent / "data" / "europe_capitals.tsp"
CAPACITY = 30


def capitals() -> gls.CVRP:
    """Return the capitals with demands of 1 to 9; the most central capital is the depot."""
    cities = gls.TSP.read(CAPITALS)
    lengths = cities.distance(np.arange(cities.n)[:, np.newaxis], np.arange(cities.n))
    depot = int(lengths.sum(axis=1).argmin())
    order = [depot, *(city for city in range(cities.n) if city != depot)]
    demands = np.random.default_rng(1).integers(1, 10, cities.n)
    demands[0] = 0
    return gls.CVRP.from_matrix(lengths[np.ix_(order, order)], demands, CAPACITY, name="capitals")


def contestants(pop: int) -> dict[str, Any]:
    """Return the three algorithms; the second differs from the first in one line."""
    usual = GA(
        pop_size=pop,
        sampling=PermutationRandomSampling(),
        crossover=OrderCrossover(),
        mutation=InversionMutation(),
    )
    searched = GA(
        pop_size=pop,
        sampling=PermutationRandomSampling(),
        crossover=OrderCrossover(),
        mutation=LocalSearchMutation(),
    )
    return {
        "GA, InversionMutation": usual,
        "GA, LocalSearchMutation": searched,
        "MemeticGA": MemeticGA(),
    }


def best_tour(result: Any) -> NDArray[Any]:
    """Return the best tour of a run; if none is feasible, the one with the least violation."""
    pop = result.pop
    first = np.lexsort((pop.get("F")[:, 0], pop.get("CV")[:, 0]))[0]
    tour: NDArray[Any] = pop[first].X
    return tour


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--instance", type=Path, help="CVRPLIB file")
    parser.add_argument("--seconds", type=float, default=10.0, help="time of each run")
    parser.add_argument("--pop", type=int, default=50, help="population size")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--solution", type=Path, help="file for the last algorithm's routes (.sol)")
    options = parser.parse_args()

    cvrp = gls.CVRP.read(options.instance) if options.instance else capitals()
    problem, console = CVRPProblem(cvrp, hard=True), Console()
    LocalSearchMutation().prepare(problem, options.pop)  # compile before the clocks start
    made = Table(title=f"{cvrp.name}: {cvrp.customers} customers, {options.seconds:g} s each")
    made.add_column("algorithm", no_wrap=True)
    for column in ("cost", "routes", "excess load", "n_eval"):
        made.add_column(column, justify="right")
    for name, algorithm in contestants(options.pop).items():
        with console.status(f"{name} on {cvrp.name} for {options.seconds:g} s"):
            result = minimize(problem, algorithm, ("time", options.seconds), seed=options.seed)
        tour = best_tour(result)
        made.add_row(
            name,
            f"{cvrp.cost(tour)[0]:.10g}",
            str(len(cvrp.routes(tour))),
            str(cvrp.violations(tour).load[0]),
            str(result.algorithm.evaluator.n_eval),
        )
    console.print(made)
    for number, route in enumerate(cvrp.routes(tour), start=1):
        load = cvrp.demands[route].sum()
        console.print(f"Route {number}, load {load} of {cvrp.capacity}: {route}", highlight=False)
    if options.solution:
        cvrp.write_solution(tour, options.solution)
        console.print(f"Routes: {options.solution}")


if __name__ == "__main__":
    main()

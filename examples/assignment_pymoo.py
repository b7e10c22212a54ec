"""Generalised assignment in pymoo: a GA with usual or successor operators, and MemeticGA.

Each algorithm runs for the same time on an instance of type D. The script prints the cost of the
best assignment of each algorithm, and by how much this assignment overloads agents.

    python examples/assignment_pymoo.py --jobs 200 --agents 20 --seconds 10
"""

from __future__ import annotations

import argparse
from typing import Any

from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.mutation.pm import PM
from pymoo.operators.repair.rounding import RoundingRepair
from pymoo.operators.sampling.rnd import IntegerRandomSampling
from pymoo.optimize import minimize
from rich.console import Console
from rich.table import Table

import gpu_ls_plugin as gls
from gpu_ls_pymoo import AssignmentProblem, MemeticGA, SuccessorMutation, SuccessorSampling


def contestants(pop: int) -> dict[str, Any]:
    """Return the three algorithms; the second differs from the first in two operators."""
    cheap = gls.CheapestValue()
    usual = GA(
        pop_size=pop,
        sampling=IntegerRandomSampling(),
        crossover=UniformCrossover(),
        mutation=PM(vtype=float, repair=RoundingRepair()),
    )
    ours = GA(
        pop_size=pop,
        sampling=SuccessorSampling(cheap),
        crossover=UniformCrossover(),
        mutation=SuccessorMutation(cheap, share=0.05),
    )
    return {"GA, PM": usual, "GA, SuccessorMutation": ours, "MemeticGA": MemeticGA()}


def main() -> None:
    parser = argparse.ArgumentParser(description="Generalised assignment in pymoo.")
    parser.add_argument("--jobs", type=int, default=100)
    parser.add_argument("--agents", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--pop", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    jobs = gls.GeneralisedAssignment.generated("D", given.jobs, given.agents, given.seed)
    table = Table("algorithm", "cost", "overload", "generations")
    for name, algorithm in contestants(given.pop).items():
        result = minimize(
            AssignmentProblem(jobs), algorithm, ("time", given.seconds), seed=given.seed
        )
        best = result.opt[0]  # the solution with the least overload if none is feasible
        overload = int(jobs.excess(best.X)[0])
        table.add_row(name, f"{best.F[0]:.0f}", str(overload), str(result.algorithm.n_gen - 1))
    Console().print(table)


if __name__ == "__main__":
    main()

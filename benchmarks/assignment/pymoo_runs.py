"""pymoo's GA with its own operators, for integers and permutations, and with successors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.helpers.pymoo_clock import best_costs

if TYPE_CHECKING:
    from collections.abc import Iterator

    import gpu_ls_plugin as gls

POPULATION = 100
COLUMNS = ("problem", "operators", "seed", "cost", "feasible", "generations", "seconds")


def problems(tiny: bool) -> dict[str, gls.Assignment]:
    """Return the three problems by name."""
    import gpu_ls_plugin as gls

    if tiny:
        return {
            "colouring": gls.GraphColouring.random(20, 0.5, 6, seed=1),
            "generalised": gls.GeneralisedAssignment.generated("C", 20, 4, seed=1),
            "quadratic": gls.QuadraticAssignment.generated(12, seed=1),
        }
    return {
        "colouring": gls.GraphColouring.random(500, 0.5, 49, seed=1),
        "generalised": gls.GeneralisedAssignment.generated("D", 200, 10, seed=1),
        "quadratic": gls.QuadraticAssignment.generated(100, seed=1),
    }


def operators(problem: gls.Assignment, backend: str) -> dict[str, dict[str, Any]]:
    """Return pymoo's operators and ours, by name."""
    from pymoo.operators.crossover.ox import OrderCrossover
    from pymoo.operators.crossover.sbx import SBX
    from pymoo.operators.crossover.ux import UniformCrossover
    from pymoo.operators.mutation.inversion import InversionMutation
    from pymoo.operators.mutation.pm import PM
    from pymoo.operators.repair.rounding import RoundingRepair
    from pymoo.operators.sampling.rnd import IntegerRandomSampling, PermutationRandomSampling

    import gpu_ls_plugin as gls
    from gpu_ls_pymoo import SuccessorMutation, SuccessorSampling

    heuristic = gls.CheapestValue()
    ours = {
        "sampling": SuccessorSampling(heuristic, backend=backend),
        "mutation": SuccessorMutation(heuristic, share=0.05, backend=backend),
    }
    if problem.distinct:
        usual = {"sampling": PermutationRandomSampling(), "mutation": InversionMutation()}
        return {
            "OX, inversion": {"crossover": OrderCrossover(), **usual},
            "OX, successors": {"crossover": OrderCrossover(), **ours},
        }
    rounded = {"vtype": float, "repair": RoundingRepair()}
    usual = {"sampling": IntegerRandomSampling(), "mutation": PM(**rounded)}
    return {
        "SBX, PM": {"crossover": SBX(**rounded), **usual},
        "UX, PM": {"crossover": UniformCrossover(), **usual},
        "UX, successors": {"crossover": UniformCrossover(), **ours},
    }


def measure(
    seconds: float, backend: str, seeds: int, tiny: bool, names: list[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what each set of operators reaches in equal time."""
    for name, problem in problems(tiny).items():
        if names and name not in names:
            continue
        for label, parts in {**operators(problem, backend), "MemeticGA": {}}.items():
            for seed in range(1, seeds + 1):
                row = {"problem": name, "operators": label, "seed": seed}
                row |= run(problem, parts, seconds, seed, backend)
                print(f"{name}, {label}, seed {seed}: {row['cost']}", flush=True)
                yield f"{name}, {label}, seed {seed}", row


def run(
    problem: gls.Assignment, parts: dict[str, Any], seconds: float, seed: int, backend: str
) -> dict[str, Any]:
    """Return the best feasible cost against time of one run.

    Without operators it is `MemeticGA()` with its defaults.
    """
    from pymoo.algorithms.soo.nonconvex.ga import GA

    from gpu_ls_pymoo import AssignmentProblem, MemeticGA

    wrapped = AssignmentProblem(problem)
    for part in parts.values():
        if hasattr(part, "prepare"):
            part.prepare(wrapped)
    algorithm = GA(pop_size=POPULATION, **parts) if parts else MemeticGA(backend=backend)
    found = best_costs(algorithm, wrapped, seconds, seed)
    return {**found, "feasible": found["cost"] is not None}


def show(rows: dict[str, dict[str, Any]]) -> None:
    """Print the results."""
    table = [[row[column] for column in COLUMNS] for row in rows.values()]
    common.show("pymoo's GA in equal time", COLUMNS, table)

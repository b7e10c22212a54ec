"""pymoo's flow shop example: its GA unchanged, with one changed line, and beside `gls.solve`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common, gaps
from benchmarks.helpers.pymoo_clock import best_costs
from benchmarks.sequences import instances

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

POPULATION = 200  # as in pymoo's example
NAMES = ("tai50_10_0", "tai100_20_0")
SOLVE = "gls.solve"
BAR = 2.0  # percent that the changed GA may be above `solve`
COLUMNS = ("problem", "algorithm", "seed", "cost", "above_solve", "generations", "seconds")


def problems(names: list[str]) -> dict[str, np.ndarray[Any, Any]]:
    """Return times by name, shape (machines, jobs)."""
    import gpu_ls_plugin as gls

    paths = {found.name: found.path for found in instances.taillard(instances.MAKESPAN)}
    return {name: gls.FlowShop.read(paths[name]).times.T for name in names or NAMES}


def algorithms(backend: str) -> dict[str, Any]:
    """Return the GA with order crossover and inversion, and with one changed line."""
    from pymoo.algorithms.soo.nonconvex.ga import GA
    from pymoo.operators.crossover.ox import OrderCrossover
    from pymoo.operators.mutation.inversion import InversionMutation
    from pymoo.operators.sampling.rnd import PermutationRandomSampling

    from gpu_ls_pymoo import LocalSearchMutation

    def genetic(mutation: Any) -> Any:
        return GA(
            pop_size=POPULATION,
            sampling=PermutationRandomSampling(),
            crossover=OrderCrossover(),
            mutation=mutation,
            eliminate_duplicates=True,
        )

    return {
        "GA, inversion": genetic(InversionMutation()),
        "GA, LocalSearchMutation": genetic(LocalSearchMutation(backend=backend)),
    }


def measure(
    seconds: float, backend: str, seeds: int, names: list[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what each algorithm reaches in equal time; kernels are compiled before."""
    from pymoo.problems.single.flowshop_scheduling import FlowshopScheduling

    for name, times in problems(names).items():
        for seed in range(1, seeds + 1):
            solved = solve(times, seconds, seed, backend)
            rows = {SOLVE: solved}
            for label, algorithm in algorithms(backend).items():
                problem = FlowshopScheduling(times)
                best_costs(algorithms(backend)[label], problem, 0.0, seed)  # compiles
                rows[label] = best_costs(algorithm, problem, seconds, seed)
            for label, row in rows.items():
                row |= {"above_solve": float(gaps.percent(row["cost"], solved["cost"]))}
                print(f"{name}, {label}, seed {seed}: {row['cost']}", flush=True)
                head = {"problem": name, "algorithm": label, "seed": seed, "backend": backend}
                yield f"{name}, {label}, seed {seed}, {backend}", head | row


def solve(times: np.ndarray[Any, Any], seconds: float, seed: int, backend: str) -> dict[str, Any]:
    """Return the best makespan against time of `gls.solve` with its defaults."""
    import gpu_ls_plugin as gls

    found = gls.solve(gls.FlowShop(times.T), seconds, seed=seed, backend=backend)
    history = [(point.elapsed, point.best_cost) for point in found.statistics.history]
    took = found.statistics.seconds
    return {"cost": float(found.best_cost), "generations": 0, "seconds": took, "history": history}


def show(rows: dict[str, dict[str, Any]]) -> None:
    """Print the results."""
    table = [[row[column] for column in COLUMNS] for row in rows.values()]
    common.show(f"pymoo's GA in equal time; bar {BAR:g} % above solve", COLUMNS, table)

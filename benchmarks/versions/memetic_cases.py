"""Cases of the pymoo adapter's `MemeticGA`, by generations and by seconds of a virtual clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gpu_ls_plugin as gls
from benchmarks.versions.case_problems import (
    GENETIC,
    LINKED,
    assignments,
    cities,
    matrix,
    routes,
    rows,
    scarce,
    tight,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def memetic_cases(backend: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield runs of a number of generations."""
    from gpu_ls_plugin.evolution.convergence import Stagnation
    from gpu_ls_plugin.evolution.replacement import Crowding, EdgeDistance

    order, assembly = gls.OrderCrossover(), gls.EdgeAssembly()
    table: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
        "chains": (lambda: cities(700), {"pop_size": 16}),
        "few": (lambda: cities(700), {"pop_size": 3}),
        "sampling": (lambda: cities(700), {"sampling": rows(700, 9), "pop_size": 9}),
        "assembly": (lambda: cities(700), {"pop_size": 16, "crossover": assembly}),
        "search": (lambda: cities(700), {"pop_size": 9, "search": "two_opt+or_opt/nearest(8)"}),
        "children": (
            lambda: cities(200),
            {"pop_size": 12, "crossover": order},
        ),
        "children, kicks": (
            lambda: cities(200),
            {"pop_size": 12, "crossover": order, "search": gls.IteratedLocalSearch(), "kicks": 3},
        ),
        "offspring": (
            lambda: cities(200),
            {"pop_size": 12, "crossover": order, "n_offsprings": 5, "moves": 20},
        ),
        "restarts": (
            lambda: cities(200),
            {"pop_size": 9, "restarts": Stagnation(1), "crossover": order},
        ),
        "chains, restarts": (lambda: cities(12), {"pop_size": 9, "restarts": Stagnation(1)}),
        "crowding": (
            lambda: cities(200),
            {"pop_size": 12, "crossover": order, "replacement": Crowding()},
        ),
        "distance": (
            lambda: cities(200),
            {
                "pop_size": 12,
                "crossover": order,
                "replacement": EdgeDistance(5),
            },
        ),
        "moves": (lambda: cities(200), {"pop_size": 9, "moves": 50}),
        "matrix": (lambda: matrix(150), {"pop_size": 16}),
        "asymmetric": (lambda: matrix(90, symmetric=False), {"pop_size": 9}),
        "routes": (lambda: routes(90), {"pop_size": 6}),
        "limited routes": (lambda: routes(90, "duration"), {"pop_size": 6}),
        "soft routes": (lambda: scarce(4), {"pop_size": 6}),
        "crossed routes": (
            lambda: routes(90),
            {"pop_size": 6, "crossover": gls.RouteEdgeAssembly()},
        ),
        "split routes": (lambda: routes(90), {"pop_size": 6, "crossover": gls.SplitCrossover()}),
        "routes, kicks": (lambda: routes(90), {"pop_size": 6, "search": LINKED, "kicks": 5}),
        "generations": (lambda: routes(90), {"pop_size": 3, "search": GENETIC, "kicks": 12}),
        **{
            kind: (lambda kind=kind: assignments()[kind], {"pop_size": 5}) for kind in assignments()
        },
        "tabu": (
            lambda: assignments()["QAP"],
            {"pop_size": 5, "search": gls.SuccessorSearch(steps=40, improvement="tabu")},
        ),
    }
    for name, (problem, options) in table.items():
        yield (
            f"memetic: {name}",
            lambda p=problem, g=options: evolved(p(), ("n_gen", 4), backend=backend, **g),
        )


def timed_memetic_cases() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield runs of some seconds on the virtual clock."""
    table: dict[str, tuple[Callable[[], Any], float, dict[str, Any]]] = {
        "chains": (lambda: cities(700), 1.5, {"pop_size": 16}),
        "usual": (lambda: cities(700), 1.5, {}),
        "little time": (lambda: cities(700), 0.04, {}),
        "few": (lambda: cities(700), 0.7, {"pop_size": 3}),
        "children": (lambda: cities(200), 0.7, {"pop_size": 12, "crossover": gls.OrderCrossover()}),
        "matrix": (lambda: matrix(150), 0.7, {"pop_size": 16}),
        "asymmetric": (lambda: matrix(90, symmetric=False), 0.7, {}),
        "routes": (lambda: routes(120), 0.3, {}),
        "fewer vehicles": (lambda: tight(8), 6.0, {"pop_size": 2}),
        "fleet": (lambda: routes(120, "fleet"), 1.5, {}),
        "in turn": (lambda: routes(45, "fleet"), 9.5, {}),
        "in turn, fewer vehicles": (lambda: tight(4), 11.5, {"pop_size": 3}),
        "in turn, few": (lambda: routes(45), 9.5, {"pop_size": 2}),
        "soft": (lambda: scarce(4), 1.5, {}),
        "directed": (lambda: routes(60, "directed"), 0.7, {}),
        **{kind: (lambda kind=kind: assignments()[kind], 0.7, {}) for kind in assignments()},
    }
    for name, (problem, seconds, options) in table.items():
        yield (
            f"memetic: timed, {name}",
            lambda p=problem, s=seconds, g=options: evolved(p(), ("time", s), backend="cpu", **g),
        )


def evolved(problem: Any, termination: tuple[str, float], **options: Any) -> Any:
    """Return the result of pymoo's `minimize`."""
    from pymoo.optimize import minimize

    import gpu_ls_pymoo as adapter

    if isinstance(problem, gls.CVRP):
        posed = adapter.CVRPProblem(problem)
    elif isinstance(problem, gls.Assignment):
        posed = adapter.AssignmentProblem(problem)
    else:
        posed = adapter.TSPProblem(problem)
    return minimize(posed, adapter.MemeticGA(**options), termination, seed=3)

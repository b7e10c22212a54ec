"""Cases of islands on workers of a cluster in this process, with one thread each."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
from distributed import Client, LocalCluster

import gpu_ls_plugin as gls
from benchmarks.versions.case_problems import (
    CHAINS,
    GENETIC,
    LINKED,
    assignments,
    cities,
    routes,
    rows,
)
from benchmarks.versions.memetic_cases import evolved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WORKERS = 3


def island_cases(backend: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield searches of two islands with budgets in kicks."""
    annealed = gls.SuccessorSearch(steps=40)
    table: dict[str, tuple[Any, Callable[[], Any], dict[str, Any], dict[str, Any]]] = {
        "chains": (CHAINS, lambda: cities(200), {"kicks": 40}, {}),
        "complete": (CHAINS, lambda: cities(200), {"kicks": 40}, {"topology": "complete"}),
        "moves": (CHAINS, lambda: cities(200), {"moves": 90}, {}),
        "crossed": (
            gls.IteratedLocalSearch(CHAINS.search, cooperation=gls.EdgeAssembly(0.2)),
            lambda: cities(200),
            {"kicks": 40},
            {},
        ),
        "two nodes": (gls.Symmetrised(), lambda: cities(200), {"kicks": 20}, {}),
        "linked": (LINKED, lambda: routes(90), {"kicks": 60}, {}),
        "generations": (GENETIC, lambda: routes(90), {"kicks": 24}, {}),
        "decomposed": (gls.Decomposed(LINKED, 15, 2), lambda: routes(120), {"kicks": 30}, {}),
        "states": (annealed, lambda: assignments()["QAP"], {"kicks": 4}, {}),
    }
    for name, (search, problem, limit, options) in table.items():
        yield (
            f"islands: {name}",
            lambda s=search, p=problem, b=gls.Budget(**limit), g=options: searched(
                s, p(), b, backend, g
            ),
        )
    whole = {"cities": lambda: cities(200), "routes": lambda: routes(90)}
    for name, problem in whole.items():
        given = {"kicks": 40, "population": 16, "seed": 3, "backend": backend}
        yield f"islands: solve, {name}", lambda p=problem, g=given: solved(p(), 1e5, WORKERS, g)
        yield f"islands: memetic, {name}", lambda p=problem: evolved_on_islands(p(), backend)


def timed_island_cases() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield solves of one island on a virtual clock; of several, any may be first."""
    table: dict[str, tuple[Callable[[], gls.Problem], float, dict[str, Any]]] = {
        "cities": (lambda: cities(200), 2.2, {"population": 16}),
        "routes": (lambda: routes(45, "fleet"), 9.5, {"population": 4}),
        "QAP": (lambda: assignments()["QAP"], 2.2, {}),
    }
    for name, (problem, seconds, options) in table.items():
        given = {"seed": 3, "backend": "cpu"} | options
        yield (
            f"islands: timed, {name}",
            lambda p=problem, s=seconds, g=given: solved(p(), s, 1, g),
        )


def solved(problem: Any, seconds: float, workers: int, options: dict[str, Any]) -> Any:
    """Return the result of `gls.solve` on a number of islands."""
    return on_cluster(
        lambda client: gls.solve(problem, seconds, islands=gls.Islands(client=client), **options),
        workers,
    )


def evolved_on_islands(problem: Any, backend: str) -> Any:
    """Return the result of `MemeticGA` whose generations run on islands."""
    return on_cluster(
        lambda client: evolved(
            problem,
            ("n_gen", 3),
            pop_size=6,
            search=None if isinstance(problem, gls.CVRP) else CHAINS,
            islands=gls.Islands(client=client),
            backend=backend,
        )
    )


def searched(
    search: Any, problem: Any, budget: gls.Budget, backend: str, options: dict[str, Any]
) -> Any:
    """Return the results of islands that start from some rows."""
    if isinstance(problem, gls.CVRP):
        starts = gls.savings(problem, size=6, seed=5, backend=backend)
    elif isinstance(problem, gls.Assignment):
        starts = np.full((6, problem.n), -1, np.int32)
    else:
        starts = rows(problem.n, 6)
    return on_cluster(
        lambda client: gls.Islands(search, client, **options)(
            problem, starts, seed=3, budget=budget, backend=backend
        )
    )


def on_cluster(call: Callable[[Any], Any], workers: int = WORKERS) -> Any:
    """Return the result of a call with a client of workers in this process."""
    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=False,
            protocol="tcp://",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        return call(client)

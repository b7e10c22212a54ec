"""Cases of whole solves, of one instance and of many, with budgets in kicks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import gpu_ls_plugin as gls
from benchmarks.versions.case_problems import (
    CHAINS,
    GENETIC,
    LINKED,
    assignments,
    cities,
    matrix,
    routes,
    rows,
    scarce,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONG = 1e5  # seconds; kicks end every run earlier


def plan_cases(backend: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield whole solves, one instance and many, and searches of states."""
    for group in (solves, many, states):
        yield from group(backend)


def solves(backend: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield `gls.solve` of each domain, by its options."""
    long = gls.IteratedLocalSearch(CHAINS.search, accept=gls.Annealing(1.6, 0.8))
    table: dict[str, tuple[Callable[[], gls.Problem], dict[str, Any]]] = {
        "crossed": (lambda: cities(700), {"kicks": 900, "population": 16}),
        "migrating": (lambda: cities(700), {"kicks": 800, "population": 5}),
        "alone": (lambda: cities(700), {"kicks": 60, "population": 1}),
        "real": (lambda: cities(700, "EUC"), {"kicks": 20, "population": 17}),
        "GEO": (lambda: cities(150, "GEO"), {"kicks": 20, "population": 4}),
        "matrix": (lambda: matrix(150), {"kicks": 60, "population": 16}),
        "real matrix": (lambda: matrix(150, real=True), {"kicks": 20, "population": 4}),
        "two nodes": (lambda: matrix(90, symmetric=False), {"kicks": 60, "population": 16}),
        "asymmetric": (lambda: matrix(90, symmetric=False), {"kicks": 60, "population": 4}),
        "parts": (lambda: cities(12_100), {"kicks": 3000, "search": long}),
        "path": (lambda: gls.OpenPath(cities(200)).tsp, {"kicks": 20, "population": 4}),
        "rows": (lambda: cities(200), {"kicks": 20, "population": 5, "start": rows(200, 3)}),
        "more rows": (lambda: cities(200), {"kicks": 0, "start": rows(200, 20), "moves": 9}),
        "start": (lambda: cities(700), {"kicks": 20, "population": 16, "start": "greedy"}),
        "moves": (lambda: cities(700), {"moves": 1500, "population": 16}),
        "target": (lambda: cities(700), {"kicks": 999, "population": 16, "target": 19_700}),
        "text": (
            lambda: cities(700),
            {"kicks": 20, "population": 4, "search": "two_opt+or_opt/nearest(8)"},
        ),
        "descent": (lambda: cities(200), {"search": gls.IteratedLocalSearch().search, "kicks": 0}),
        "routes": (lambda: routes(120), {"kicks": 90, "population": 4}),
        "real routes": (lambda: routes(120, "real"), {"kicks": 90, "population": 3}),
        "limited": (lambda: routes(90, "duration"), {"kicks": 90, "population": 4}),
        "fleet": (lambda: routes(90, "fleet"), {"kicks": 90, "population": 4}),
        "directed": (lambda: routes(60, "directed"), {"kicks": 30, "population": 4}),
        "soft": (lambda: scarce(4), {"kicks": 90, "population": 4}),
        "hard": (lambda: scarce(4), {"kicks": 90, "population": 4, "seconds": 0.2}),
        "penalised": (lambda: scarce().penalised(load=3), {"kicks": 30, "population": 4}),
        "route target": (lambda: routes(120), {"kicks": 999, "population": 4, "target": 2040}),
        "generations": (lambda: routes(90), {"kicks": 24, "population": 3, "search": GENETIC}),
        "route parts": (
            lambda: routes(120),
            {"kicks": 40, "population": 4, "search": gls.Decomposed(LINKED, 15, 3)},
        ),
        "one customer": (lambda: routes(1), {"kicks": 3, "population": 2}),
        "one city": (lambda: cities(1), {"kicks": 3, "population": 2}),
        "five cities": (lambda: cities(5), {"kicks": 3, "population": 2}),
        **{f"tiny {n}": (partial(cities, n), {"population": 3}) for n in (1, 2, 3, 5, 7)},
        "tiny directed": (lambda: matrix(6, symmetric=False), {}),
        "tiny routes": (lambda: routes(5, capacity=12), {"population": 3}),
        **{
            kind: (lambda kind=kind: assignments()[kind], {"kicks": 2, "population": 5})
            for kind in assignments()
        },
        "QAP, moves": (lambda: assignments()["QAP"], {"moves": 70, "population": 3}),
        "QAP, target": (
            lambda: assignments()["QAP"],
            {"kicks": 20, "population": 3, "target": 1e9},
        ),
    }
    for name, (problem, options) in table.items():
        given = {"seconds": LONG, "seed": 3, "backend": backend} | options
        yield f"solve: {name}", lambda p=problem, g=given: gls.solve(p(), **g)


def many(backend: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield `gls.solve_many` on instances of one and of several sizes."""
    random = np.random.default_rng(2)
    sizes = (1, 2, 3, 7, 8, 9, 30, 31, 60, 100, 5)
    mixed = [cities(20), cities(25, "EUC"), cities(30), cities(4, "EUC"), cities(150, "GEO")]
    table: dict[str, tuple[Any, dict[str, Any]]] = {
        "alike": (random.random((9, 30, 2)), {}),
        "replicas": (random.random((9, 30, 2)), {"replicas": 2}),
        "sizes": ([random.random((n, 2)) for n in sizes], {}),
        "sizes, replicas": ([random.random((n, 2)) for n in sizes], {"replicas": 2}),
        "metrics": (mixed, {}),
        "tiny": (random.random((9, 5, 2)), {}),
        "whole": (random.integers(0, 99, (5, 30, 2)), {"metric": "EUC_2D"}),
        "memory": (random.random((40, 60, 2)), {"memory_limit": 100_000}),
    }
    for name, (problems, options) in table.items():
        given = {"seconds": LONG, "kicks": 40, "seed": 3, "backend": backend} | options
        yield f"many: {name}", lambda p=problems, g=given: gls.solve_many(p, **g)


def states(backend: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield searches of assignment problems, by each kind of steps."""
    searches = {
        "usual": gls.SuccessorSearch(),
        "tabu": gls.SuccessorSearch(improvement="tabu", steps=60),
        "tenure": gls.SuccessorSearch(tenure=5, steps=60, sample=50),
        "annealed": gls.SuccessorSearch(accept=gls.Annealing(), steps=200),
        "worst": gls.SuccessorSearch(release="worst", mixing=0.2, migration=1, steps=40),
        "related": gls.SuccessorSearch(release="related", share=0.3, migration=0, steps=40),
        "heuristic": gls.SuccessorSearch(gls.CheapestValue(), steps=40, migration=2),
    }
    empty = {kind: np.full((5, problem.n), -1, np.int32) for kind, problem in assignments().items()}
    for kind in empty:
        for name, search in searches.items():
            yield (
                f"states: {name} {kind}",
                lambda s=search, k=kind: s(
                    assignments()[k], empty[k], seed=3, backend=backend, budget=gls.Budget(kicks=2)
                ),
            )
    chains = gls.SuccessorSearch(improvement="chains")
    limits = {
        "moves": {"moves": 99},
        "target": {"kicks": 50, "target": 1e9},
        "nothing": {"kicks": 0},
    }
    for name, limit in limits.items():
        yield (
            f"states: {name}",
            lambda b=gls.Budget(**limit): gls.SuccessorSearch(steps=40)(
                assignments()["QAP"], empty["QAP"], seed=3, backend=backend, budget=b
            ),
        )
    yield (
        "states: chains GAP",
        lambda: chains(
            assignments()["GAP"], empty["GAP"], seed=3, backend=backend, budget=gls.Budget(kicks=9)
        ),
    )
    for name, limit in {"kicks": {"kicks": 1}, "target": {"kicks": 3, "target": 11}}.items():
        given = {"seconds": LONG, "seed": 3, "backend": backend, "population": 4} | limit
        yield (
            f"states: fewest colours, {name}",
            lambda g=given: gls.fewest_colours(gls.GraphColouring.random(60, 0.4, 1, seed=3), **g),
        )

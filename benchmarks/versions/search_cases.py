"""Cases of chains, and of searches that contain others, which are called with tours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gpu_ls_plugin as gls
from benchmarks.versions.case_problems import (
    CHAINS,
    GENETIC,
    LINKED,
    REPAIR,
    cities,
    matrix,
    on_one_core,
    routes,
    rows,
    scarce,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def search_cases(backend: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield searches of every kind with budgets in kicks."""
    yield from iterated(backend)
    yield from holding(backend)


def iterated(backend: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield chains with each option that other cases leave out."""
    chains, lengths = CHAINS, lambda: cities(700)
    repair, kick = CHAINS.search, gls.DoubleBridge(segment=30)
    table: dict[str, tuple[Any, Callable[[], gls.Problem], int, dict[str, Any], dict[str, Any]]] = {
        "merging": (_with(gls.Merging(0.01)), lengths, 9, {"kicks": 40}, {}),
        "migration": (_with(gls.Migration(0.01)), lengths, 9, {"kicks": 40}, {}),
        "crossed": (
            _with(gls.EdgeAssembly(0.02, strategy="staged")),
            lengths,
            9,
            {"kicks": 40},
            {},
        ),
        "crossed in order": (_with(gls.OrderCrossover(0.02)), lengths, 9, {"kicks": 40}, {}),
        "stalled": (
            gls.IteratedLocalSearch(repair, kick, restart_after=3),
            lengths,
            5,
            {"kicks": 40},
            {},
        ),
        "stalled, migrating": (
            gls.IteratedLocalSearch(repair, kick, restart_after=3, cooperation=gls.Migration(0.01)),
            lengths,
            5,
            {"kicks": 40},
            {},
        ),
        "moves": (chains, lengths, 5, {"moves": 1500}, {}),
        "moves and kicks": (chains, lengths, 5, {"moves": 900, "kicks": 20}, {}),
        "no kicks": (chains, lengths, 5, {"kicks": 0}, {}),
        "target": (chains, lengths, 5, {"kicks": 999, "target": 19_850}, {}),
        "target at once": (chains, lengths, 5, {"kicks": 999, "target": 1e9}, {}),
        "kicks per city": (
            gls.IteratedLocalSearch(repair, kicks_per_city=0.2),
            lengths,
            5,
            {},
            {},
        ),
        "turns": (chains, lengths, 40, {"kicks": 20}, {"memory_limit": 60_000}),
        "turns, crossed": (
            _with(gls.EdgeAssembly(0.01, 2, 8)),
            lengths,
            40,
            {"kicks": 20},
            {"memory_limit": 600_000},
        ),
        "first row": (chains, lengths, 5, {"kicks": 20}, {"first_row": 11}),
        "linked": (LINKED, lambda: routes(90), 5, {"kicks": 60}, {}),
        "linked, priced": (LINKED, lambda: scarce(4).penalised(load=9), 5, {"kicks": 90}, {}),
        "linked, first row": (LINKED, lambda: routes(90), 5, {"kicks": 60}, {"first_row": 11}),
        "linked, moves": (LINKED, lambda: routes(90), 5, {"moves": 90}, {}),
        "linked, stalled": (
            gls.IteratedLocalSearch(REPAIR, gls.StringRemoval(), restart_after=20),
            lambda: routes(90),
            5,
            {"kicks": 60},
            {},
        ),
        "parts": (
            gls.IteratedLocalSearch(repair, part=64),
            lambda: cities(400),
            2,
            {"kicks": 600},
            {},
        ),
        "parts, merging": (
            gls.IteratedLocalSearch(repair, part=64, cooperation=gls.EdgeAssembly(0.5, 2, 8)),
            lambda: cities(400),
            4,
            {"kicks": 900},
            {},
        ),
    }
    for name, (search, problem, size, limit, options) in table.items():
        yield (
            f"chains: {name}",
            _called(search, problem, size, gls.Budget(**limit), backend, options),
        )


def _with(cooperation: Any) -> gls.IteratedLocalSearch:
    """Return chains with a cooperation."""
    return gls.IteratedLocalSearch(CHAINS.search, cooperation=cooperation)


def holding(backend: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield searches of other kinds; most contain another one."""
    twin = gls.Symmetrised()
    crossed = gls.IteratedLocalSearch(
        twin.search.search, accept=twin.search.accept, cooperation=gls.EdgeAssembly(0.1)
    )
    table: dict[str, tuple[Any, Callable[[], gls.Problem], int, dict[str, Any]]] = {
        "two nodes": (twin, lambda: matrix(90, symmetric=False), 5, {"kicks": 30}),
        "two nodes, crossed": (
            gls.Symmetrised(crossed),
            lambda: matrix(90, symmetric=False),
            9,
            {"kicks": 40},
        ),
        "two nodes, symmetric": (twin, lambda: matrix(150), 3, {"kicks": 20}),
        "generations": (GENETIC, lambda: routes(90), 4, {"kicks": 40}),
        "generations, limited": (GENETIC, lambda: routes(90, "duration"), 3, {"kicks": 30}),
        "generations, fleet": (GENETIC, lambda: routes(90, "fleet"), 2, {"kicks": 30}),
        "generations, restarts": (
            gls.HybridGeneticSearch(size=4, children=4, patience=2, migration=3),
            lambda: routes(90),
            3,
            {"kicks": 60},
        ),
        "generations, moves": (GENETIC, lambda: routes(90), 3, {"moves": 9000}),
        "generations, target": (GENETIC, lambda: routes(90), 3, {"kicks": 999, "target": 1342}),
        "decomposed": (gls.Decomposed(LINKED, 15, 4), lambda: routes(120), 4, {"kicks": 50}),
        "decomposed, chains": (
            gls.Decomposed(LINKED, 20, 3, chains=6),
            lambda: routes(120, "duration"),
            1,
            {"kicks": 50},
        ),
        "decomposed, whole": (
            gls.Decomposed(LINKED, 500, 3),
            lambda: routes(120),
            3,
            {"kicks": 40},
        ),
        "decomposed, target": (
            gls.Decomposed(LINKED, 15, 4),
            lambda: routes(120),
            4,
            {"kicks": 500, "target": 2060},
        ),
    }
    for name, (search, problem, size, limit) in table.items():
        yield f"searches: {name}", _called(search, problem, size, gls.Budget(**limit), backend, {})
    if backend == "cpu":  # one part at a time: equal launches end each
        limit = gls.Budget(moves=200)
        parts = _called(gls.Decomposed(LINKED, 20, 3), lambda: routes(120), 3, limit, backend, {})
        yield "searches: decomposed, moves", lambda: on_one_core(parts)
    climbs = gls.RandomRestarts(CHAINS.search, climbs=60, keep=4)
    for name, limit in {"all": {}, "moves": {"moves": 20}, "target": {"target": 1e9}}.items():
        yield (
            f"searches: restarts, {name}",
            lambda b=gls.Budget(**limit): climbs(cities(700), seed=3, backend=backend, budget=b),
        )


def _called(
    search: Any,
    problem: Callable[[], gls.Problem],
    size: int,
    budget: gls.Budget,
    backend: str,
    options: dict[str, Any],
) -> Callable[[], Any]:
    """Return a call of a search on some tours of its problem."""

    def call() -> Any:
        asked = problem()
        if isinstance(asked, gls.CVRP):
            starts = gls.savings(asked, size=size, seed=5, backend=backend)
        else:
            starts = rows(asked.n, size)
        return search(asked, starts, seed=3, budget=budget, backend=backend, **options)

    return call

"""Cases with limits in seconds of a virtual clock: each stage of a plan that depends on time."""

from __future__ import annotations

from itertools import count
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
    on_one_core,
    routes,
    rows,
    scarce,
    tight,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.versions.virtual_clock import VirtualClock

CPU: dict[str, Any] = {"seed": 3, "backend": "cpu"}


def clock_cases(clock: VirtualClock) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield solves and searches with limits in seconds."""
    yield from solves()
    yield from many()
    yield from searches()
    yield from late_lists(clock)


def late_lists(clock: VirtualClock) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield solves and searches whose candidate lists take time."""
    alpha = gls.IteratedLocalSearch(gls.LocalSearch([gls.LinKernighan(3)], gls.Alpha(5)))

    def solved(problem: Callable[[], gls.TSP], seconds: float) -> gls.Result:
        return gls.solve(problem(), seconds, population=16, **CPU)

    def searched(problem: Callable[[], gls.TSP], seconds: float) -> gls.Result:
        asked, budget = problem(), gls.Budget(seconds=seconds)
        return alpha(asked, rows(asked.n, 5), budget=budget, **CPU)

    problems = {"cities": lambda: cities(700), "matrix": lambda: matrix(150)}
    for name, problem in problems.items():
        for needed in (0.3, 3.0):
            for what, call in {"solve": solved, "search": searched}.items():

                def late(
                    c: Any = call, p: Callable[[], gls.TSP] = problem, needed: float = needed
                ) -> gls.Result:
                    clock.lists = needed
                    return c(p, 2.0)

                yield f"clock: lists in {needed} s, {what} of {name}", late


def solves() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield `gls.solve` by kind of problem and amount of time."""
    table: dict[str, tuple[Callable[[], gls.Problem], float, dict[str, Any]]] = {
        "first moments, no time": (lambda: cities(300), 0.0, {}),
        "first moments alone": (lambda: cities(4000), 0.2, {}),
        "first moments, hasty": (lambda: cities(4000), 0.015, {}),
        "first moments, slow": (lambda: cities(4000), 0.4, {}),
        "first moments, little time": (lambda: cities(300), 0.015, {"population": 5}),
        "first moments": (lambda: cities(300), 1.5, {}),
        "first moments, sized": (lambda: cities(300), 1.5, {"population": 17}),
        "first moments, few": (lambda: cities(300), 1.5, {"population": 3}),
        "first moments, real": (lambda: cities(300, "EUC"), 1.1, {}),
        "first moments, target": (lambda: cities(300), 9.0, {"target": 1e9}),
        "target": (lambda: cities(300), 9.0, {"target": 13_250, "population": 16}),
        "few cities": (lambda: cities(9), 0.3, {"population": 16}),
        "GEO": (lambda: cities(150, "GEO"), 1.1, {"population": 16}),
        "first tour": (lambda: matrix(150), 0.02, {}),
        "first tour, too many": (lambda: matrix(150), 0.02, {"population": 4000}),
        "first tour, few": (lambda: matrix(150), 0.02, {"population": 3}),
        "first tour, GEO": (lambda: cities(150, "GEO"), 0.01, {}),
        "matrix": (lambda: matrix(150), 1.5, {"population": 16}),
        "matrix, stirred": (lambda: matrix(9), 4.0, {}),
        "stirred": (lambda: cities(12), 4.0, {}),
        "stirred, few": (lambda: cities(12), 4.0, {"population": 3}),
        "two nodes": (lambda: matrix(90, symmetric=False), 1.5, {"population": 16}),
        "two nodes, no time": (lambda: matrix(90, symmetric=False), 0.03, {}),
        "asymmetric": (lambda: matrix(90, symmetric=False), 0.015, {}),
        "path": (lambda: gls.OpenPath(cities(200)).tsp, 0.7, {"population": 16}),
        "parts": (lambda: cities(12_100), 0.7, {}),
        "parts, no time": (lambda: cities(12_100), 0.01, {}),
        "rows": (lambda: cities(200), 0.7, {"start": rows(200, 20)}),
        "start": (lambda: cities(700), 0.7, {"start": "greedy", "population": 5}),
        "search": (lambda: cities(700), 0.7, {"search": "two_opt+or_opt/nearest(8)"}),
        "kicks in time": (lambda: cities(700), 0.7, {"kicks": 900, "population": 16}),
        "chains": (lambda: routes(120, "fleet"), 0.4, {}),
        "chains, no time": (lambda: routes(120), 0.0, {}),
        "chains, sized": (lambda: routes(120, "fleet"), 0.9, {"population": 5}),
        "fewer vehicles": (lambda: tight(8), 6.0, {"population": 2}),
        "fewer vehicles, limited": (lambda: tight(4, "limited"), 4.0, {"population": 2}),
        "fewer vehicles, several": (lambda: tight(8, "several"), 6.0, {}),
        "fewer vehicles, none": (lambda: routes(200, "real"), 4.0, {}),
        "fewer vehicles, target": (lambda: tight(8), 6.0, {"target": 1e9}),
        "generations": (lambda: routes(45, "fleet"), 9.5, {}),
        "generations, then fewer vehicles": (lambda: tight(4), 11.5, {"population": 3}),
        "generations, limited": (lambda: routes(45, "duration"), 9.5, {"population": 3}),
        "generations, target": (lambda: routes(45), 9.5, {"target": 1e9, "population": 9}),
        "soft": (lambda: scarce(4), 1.5, {}),
        "soft, no time": (lambda: scarce(4), 0.05, {}),
        "directed": (lambda: routes(60, "directed"), 1.5, {}),
        "penalised": (lambda: scarce().penalised(load=3), 1.5, {}),
        "decomposed": (
            lambda: routes(120),
            3.0,
            {"search": gls.Decomposed(LINKED, 500, 4), "population": 3},
        ),
        **{
            kind: (lambda kind=kind: assignments()[kind], 0.7, {"population": 5})
            for kind in assignments()
        },
    }
    for name, (problem, seconds, options) in table.items():
        yield (
            f"clock: {name}",
            lambda p=problem, s=seconds, g=options: gls.solve(p(), s, **CPU, **g),
        )
    yield (
        "clock: route parts",
        lambda: on_one_core(
            lambda: gls.solve(routes(3010, capacity=400), 1.2, population=2, **CPU)
        ),
    )
    begun: dict[str, Callable[[], gls.Problem]] = {
        "cities": lambda: cities(300),
        "matrix": lambda: matrix(150),
        "routes": lambda: routes(45),
        "QAP": lambda: assignments()["QAP"],
    }
    for name, problem in begun.items():
        for calls in (1, 4, 50):
            yield (
                f"clock: Ctrl-C in call {calls}, {name}",
                lambda p=problem, k=calls: gls.solve(p(), 9.5, callback=pressing(k), **CPU),
            )


def pressing(calls: int) -> Callable[[gls.Progress], None]:
    """Return a callback that presses Ctrl-C in one of its calls."""
    numbers = count(1)

    def called(_: gls.Progress) -> None:
        if next(numbers) == calls:
            raise KeyboardInterrupt

    return called


def many() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield `gls.solve_many`, by the time for crossing."""
    random = np.random.default_rng(2)
    alike = random.random((9, 30, 2))
    sizes = [random.random((n, 2)) for n in (1, 5, 8, 30, 31, 60, 100)]
    mixed = [cities(20), cities(25, "EUC"), cities(30), cities(150, "GEO")]
    table: dict[str, tuple[Any, float, dict[str, Any]]] = {
        "crossing": (alike, 2.0, {}),
        "replicas": (alike, 0.7, {"replicas": 2}),
        "little time": (alike, 0.07, {}),
        "no time": (alike, 0.0, {}),
        "lists late": (alike, 0.02, {}),
        "sizes": (sizes, 2.0, {}),
        "metrics": (mixed, 2.0, {}),
        "tiny": (random.random((9, 5, 2)), 1.0, {}),
        "kicks": (alike, 2.0, {"kicks": 300}),
        "alone": ([cities(30), cities(5100)], 0.7, {}),
        "Ctrl-C": (alike, 2.0, {"callback": 5}),
    }
    for name, (problems, seconds, options) in table.items():

        def call(p: Any = problems, s: float = seconds, given: Any = options) -> Any:
            calls = given.get("callback")
            more = given | ({"callback": pressing(calls)} if calls else {})
            return gls.solve_many(p, s, **CPU, **more)

        yield f"clock: many, {name}", call


def searches() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield searches that are called with tours or with states."""
    crossed = gls.IteratedLocalSearch(CHAINS.search, cooperation=gls.EdgeAssembly(0.1))
    climbs = gls.RandomRestarts(CHAINS.search, climbs=400, keep=4)
    table: dict[str, tuple[Any, Callable[[], gls.Problem], int, float, dict[str, Any]]] = {
        "open batch": (CHAINS, lambda: cities(700), 400, 0.95, {}),
        "open batch, little time": (CHAINS, lambda: cities(700), 400, 0.01, {}),
        "open batch, turns": (CHAINS, lambda: cities(700), 400, 0.95, {"memory_limit": 10**6}),
        "descent": (CHAINS.search, lambda: cities(300), 50, 0.12, {}),
        "exhaustive": (
            gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best()),
            lambda: cities(200),
            50,
            0.12,
            {},
        ),
        "sweeps": (gls.LocalSearch(pivoting=gls.Best()), lambda: cities(200), 50, 0.12, {}),
        "chains": (CHAINS, lambda: cities(700), 5, 0.7, {}),
        "turns": (CHAINS, lambda: cities(700), 40, 1.5, {"memory_limit": 60_000}),
        "crossed": (crossed, lambda: cities(700), 9, 0.7, {}),
        "stirred": (crossed, lambda: cities(12), 99, 3.0, {}),
        "stalled": (
            gls.IteratedLocalSearch(CHAINS.search, restart_after=3),
            lambda: cities(700),
            5,
            0.7,
            {},
        ),
        "stepped": (
            gls.IteratedLocalSearch(gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best())),
            lambda: cities(200),
            5,
            0.7,
            {},
        ),
        "linked": (LINKED, lambda: routes(90), 5, 0.7, {}),
        "priced": (LINKED, lambda: scarce(4).penalised(load=9), 5, 0.7, {}),
        "generations": (GENETIC, lambda: routes(90), 4, 1.5, {}),
        "generations, no time": (GENETIC, lambda: routes(90), 4, 0.0, {}),
        "decomposed whole": (gls.Decomposed(LINKED, 500, 3), lambda: routes(120), 3, 1.5, {}),
        "two nodes": (gls.Symmetrised(), lambda: matrix(90, symmetric=False), 5, 0.7, {}),
    }
    for name, (search, problem, size, seconds, options) in table.items():

        def call(
            s: Any = search, p: Any = problem, k: int = size, t: float = seconds, g: Any = options
        ) -> gls.Result:
            asked = p()
            routed = isinstance(asked, gls.CVRP)
            starts = gls.savings(asked, size=k, **CPU) if routed else rows(asked.n, k)
            found: gls.Result = s(asked, starts, budget=gls.Budget(seconds=t), **CPU, **g)
            return found

        yield f"clock: search, {name}", call
    yield (
        "clock: search, restarts",
        lambda: climbs(cities(700), budget=gls.Budget(seconds=0.2), **CPU),
    )
    kinds = {
        "usual": gls.SuccessorSearch(),
        "tabu": gls.SuccessorSearch(improvement="tabu"),
        "annealed": gls.SuccessorSearch(accept=gls.Annealing()),
    }
    for kind in assignments():
        for name, states in kinds.items():

            def run(s: Any = states, k: str = kind) -> gls.Result:
                problem = assignments()[k]
                empty = np.full((5, problem.n), -1, np.int32)
                found: gls.Result = s(problem, empty, budget=gls.Budget(seconds=0.7), **CPU)
                return found

            yield f"clock: states, {name} {kind}", run
    yield (
        "clock: fewest colours",
        lambda: gls.fewest_colours(gls.GraphColouring.random(90, 0.4, 1, seed=3), 1.5, **CPU),
    )

"""Shortcuts on a CPU: neither tables of lengths nor loads tested in advance change a search."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.routes.problem.resources.load import Load
from gpu_ls_plugin.tours.kernels import sites
from tests.helpers.marks import slow_after
from tests.helpers.routing import giant_tours, random_cvrp

MOVES = [gls.TwoOpt(), gls.Relocate(3), gls.Exchange(2, 2), gls.TwoOptStar(), gls.SwapStar()]


def on_a_grid(width: int) -> gls.CVRP:
    places = np.random.default_rng(1).integers(0, width, (41, 2))
    return gls.CVRP(places, [0] + 40 * [3], 20)


PROBLEMS = {
    "shorts": lambda: on_a_grid(900),
    "integers": lambda: on_a_grid(90_000),
    "reals": lambda: random_cvrp("real duration", 40, 2),
}
FIRST = gls.LocalSearch(MOVES)
SEARCHES = [
    gls.LocalSearch(MOVES, pivoting=gls.Multi()),
    gls.LocalSearch(MOVES, pivoting=gls.Best()),
    gls.IteratedLocalSearch(FIRST, perturbation=gls.StringRemoval()),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "search"),
    slow_after(1, [*((k, FIRST) for k in PROBLEMS), *(("shorts", s) for s in SEARCHES)]),
)
def test_searches_find_the_same_without_a_table_of_lengths(kind, search, monkeypatch):
    budget = gls.Budget(kicks=30) if isinstance(search, gls.IteratedLocalSearch) else None
    tables, table_of = [], sites.table_of
    monkeypatch.setattr(
        sites, "table_of", lambda *given: tables.append(table_of(*given)) or tables[-1]
    )

    def found():
        problem = PROBLEMS[kind]()
        return search(problem, giant_tours(problem, 6), seed=1, budget=budget, backend="cpu")

    tabled = found()
    monkeypatch.setattr(sites, "LARGEST_TABLE", 0)
    computed = found()
    assert tables == [kind, ""]
    np.testing.assert_array_equal(tabled.tours, computed.tours)
    np.testing.assert_array_equal(tabled.costs, computed.costs)


class SecondLoad(Load):
    """The load as a second resource. Moves test only the first resource in advance."""

    name = "second_load"

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity

    def words(self, backend: Any, problem: Any) -> list[Any]:
        given = {"demands": problem.demands, "customers": problem.customers}
        limited: Any = SimpleNamespace(**given, capacity=self.capacity)
        return super().words(backend, limited)

    def excess(self, problem: Any, rows: Any) -> Any:
        return np.maximum(problem.route_sums(rows).loads - self.capacity, 0).sum(axis=1)


def without_shortcuts(problem: gls.CVRP) -> gls.CVRP:
    """Return the same problem with its capacity as a limit of a second resource."""
    same = gls.CVRP(
        problem.nodes.coordinates,
        problem.demands,
        int(problem.demands.sum()),
        metric=problem.nodes.metric,
        service_times=problem.service_times,
        route_limit=problem.route_limit,
        copies=problem.copies,
    )
    return same.with_resources(SecondLoad(problem.capacity))


@pytest.mark.parametrize("kind", slow_after(1, ["capacity", "real duration", "real", "duration"]))
def test_searches_find_the_same_without_a_test_of_loads_in_advance(kind):
    problem = random_cvrp(kind, 60, 7)
    search = gls.LocalSearch(MOVES[:4], candidates=gls.Nearest(10))
    starts = np.concatenate(
        [
            gls.savings(problem, size=20, seed=1, backend="cpu"),
            gls.one_route_each(problem, size=5, seed=2, backend="cpu"),
            giant_tours(problem, 10, 3),  # half of them infeasible
        ]
    )
    found = search(problem, starts, seed=1, backend="cpu")
    plain = search(without_shortcuts(problem), starts, seed=1, backend="cpu")
    feasible = problem.feasible(starts)
    assert feasible.sum() >= 25
    assert found.tours[feasible].tolist() == plain.tours[feasible].tolist()
    assert found.statistics.moves > 100

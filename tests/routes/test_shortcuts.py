"""A shortcut on a CPU: tables of lengths change no search of routes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.tours.kernels import sites
from tests.helpers.marks import slow_after
from tests.helpers.routing import giant_tours, random_cvrp

OVER_ALL = gls.LocalSearch([gls.TwoOpt(), gls.Relocate(3), gls.Exchange(2, 2)], gls.All())


def on_a_grid(width: int) -> gls.CVRP:
    places = np.random.default_rng(1).integers(0, width, (41, 2))
    return gls.CVRP(places, [0] + 40 * [3], 20)


PROBLEMS = {
    "shorts": lambda: on_a_grid(900),
    "integers": lambda: on_a_grid(90_000),
    "reals": lambda: random_cvrp("real duration", 40, 2),
}
LINKED = gls.LocalSearch([gls.RouteMoves(), gls.SwapStar()])
CHAINS = gls.IteratedLocalSearch(LINKED, gls.StringRemoval())
SEARCHES = [replace(OVER_ALL, pivoting=gls.Multi()), LINKED, CHAINS]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "search"),
    slow_after(1, [*((k, OVER_ALL) for k in PROBLEMS), *(("shorts", s) for s in SEARCHES)]),
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

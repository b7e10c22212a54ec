"""Lengths of all pairs in a table, which searches of vehicle routing read on a CPU."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.tours.kernels import sites
from tests.helpers.routing import giant_tours, random_cvrp


def loaded(width):
    places = np.random.default_rng(1).integers(0, width, (41, 2))
    return gls.CVRP(places, [0] + 40 * [3], 20)


KINDS = {
    "shorts": lambda: loaded(900),
    "integers": lambda: loaded(90_000),
    "reals": lambda: random_cvrp("real duration", 40, 2),
}
MOVES = [gls.TwoOpt(), gls.Relocate(3), gls.Exchange(2, 2), gls.TwoOptStar(), gls.SwapStar()]
SEARCHES = {
    "first": gls.LocalSearch(MOVES),
    "multi": gls.LocalSearch(MOVES, pivoting=gls.Multi()),
    "best": gls.LocalSearch(MOVES, pivoting=gls.Best()),
    "iterated": gls.IteratedLocalSearch(gls.LocalSearch(MOVES), perturbation=gls.RuinRecreate()),
}


CASES = [
    pytest.param(kind, search, marks=[pytest.mark.slow] * ((kind, name) != ("shorts", "first")))
    for kind in KINDS
    for name, search in SEARCHES.items()
    if kind == "shorts" or name == "first"
]


@pytest.mark.parametrize(("kind", "search"), CASES)
def test_searches_find_what_they_find_without(kind, search, monkeypatch):
    budget = gls.Budget(kicks=30) if isinstance(search, gls.IteratedLocalSearch) else None

    tables, table_of = [], sites.table_of
    monkeypatch.setattr(
        sites, "table_of", lambda *given: tables.append(table_of(*given)) or tables[-1]
    )

    def found():
        problem = KINDS[kind]()
        return search(problem, giant_tours(problem, 6), seed=1, budget=budget, backend="cpu")

    tabled = found()
    monkeypatch.setattr(sites, "LARGEST_TABLE", 0)
    computed = found()
    assert tables == [kind, ""]
    np.testing.assert_array_equal(tabled.tours, computed.tours)
    np.testing.assert_array_equal(tabled.costs, computed.costs)

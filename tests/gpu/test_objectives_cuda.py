"""Objectives: each engine returns the same tours on both backends."""

from __future__ import annotations

import pytest

import gpu_ls_plugin as gls
from tests.helpers.both_backends import assert_same_result
from tests.helpers.random_problems import random_problem, random_tours
from tests.tours.objectives.third_party import Forbidden, Tolls, some_tolls

pytestmark = pytest.mark.gpu

USUAL = (gls.TwoOpt(), gls.OrOpt(3))
SEARCHES = {
    **{
        f"{rule} {name}": gls.LocalSearch(moves, candidates=gls.Nearest(8), pivoting=rule)
        for rule in (gls.First(), gls.Multi(), gls.Best())
        for name, moves in (("usual", USUAL), ("chains", [gls.LinKernighan()]))
    },
    "2-opt": gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best()),
    "3-opt": gls.LocalSearch([gls.ThreeOpt()], gls.All(), gls.Best()),
    "random": gls.LocalSearch([gls.ThreeOpt()], gls.All(), gls.RandomK(500)),
    "filtered": gls.LocalSearch([gls.FilteredNeighbourhood(gls.ThreeOpt(), gls.GainBound())]),
    "fused": gls.IteratedLocalSearch(gls.LocalSearch(candidates=gls.Nearest(8))),
    "stepped": gls.IteratedLocalSearch(
        gls.LocalSearch(pivoting=gls.Multi(), candidates=gls.Nearest(8)), gls.DoubleBridge(50)
    ),
}


@pytest.mark.parametrize("kind", [Tolls, Forbidden])
@pytest.mark.parametrize("name", SEARCHES)
def test_both_backends_return_the_same_tours(name, kind):
    n = 70
    tolls = some_tolls(n, 3, share=0.2, most=300)
    problem = random_problem("EUC_2D", n, 3, 1000).under(kind(tolls))
    starts, budget = random_tours(n, 5, 3), gls.Budget(kicks=40)
    if isinstance(SEARCHES[name], gls.LocalSearch):
        budget = None
    assert_same_result(SEARCHES[name], problem, starts, seed=2, budget=budget)


@pytest.mark.parametrize("kind", [Tolls, Forbidden])
def test_parts_of_tours_are_searched_under_an_objective(kind):
    n = 600
    problem = random_problem("EUC_2D", n, 3, 10_000).under(kind(some_tolls(n, 3, most=3000)))
    search = gls.IteratedLocalSearch(gls.LocalSearch(candidates=gls.Nearest(8)), part=100)
    starts, budget = random_tours(n, 2, 3), gls.Budget(kicks=5000)
    found = search(problem, starts, budget=budget, backend="cuda")
    descent = search.search(problem, starts, backend="cuda")
    assert (found.costs < descent.costs).all()
    assert found.costs.tolist() == problem.cost(found.tours).tolist()

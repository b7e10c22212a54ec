"""Which engine serves a search, and which candidate lists it needs."""

from __future__ import annotations

from typing import Any

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.engines import engines
from gpu_ls_plugin.tours.engines.exhaustive.two_opt_climb import BOUND_CANDIDATES
from tests.helpers.configurations import EXHAUSTIVE, RANDOM
from tests.helpers.configurations import FILTERED as SEARCHES_BY_FILTER
from tests.helpers.random_problems import random_problem
from tests.helpers.routing import random_cvrp

NEAR = gls.Nearest(6)
FILTERED = gls.FilteredNeighbourhood(gls.ThreeOpt(), gls.GainBound())
TWO, THREE = [gls.TwoOpt()], [gls.ThreeOpt()]
SERVED: dict[str, tuple[gls.LocalSearch, str, set[Any]]] = {
    "first": (gls.LocalSearch([gls.TwoOpt(), gls.OrOpt(3)], NEAR), "descent", {NEAR}),
    "multi": (gls.LocalSearch(THREE, NEAR, gls.Multi(4)), "multi_descent", {NEAR}),
    "best": (gls.LocalSearch(TWO, NEAR, gls.Best()), "best_sweep", {NEAR}),
    "all 2-opt": (gls.LocalSearch(TWO, gls.All(), gls.Best()), "two_opt_climb", {BOUND_CANDIDATES}),
    "all 3-opt": (gls.LocalSearch(THREE, gls.All(), gls.Best()), "three_opt_climb", set()),
    "samples": (gls.LocalSearch(THREE, gls.All(), gls.RandomK(9)), "random_k", set()),
    "filtered": (gls.LocalSearch([FILTERED], pivoting=gls.Best()), "filtered", {gls.Nearest(1)}),
    "filtered, on lists": (
        gls.LocalSearch([FILTERED], NEAR, gls.First()),
        "filtered",
        {NEAR, gls.Nearest(1)},
    ),
}


@pytest.mark.parametrize("name", SERVED)
def test_only_the_lists_that_an_engine_reads_are_made(name, monkeypatch):
    search, engine, lists = SERVED[name]
    made = set()

    def ready(self: Candidates, problem: gls.TSP, seconds: float) -> bool:
        made.add(self)
        return True

    for kind in {Candidates, *map(type, lists)}:
        monkeypatch.setattr(kind, "ready", ready)
    assert engines.choose(search).__name__ == engine
    assert engines.ready(search, get_backend("cpu"), random_problem("EUC_2D", 30), 1.0)
    assert made == lists


def test_routes_with_other_prices_share_lists(monkeypatch):
    """The lists are those of depot and customers; prices change every other generation."""
    made = []
    build = gls.Nearest.build
    monkeypatch.setattr(
        gls.Nearest, "build", lambda self, problem: made.append(problem) or build(self, problem)
    )
    problem, search = random_cvrp("capacity", 30), gls.LocalSearch([gls.RouteMoves()], NEAR)
    tours = gls.savings(problem, 2, backend="cpu")
    for price in (1, 2, 3):
        search(problem.penalised(load=price), tours, backend="cpu")
    assert made == [problem.nodes]


def test_the_engine_refuses_lists_that_are_too_long():
    search = gls.LocalSearch(TWO, gls.All())
    problem = random_problem("EUC_2D", 900)
    assert engines.ready(search, get_backend("cpu"), problem, 0.0)
    with pytest.raises(InvalidParameterError, match="the limit is 800"):
        search(problem, gls.random_tours(problem, 1), backend="cpu")


@pytest.mark.parametrize("search", (EXHAUSTIVE | RANDOM | SEARCHES_BY_FILTER).values(), ids=str)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_up_to_three_cities_have_no_moves(search, n):
    result = search(random_problem("EUC_2D", n), [range(n)], backend="cpu")
    assert result.tours.tolist() == [list(range(n))]
    counted = result.statistics
    assert (counted.passes, counted.evaluations, counted.moves) == (0, 0, 0)
    assert counted.stopped_by == "optimum"


@pytest.mark.parametrize(
    "moves", [[gls.OrOpt(3)], [gls.TwoOpt(), gls.OrOpt(3)], [gls.LinKernighan()]], ids=str
)
def test_neighbourhoods_that_no_engine_serves_are_refused(moves):
    with pytest.raises(InvalidParameterError, match=r"over All\(\) cities"):
        gls.LocalSearch(moves, candidates=gls.All(), pivoting=gls.Best())

"""Problems and parameters that parts of vehicle routing refuse."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from tests.helpers.random_problems import random_problem, random_tours
from tests.helpers.routing import giant_tours, random_cvrp
from tests.routes.time_windows import TimeWindows

LISTS = gls.Nearest(8)
ROUTE_MOVES = gls.LocalSearch([gls.RouteMoves()], LISTS)
STRINGS, PRICED = gls.StringRemoval(), gls.PricedMigration()
LARGE_DEMANDS = gls.CVRP(np.arange(20).reshape(10, 2) ** 2 % 37, [0, *[10**9] * 9], 2 * 10**9)
LARGE_ROWS = np.tile(LARGE_DEMANDS.tour([[c] for c in range(1, 10)]), (2, 1))


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (ROUTE_MOVES, "route_moves changes routes"),
        (STRINGS.perturb, "routes"),
        (gls.IteratedLocalSearch(perturbation=STRINGS), "routes"),
        (gls.IteratedLocalSearch(ROUTE_MOVES, STRINGS, cooperation=PRICED), "routes"),
        (gls.Decomposed(), "no routes"),
        (gls.HybridGeneticSearch(), "no routes"),
    ],
)
def test_tours_without_routes(call, match):
    with pytest.raises(UnsupportedProblemError, match=match):
        call(random_problem("EUC_2D", 20), random_tours(20, 2), backend="cpu")


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best()), "direction matters"),
        (gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Multi()), "direction matters"),
        (gls.Decomposed(), "no method of_nodes"),
    ],
)
def test_resources_of_plugins(call, match):
    problem = random_cvrp("capacity", 12)
    windowed = problem.with_resources(TimeWindows(np.tile([0, 9999], (13, 1))))
    with pytest.raises(UnsupportedProblemError, match=match):
        call(windowed, giant_tours(problem, 2), backend="cpu")


@pytest.mark.parametrize(
    "call",
    [
        partial(gls.solve, seconds=1.0),
        partial(gls.solve, seconds=1.0, search=ROUTE_MOVES),
        partial(gls.plan, seconds=1.0),
        partial(STRINGS.perturb, tours=LARGE_ROWS),
        partial(gls.IteratedLocalSearch(ROUTE_MOVES, STRINGS), tours=LARGE_ROWS),
        partial(ROUTE_MOVES, tours=LARGE_ROWS),
    ],
)
def test_demands_that_are_too_large_for_linked_lists(call):
    match = "demands: their total of 9,000,000,000 is more than 2,147,483,647; divide demands"
    with pytest.raises(UnsupportedProblemError, match=match):
        call(LARGE_DEMANDS, backend="cpu")


def test_few_customers_with_large_demands_are_enumerated():
    few = gls.CVRP([(0, 0), (1, 0), (0, 1)], [0, 2 * 10**9, 2 * 10**9], 2 * 10**9)
    assert gls.solve(few, 1.0, backend="cpu").best_cost == 4


def test_searches_that_keep_nothing_of_a_tour():
    problem = random_cvrp("capacity", 12)
    search = gls.LocalSearch([gls.TwoOpt()], candidates=gls.All(), pivoting=gls.RandomK(100))
    with pytest.raises(UnsupportedProblemError):
        search(problem, giant_tours(problem, 2), backend="cpu")


class Reversal:
    """A kick by a user, who gives an object with a method `perturb`."""

    def perturb(self, problem, tours, *, seed=0, backend="auto"):
        return tours[:, ::-1]


@pytest.mark.parametrize("kick", [gls.DoubleBridge(), gls.Restart(), Reversal()])
def test_chains_of_routes_with_other_kicks(kick):
    problem = random_cvrp("capacity", 12)
    for search in (gls.IteratedLocalSearch(ROUTE_MOVES, kick), gls.Decomposed(customers=5)):
        if isinstance(search, gls.Decomposed):
            search = replace(search, search=gls.IteratedLocalSearch(ROUTE_MOVES, kick))
        with pytest.raises(UnsupportedProblemError, match=r"use .*StringRemoval\(\)"):
            search(problem, giant_tours(problem, 4), budget=gls.Budget(kicks=30), backend="cpu")


def test_the_default_kick_of_routes():
    problem = random_cvrp("capacity", 12)
    starts, options = giant_tours(problem, 4), {"budget": gls.Budget(kicks=30), "backend": "cpu"}
    found = gls.IteratedLocalSearch(ROUTE_MOVES)(problem, starts, **options)
    other = gls.IteratedLocalSearch(ROUTE_MOVES, STRINGS)(problem, starts, **options)
    assert (found.tours == other.tours).all() and found.statistics.kicks == 120


ARRAYS = gls.LocalSearch([gls.TwoOpt(), gls.OrOpt(3)], LISTS)


@pytest.mark.parametrize(
    "call",
    [
        ARRAYS,
        replace(ARRAYS, pivoting=gls.Multi()),
        replace(ARRAYS, pivoting=gls.Best()),
        gls.LocalSearch([gls.LinKernighan(3)], gls.Alpha(5)),
        gls.IteratedLocalSearch(ARRAYS, STRINGS),
        gls.IteratedLocalSearch(),
        partial(gls.solve, seconds=1.0, search=ARRAYS),
    ],
)
def test_searches_of_routes_on_candidate_lists(call):
    problem = random_cvrp("capacity", 12)
    given = [] if isinstance(call, partial) else [giant_tours(problem, 4)]
    match = r"use LocalSearch\(\[RouteMoves\(\)\], Nearest\(20\)\), or candidates=All\(\)"
    with pytest.raises(UnsupportedProblemError, match=match):
        call(problem, *given, backend="cpu")


@pytest.mark.parametrize(
    "given",
    [
        {"neighbourhoods": [gls.RouteMoves(), gls.TwoOpt()]},
        {"neighbourhoods": [gls.SwapStar()]},
        {"neighbourhoods": [gls.SwapStar(), gls.RouteMoves()]},
        {"neighbourhoods": [gls.RouteMoves(), gls.SwapStar(), gls.SwapStar()]},
        {"pivoting": gls.Best()},
        {"candidates": gls.All()},
    ],
)
def test_route_moves_with_other_parts(given):
    with pytest.raises(InvalidParameterError, match=r"RouteMoves\(\) must be alone"):
        gls.LocalSearch(**{"neighbourhoods": [gls.RouteMoves()], "candidates": LISTS, **given})


WRONG_KINDS = [
    (gls.StringRemoval, {"removed": 1.5}),
    (gls.Decomposed, {"rounds": 1.5}),
    (gls.Decomposed, {"search": gls.LocalSearch()}),
    (gls.HybridGeneticSearch, {"search": "route_moves"}),
    (gls.HybridGeneticSearch, {"crossover": gls.EdgeAssembly()}),
    (gls.HybridGeneticSearch, {"crossover": []}),
    (gls.HybridGeneticSearch, {"crossover": [gls.SplitRecombination(), gls.EdgeAssembly()]}),
]
OUT_OF_RANGE = {
    gls.StringRemoval: {"removed": 0, "longest": 0, "split": 1.5},
    gls.PricedMigration: {"share": 1.5, "feasible": -0.1, "every": 0},
    gls.Decomposed: {"customers": 0, "rounds": 0, "chains": 0},
    gls.HybridGeneticSearch: {
        **{"size": 1, "children": 1, "elite": -1, "feasible": 1.5},
        **{"patience": 0, "migration": 0},
    },
}


@pytest.mark.parametrize(
    ("error", "part", "given"),
    [
        *((InvalidTypeError, *wrong) for wrong in WRONG_KINDS),
        *(
            (InvalidParameterError, part, {name: value})
            for part, wrong in OUT_OF_RANGE.items()
            for name, value in wrong.items()
        ),
    ],
)
def test_wrong_parameters(error, part, given):
    with pytest.raises(error, match=next(iter(given))):
        part(**given)


@pytest.mark.parametrize(
    "shares", [{"begin_share": -0.1}, {"end_share": 1.1}, {"begin_share": 0.6, "end_share": 0.5}]
)
def test_wrong_shares_of_a_run(shares):
    problem = random_cvrp("capacity", 12)
    with pytest.raises(InvalidParameterError, match="_share"):
        gls.Decomposed()(problem, giant_tours(problem, 2), backend="cpu", **shares)

"""A search warns its caller if the best row breaks a constraint."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InfeasibleWarning
from gpu_ls_plugin.core.feasibility import violation, why_infeasible
from tests.helpers.bin_packing import BinPacking

CPU = {"backend": "cpu", "seed": 1}
KICKS = gls.Budget(kicks=2)
# The capacity of two vehicles exceeds all demands, but no division of the customers fits.
ROUTES = gls.CVRP(
    np.random.default_rng(2).random((4, 2)) * 50, [0, 3, 3, 3], 5, vehicles=2, copies=3
)
STATES = BinPacking([3, 4, 5, 6], 2, 7)
DESCENT = gls.LocalSearch([gls.RouteMoves()], gls.Nearest(8))


def starts(problem=ROUTES):
    return gls.random_tours(problem, 4, seed=1)


SEARCHES = {
    "local search": lambda: DESCENT(ROUTES, starts(), **CPU),
    "iterated": lambda: gls.IteratedLocalSearch(DESCENT)(ROUTES, starts(), budget=KICKS, **CPU),
    "restarts": lambda: gls.RandomRestarts(DESCENT, climbs=4)(ROUTES, **CPU),
    "generations": lambda: gls.HybridGeneticSearch(size=4, children=4)(
        ROUTES, starts(), budget=KICKS, **CPU
    ),
    "parts": lambda: gls.Decomposed()(ROUTES, starts(), budget=KICKS, **CPU),
    "states": lambda: gls.SuccessorSearch()(STATES, budget=KICKS, **CPU),
    "solve routes": lambda: gls.solve(ROUTES, 60.0, kicks=2, population=4, **CPU),
    "solve states": lambda: gls.solve(STATES, 60.0, kicks=2, moves=20, **CPU),
}


@pytest.mark.parametrize("search", SEARCHES)
def test_a_result_without_a_feasible_row_warns_its_caller(search):
    with pytest.warns(InfeasibleWarning, match="the best row breaks a constraint") as caught:
        found = SEARCHES[search]()
    assert [warning.filename for warning in caught] == [__file__]
    assert not found.best_feasible and not found.feasible.any()


def test_the_warning_names_the_constraint():
    with pytest.warns(
        InfeasibleWarning, match=r"\(route 1: load 6, 1 more than 5\)|routes, 1 more"
    ):
        SEARCHES["local search"]()


def test_the_warning_counts_further_complaints():
    problem = gls.CVRP([(0, 0), *[(5, 0)] * 4], [0, 3, 3, 3, 3], 5, copies=4)
    found = SimpleNamespace(problem=problem, best_tour=problem.tour([[1, 2], [3, 4]]))
    assert "(route 1: load 6, 1 more than 5; 1 more)" in why_infeasible(found)
    found.best_tour = problem.tour([[1, 2], [3], [4]])
    assert "(route 1: load 6, 1 more than 5)" in why_infeasible(found)


def test_one_feasible_row_is_enough():
    wide = gls.CVRP(np.random.default_rng(2).random((4, 2)) * 50, [0, 3, 3, 3], 6, copies=3)
    rows = np.stack([wide.tour([[1, 2, 3]]), wide.tour([[1, 2], [3]])])
    problem = wide.penalised(load=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert DESCENT(wide, rows, **CPU).best_feasible
        assert DESCENT(problem, rows, budget=gls.Budget(moves=0), **CPU).best_feasible


def test_violations_are_zero_for_feasible_rows_only():
    rows = starts()
    states = np.array([[0, 0, 1, 1], [0, 1, -1, 0], [0, 1, 1, 1]])
    free = BinPacking([3, 4, 5, 6], 2, 99)
    for problem, some in ((ROUTES, rows), (STATES, states), (free, states)):
        np.testing.assert_array_equal(violation(problem, some) == 0, problem.feasible(some))
    loose = gls.TSP(np.random.default_rng(0).random((5, 2)))
    assert not violation(loose, gls.random_tours(loose, 3, seed=1)).any()

"""Searches of asymmetric problems as symmetric ones."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.plugins.search_text import parse_search, text_of
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.plans import default_settings

ALONE = gls.Symmetrised()
SEARCH = gls.Symmetrised(replace(ALONE.search, cooperation=gls.EdgeAssembly()))
KICKS, FEW = gls.Budget(kicks=60), gls.Budget(kicks=5)


def problem_of(n: int, seed: int = 1) -> gls.TSP:
    return gls.TSP.from_matrix(np.random.default_rng(seed).integers(1, 1000, (n, n)))


def test_costs_are_exact_and_results_reproducible():
    problem = problem_of(60)
    starts = gls.random_tours(problem, 16, seed=1, backend="cpu")
    given, told = starts.copy(), []
    found, again, other = (
        SEARCH(problem, starts, seed=s, budget=FEW, backend="cpu", callback=told.append)
        for s in (2, 2, 3)
    )
    assert (starts == given).all() and (found.tours == again.tours).all()
    assert (found.tours != other.tours).any()
    assert (found.costs == problem.cost(found.tours)).all()
    assert found.costs.max() <= problem.cost(starts).max()
    history = found.statistics.history
    assert history[-1].best_cost == found.best_cost
    assert problem.cost(starts).max() >= told[0].best_cost >= found.best_cost


@pytest.mark.parametrize("n", [1, 2, 4, 5, 7])
def test_small_problems_are_solved(n):
    problem = problem_of(n)
    every = np.array([(0, *rest) for rest in permutations(range(1, n))])
    starts = gls.random_tours(problem, 16, seed=1, backend="cpu")
    found = SEARCH(problem, starts, budget=KICKS, backend="cpu")
    assert found.best_cost <= problem.cost(starts).min()
    assert found.best_cost == problem.cost(every).min()


@pytest.mark.slow
def test_symmetric_problems_are_searched_directly():
    problem = gls.TSP(np.random.default_rng(1).integers(0, 100, (40, 2)), "EUC_2D")
    starts = gls.random_tours(problem, 8, seed=1, backend="cpu")
    call = {"seed": 1, "budget": KICKS, "backend": "cpu"}
    assert (
        SEARCH(problem, starts, **call).tours == SEARCH.search(problem, starts, **call).tours
    ).all()


def test_a_target_ends_it():
    problem = problem_of(30)
    starts = gls.random_tours(problem, 16, seed=1, backend="cpu")
    target = float(problem.cost(starts).min())
    found = SEARCH(problem, starts, budget=replace(KICKS, target=target), backend="cpu")
    assert found.statistics.stopped_by == "target" and found.best_cost <= target


def test_problems_without_a_symmetric_form_are_refused():
    real = gls.TSP.from_matrix(np.random.default_rng(1).random((9, 9)))
    with pytest.raises(UnsupportedProblemError, match="two nodes per city"):
        SEARCH(real, gls.random_tours(real, 2, seed=1, backend="cpu"), backend="cpu")
    with pytest.raises(InvalidTypeError, match="search"):
        gls.Symmetrised(gls.LocalSearch())


def test_it_is_written_as_text():
    assert parse_search("symmetrised") == ALONE
    assert parse_search(text_of(ALONE)) == ALONE


def test_solve_uses_it_if_time_suffices():
    problem = problem_of(40)
    for seconds, wanted in ((1.0, True), (0.01, False)):
        chosen = default_settings(problem, Settings(seconds=seconds, backend="cpu"))
        assert isinstance(chosen.search, gls.Symmetrised) == wanted
        again = default_settings(problem, chosen)
        assert again == chosen
    given = default_settings(problem, Settings(search="three_opt/nearest(5)", backend="cpu"))
    assert not isinstance(given.search, gls.Symmetrised)
    found = gls.solve(problem, 0.3, backend="cpu")
    assert found.best_cost == problem.cost(found.best_tour)[0]
    assert "two nodes" in found.statistics.phases

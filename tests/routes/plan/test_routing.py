"""Solving vehicle routing problems in one call: starts, feasible tours first, Ctrl-C."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.plans import default_settings
from tests.helpers.marks import slow_after
from tests.helpers.routing import random_cvrp

CPU = {"backend": "cpu", "seconds": 0.2, "population": 4}


@pytest.mark.parametrize("kind", slow_after(1, ["capacity", "real duration", "directed"]))
def test_solve_returns_feasible_routes(kind):
    problem = random_cvrp(kind, 30)
    result = gls.solve(problem, **CPU)
    assert problem.feasible(result.tours).all()
    np.testing.assert_allclose(result.costs, problem.cost(result.tours), rtol=1e-12)
    assert result.best_cost == result.costs[0] == result.costs.min()
    start = gls.savings(problem, size=4, seed=1, backend="cpu")
    assert result.best_cost < problem.cost(start).min()


def test_default_settings():
    problem = random_cvrp("capacity", 30)
    settings = default_settings(problem, Settings(backend="cpu"))
    assert settings.start == "savings" and settings.population >= 2
    assert not isinstance(settings.search.cooperation, gls.EdgeAssembly)
    assert gls.TwoOpt() in settings.search.search.neighbourhoods
    directed = default_settings(random_cvrp("directed", 30), Settings(backend="cpu"))
    assert gls.TwoOpt() not in directed.search.search.neighbourhoods
    named = Settings(backend="cpu", start="sweep", population=3, search="or_opt/nearest(5)")
    settings = default_settings(problem, named)
    assert (settings.start, settings.population) == ("sweep", 3)
    assert settings.search.search == gls.LocalSearch([gls.OrOpt(3)], candidates=gls.Nearest(5))


def test_chains_show_their_best_tours():
    problem, seen = random_cvrp("duration", 30), []

    def look(progress):
        tours = progress.best_tours()
        assert problem.check(tours).shape == (4, problem.n)
        assert problem.tsp.cost(tours).min() == progress.best_cost
        seen.append(tours)

    gls.solve(problem, callback=look, **CPU)
    assert len(seen) > 1 and not np.shares_memory(seen[0], seen[1])


def test_problems_without_constraints_show_no_best_tours():
    seen = []
    gls.solve(gls.TSP(np.random.default_rng(1).random((30, 2))), callback=seen.append, **CPU)
    assert {progress.best_tours for progress in seen} == {None}


def test_an_interrupt_before_the_search_returns_the_starts(monkeypatch):
    problem = random_cvrp("capacity", 12)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("gpu_ls_plugin.tours.plan.preparation.with_lists", interrupted)
    result = gls.solve(problem, **CPU)
    assert result.statistics.interrupted and problem.feasible(result.tours).all()


def test_feasible_rows_come_first():
    problem = gls.CVRP([(0, 0), (0, 3), (0, 5), (4, 0)], [0, 2, 2, 3], 4, vehicles=3)
    routes = [[[1, 2, 3]], [[1], [2], [3]], [[3], [2, 1]], [[2, 1, 3]]]
    rows = np.stack([problem.tour(each) for each in routes])
    result = gls.Result(rows, problem.cost(rows), problem=problem)
    assert result.best_cost == 18 and problem.routes(result.best_tour) == [[3], [2, 1]]
    assert result.sorted().costs.tolist() == [18, 24, *sorted(problem.cost(rows)[[0, 3]])]
    assert problem.feasible(result.sorted().tours).tolist() == [True, True, False, False]
    assert problem.feasible(result.distinct(2).tours).tolist() == [True, True]
    alone = gls.Result(rows[[0, 3]], problem.cost(rows)[[0, 3]], problem=problem)
    assert alone.best_cost == alone.costs.min()


def test_results_are_saved_and_loaded(tmp_path):
    problem = random_cvrp("capacity", 12)
    result = gls.solve(problem, **CPU)
    result.save(tmp_path / "a.json")
    again = gls.Result.load(tmp_path / "a.json", problem)
    np.testing.assert_array_equal(again.best_tour, result.best_tour)

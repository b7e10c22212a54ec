"""Solves of routes: default settings, feasible tours, and generations as the first stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.routes.plan import first_generations as opening
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.plans import default_settings, plan_of
from gpu_ls_plugin.solver.run import joined
from tests.helpers.marks import slow_after
from tests.helpers.routing import random_cvrp

if TYPE_CHECKING:
    from gpu_ls_plugin.runs.plan import Stage

CPU = {"backend": "cpu", "seed": 1}
SHORT = {"backend": "cpu", "seconds": 0.2, "population": 4}
SMALL = gls.HybridGeneticSearch(size=6, children=6)


@pytest.mark.parametrize("kind", slow_after(1, ["capacity", "real duration", "directed"]))
def test_solve_returns_feasible_routes(kind):
    problem = random_cvrp(kind, 30)
    result = gls.solve(problem, **SHORT)
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
    assert settings.search.search.neighbourhoods == (gls.RouteMoves(),)
    named = Settings(backend="cpu", start="sweep", population=3, search="route_moves/nearest(5)")
    settings = default_settings(problem, named)
    assert (settings.start, settings.population) == ("sweep", 3)
    assert settings.search.search == gls.LocalSearch([gls.RouteMoves()], candidates=gls.Nearest(5))


def test_chains_show_their_best_tours():
    problem, seen = random_cvrp("duration", 30), []

    def look(progress):
        tours = progress.best_tours()
        assert problem.check(tours).shape == (4, problem.n)
        assert problem.tsp.cost(tours).min() == progress.best_cost
        seen.append(tours)

    gls.solve(problem, callback=look, **SHORT)
    assert len(seen) > 1 and not np.shares_memory(seen[0], seen[1])


@pytest.mark.slow
def test_problems_without_constraints_show_no_best_tours():
    seen = []
    gls.solve(gls.TSP(np.random.default_rng(1).random((30, 2))), callback=seen.append, **SHORT)
    assert {progress.best_tours for progress in seen} == {None}


# generations


@pytest.fixture
def always(monkeypatch):
    """Begin each solve with generations of small populations."""
    monkeypatch.setattr(opening, "enough", lambda *_: 1)
    monkeypatch.setattr(opening, "SEARCH", SMALL)


def planned(problem: gls.CVRP | gls.TSP, **given) -> Stage | None:
    """Return the stage of generations, which must come first; None if the plan has none."""
    first, *rest = plan_of(problem, Settings(**CPU | given)).stages
    assert "generations of routes" not in [stage.name for stage in rest]
    return first if first.name == "generations of routes" else None


def test_when_a_plan_begins_with_generations(monkeypatch):
    problem = random_cvrp("duration", 20)
    assert not planned(problem, seconds=0.1)  # too little for generations
    assert planned(problem, seconds=1e4)
    assert not planned(random_cvrp("capacity", 1500), seconds=np.inf)  # LONGEST is too short
    monkeypatch.setattr(opening, "enough", lambda *_: 1)
    assert planned(problem, seconds=0.1)
    assert not planned(random_cvrp("directed", 20))
    assert not planned(problem.penalised(load=1))
    assert not planned(problem, start="sweep") and not planned(problem, kicks=5)
    assert not planned(problem, search=gls.LocalSearch([gls.OrOpt()]))
    assert not planned(gls.TSP(np.random.default_rng(1).random((20, 2))))


def test_twice_as_many_customers_need_32_times_the_seconds():
    """They need 16 times the children, and each child takes twice as long."""
    cpu = get_backend("cpu")
    one, two = (opening.enough(cpu, n) / opening.children_per_second(cpu, n) for n in (400, 800))
    assert two == pytest.approx(32 * one)
    assert opening.enough(cpu, 50) == opening.enough(cpu, 250) < opening.enough(cpu, 350)


def test_a_cpu_has_more_populations_if_there_is_more_time():
    """The number of populations grows from the fewest to all populations of the search."""
    problem, cpu = random_cvrp("capacity", 250), get_backend("cpu")
    least = opening.enough(cpu, 250) / opening.children_per_second(cpu, 250) / opening.SHARE
    assert planned(problem, seconds=0.99 * least) is None
    given = [planned(problem, seconds=factor * least) for factor in (1.01, 2.01, 4.01, 100)]
    assert [each.size for each in given] == [4, 5, 8, opening.SEARCH.populations(cpu)]
    assert [each.seconds / least for each in given[:2]] == pytest.approx([0.505, 1.005])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["capacity", "real duration"])
def test_a_solve_with_generations_returns_feasible_routes(always, kind, clock):
    problem, seen = random_cvrp(kind, 30), []
    found = gls.solve(problem, seconds=4, population=4, callback=seen.append, **CPU)
    assert problem.feasible(found.tours).all() and len(found.tours) == 4
    np.testing.assert_allclose(found.costs, problem.cost(found.tours), rtol=1e-12)
    own = found.statistics
    assert own.climbs > SMALL.populations(get_backend("cpu"))
    assert 4 * opening.SHARE <= own.phases["opening"] < own.seconds < 10
    assert [p.elapsed for p in seen] == sorted(p.elapsed for p in seen)
    assert [p.kicks for p in seen] == sorted(p.kicks for p in seen)
    history = [point.best_cost for point in own.history]
    assert history == sorted(history, reverse=True)
    assert min(p.best_cost for p in seen) == pytest.approx(found.best_cost)


@pytest.mark.slow
def test_generations_that_reach_the_target_end_a_solve(always):
    problem = random_cvrp("capacity", 30)
    start = float(problem.cost(gls.savings(problem, size=1, backend="cpu"))[0])
    for asked in (3, 2 * SMALL.populations(get_backend("cpu"))):
        found = gls.solve(problem, seconds=30, target=start - 1, population=asked, **CPU)
        assert found.statistics.stopped_by == "target" and found.best_cost < start
        assert len(found.tours) == asked == len(found.costs)
        np.testing.assert_allclose(found.costs, problem.cost(found.tours), rtol=1e-12)
        assert found.costs[0] == found.best_cost == found.costs.min()


def test_a_solve_without_a_limit_reaches_its_chains(always, monkeypatch, clock):
    monkeypatch.setattr(opening, "LONGEST", 0.2)
    problem, called = random_cvrp("capacity", 30), []
    assert planned(problem, seconds=np.inf).seconds == 0.2

    def chains(self, problem, tours, **options):
        called.append(self)
        raise KeyboardInterrupt

    gls.solve(problem, kicks=1, **CPU)  # compiles
    monkeypatch.setattr(gls.IteratedLocalSearch, "compile_batch", lambda *_: None)
    monkeypatch.setattr(gls.IteratedLocalSearch, "__call__", chains)
    found = gls.solve(problem, seconds=np.inf, **CPU)
    assert len(called) == 1 and found.statistics.interrupted
    assert 0.2 <= found.statistics.seconds < 5


def test_feasible_tours_are_worth_more_than_cheaper_ones():
    problem = random_cvrp("capacity", 6)
    many, one = problem.tour([[c] for c in range(1, 7)])[None], problem.tour([range(1, 7)])[None]
    good, bad = (gls.Result(rows, problem.cost(rows), problem=problem) for rows in (many, one))
    assert good.best_feasible and not bad.best_feasible and bad.best_cost < good.best_cost
    assert (joined(good, bad).best_tour == many).all()
    assert (joined(bad, good).best_tour == many).all()

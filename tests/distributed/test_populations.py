"""Populations of islands: ends of stretches, elites, and soft constraints."""

from __future__ import annotations

from functools import wraps
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.distributed import Exchange, tasks
from gpu_ls_plugin.distributed.exchange import elites_of
from gpu_ls_plugin.distributed.messages import Job, Order
from gpu_ls_plugin.distributed.watcher import Standstill, Watcher
from gpu_ls_plugin.routes.plan import settings as route_settings
from gpu_ls_plugin.runs.elites import Elites
from gpu_ls_plugin.runs.repeated_calls import population_of
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.solver.plans import plan_of_search
from tests.distributed.conftest import CHAINS, LINKED, PROBLEM, N
from tests.helpers.late_kernels import LateKernels
from tests.helpers.random_problems import random_tours
from tests.helpers.routing import giant_tours, random_cvrp, scarce_cvrp

CROSSED = gls.IteratedLocalSearch(CHAINS.search, cooperation=gls.EdgeAssembly(0.1, 2))
MIGRATING = gls.IteratedLocalSearch(CHAINS.search, cooperation=gls.Migration(0.1))


@pytest.mark.parametrize(
    ("search", "alone", "kicks", "early"),
    [
        (CROSSED, False, None, True),
        (CROSSED, True, None, False),
        (CROSSED, False, 10**6, False),
        (MIGRATING, False, None, False),
    ],
    ids=["crossed", "alone", "by_kicks", "migrating"],
)
def test_a_first_stretch_with_crossovers_ends_at_a_standstill(
    search, alone, kicks, early, monkeypatch
):
    bests: list[float] = []

    def stops(_: Any, best: float, *more: Any) -> bool:
        bests.append(best)
        return len(bests) >= 300

    settings = Settings(search=search, population=16, backend="cpu")
    job = Job(PROBLEM, search, settings, 0, None, 2, 2, islands=1 if alone else 2)
    monkeypatch.setattr(Watcher, "stops", stops)
    monkeypatch.setitem(
        tasks.seats, ("run", 0), tasks.Seat(job, settings, plan_of_search(PROBLEM, settings))
    )
    rows, guests = random_tours(N, 16), Elites.none(PROBLEM)
    for number in range(2):
        bests.clear()
        stretch = Stretch(60.0, kicks)
        tasks.advance(Order("run", 0, 0, number, 1, stretch, np.inf, rows, 16, guests))
        assert (len(bests) < 300) == (early and number == 0)
        assert bests == sorted(bests, reverse=True)
        assert (bests[-1] == bests[-2]) or not early


def test_a_standstill_is_a_crossover_without_a_better_tour():
    watched = Standstill()

    def reached(exchanges: int, best: float) -> bool:
        population: Any = SimpleNamespace(exchanges=exchanges)
        return watched.reached(population, best)

    assert not reached(0, 9.0) and not reached(0, 9.0)  # kicks do not count
    assert not reached(1, 8.0) and not reached(1, 8.0) and reached(2, 8.0)
    assert not reached(2, 7.0) and not reached(2, 7.0) and reached(3, 7.0)


@pytest.mark.parametrize("worst", [0, 0.5, 0.9, 1])
def test_elites_are_the_best_of_all_rows(worst, monkeypatch):
    """This holds for any number of infeasible rows among the cheapest."""
    problem = random_cvrp("capacity", 30)
    tours = giant_tours(problem, 800, 3)[300:]
    feasible, looked_at = problem.feasible(tours), []
    assert 0.1 < feasible.mean() < 0.9
    costs = problem.tsp.cost(tours)
    costs[~feasible] += round(2 * (worst - 0.5) * -costs.max())
    of = Elites.of

    def noted(problem: Any, rows: Any, costs: Any) -> Elites:
        looked_at.append(len(rows))
        return of(problem, rows, costs)

    expected = Elites.of(problem, tours, costs).chosen(problem, 2, 3)
    monkeypatch.setattr(Elites, "of", noted)
    rows: Any = SimpleNamespace(tours=tours, costs=costs)
    found = elites_of(rows, problem, 2, 3)
    assert found.feasible.all()
    assert np.array_equal(found.costs, expected.costs)
    assert np.array_equal(found.rows, expected.rows)
    assert worst or max(looked_at) < 100


@pytest.mark.parametrize("search", [gls.Decomposed(), LINKED], ids=["called", "chained"])
def test_costs_are_those_of_the_given_problem(search):
    problem = random_cvrp("capacity", 12)
    tours = giant_tours(problem, 6, 3)[3:]
    soft = problem.penalised(load=1)  # low enough for overloaded routes
    population = population_of(search, soft, tours, seed=1, backend="cpu", asked=problem)
    population.advance(Stretch(np.inf, 5))
    rows, costs = population.tours, population.costs
    assert not problem.feasible(rows).all()
    assert np.array_equal(costs, problem.tsp.cost(rows))


@pytest.mark.parametrize("scarce", [True, False])
def test_routes_of_many_customers_are_searched_in_parts(client, monkeypatch, scarce):
    shares: dict[int, list[tuple[float, float]]] = {}
    search = gls.Decomposed.__call__

    @wraps(search)
    def noted(self: gls.Decomposed, problem: Any, tours: Any, **given: Any) -> gls.Result:
        if "begin_share" in given:  # not a call that compiles
            assert (problem.penalties is not None) == scarce
            share = given["begin_share"], given["end_share"]
            shares.setdefault(given["first_row"], []).append(share)
        return search(self, problem, tours, **given)

    monkeypatch.setattr(gls.Decomposed, "__call__", noted)
    monkeypatch.setattr(route_settings, "LEAST_CUSTOMERS", {"cpu": 10, "cuda": 10})
    problem = random_cvrp("capacity", 60, 1 if scarce else 2)
    islands = gls.Islands(client=client, exchange=Exchange(kicks=10))
    found = gls.solve(problem, np.inf, kicks=30, population=2, islands=islands, seed=1)
    thirds = [(0.0, pytest.approx(1 / 3)), (pytest.approx(1 / 3), pytest.approx(2 / 3))]
    assert set(shares) == {0, 2**20}
    assert all(each == [*thirds, (thirds[1][1], 1.0)] for each in shares.values())
    assert problem.feasible(found.best_tour)[0]
    assert np.array_equal(found.costs, problem.tsp.cost(found.tours))


@pytest.mark.parametrize("scarce", [True, False])
def test_scarce_vehicles_are_searched_under_soft_constraints(client, monkeypatch, scarce):
    kernels, make = LateKernels(monkeypatch), tasks.make_population
    soft = []

    def begun(*given: Any) -> Any:
        kernels.prepared = True
        made = make(*given)
        soft.extend([] if made.asked is None else [made])
        return made

    monkeypatch.setattr(tasks, "make_population", begun)
    problem = scarce_cvrp() if scarce else random_cvrp("capacity", 12)
    islands = gls.Islands(client=client)
    found, again = (
        gls.solve(problem, np.inf, kicks=100, population=4, islands=islands, seed=1)
        for _ in range(2)
    )
    assert len(soft) == (4 if scarce else 0) and kernels.late == [] != kernels.launched
    assert np.array_equal(found.costs, problem.tsp.cost(found.tours))
    assert problem.feasible(found.best_tour)[0]
    assert np.array_equal(found.tours, again.tours)

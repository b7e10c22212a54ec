"""Tries with fewer vehicles in a solve of routes."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidProblemError
from gpu_ls_plugin.core.result import Result, Statistics
from gpu_ls_plugin.routes.plan import fewer_vehicles as part
from gpu_ls_plugin.routes.plan import first_generations
from gpu_ls_plugin.runs import compiling
from gpu_ls_plugin.runs.compiling import Ahead
from gpu_ls_plugin.runs.plan import Found, Plan, Stage
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.plans import plan_of
from tests.helpers.instances import cvrp_instance
from tests.helpers.routing import random_cvrp, roomy_cvrp

CPU = {"backend": "cpu", "seed": 1}


def pays(problem, **given):
    """Return whether a plan has tries of chains, which come right before the main stage."""
    names = [stage.name for stage in plan_of(problem, Settings(**CPU | given)).stages]
    assert part.NAME not in names[:-2]
    return part.NAME in names


def test_when_a_plan_has_tries():
    problem = random_cvrp("capacity", 30)
    assert pays(problem, seconds=10)
    assert pays(problem, seconds=math.inf)
    assert not pays(problem, seconds=0.01)  # too few kicks
    assert not pays(problem.with_fleet(problem.copies), seconds=10)  # a fleet is given
    assert not pays(problem.penalised(load=1), seconds=10)
    assert not pays(problem, start="sweep") and not pays(problem, kicks=5)
    assert not pays(problem, search=gls.LocalSearch([gls.OrOpt()]))
    assert not pays(gls.TSP(np.random.default_rng(1).random((20, 2))))


@pytest.fixture
def tries(monkeypatch, clock):
    """Return a function that solves with tries whose costs are given for each fleet.

    Without a limit, tries use eight vehicles. A fleet without a given cost interrupts the solve.
    """
    monkeypatch.setattr(first_generations, "enough", lambda *_: math.inf)
    monkeypatch.setattr(Plan, "prepare", lambda *_, **__: None)
    monkeypatch.setattr(Ahead, "ready", lambda *_: True)
    monkeypatch.setattr(compiling, "Aside", lambda _: SimpleNamespace(stop=lambda: None))
    clock.launch = 0.0  # of first rows

    def solved(problem, costs, seconds=1.0, **statistics):
        """Return the result, the fleets of all tries but the first, and the fleet of the chains.

        `seconds` is the expected length of each try.
        """
        seen, main = [], []

        def chains(_, searched, tours, *, budget, **options):
            fleet, tried = searched.fleet, budget.seconds < 2
            (seen if tried else main).append(fleet)
            assert budget.seconds == pytest.approx(seconds if tried else 12 - len(seen), abs=0.02)
            if not tried:
                return Result(tours, np.full(len(tours), 1e3), Statistics(), searched)
            if (fleet := fleet or 8) not in costs:
                raise KeyboardInterrupt
            clock.advance(budget.seconds)
            rows = problem.tour(np.array_split(np.arange(1, problem.customers + 1), fleet))
            noted = Statistics(kicks=fleet, **statistics)
            return Result(rows[None], np.array([costs[fleet]]), noted, searched)

        monkeypatch.setattr(gls.IteratedLocalSearch, "__call__", chains)
        found = gls.solve(problem, seconds=12, **CPU)
        assert seen[0] is None
        return found, seen[1:], main

    return solved


@pytest.mark.parametrize(
    ("costs", "fleet", "tried"),
    [
        ({8: 50, 7: 60}, None, [7]),
        ({8: 50, 7: 50}, None, [7]),  # as good is not better
        ({8: 50, 7: 40, 6: 45}, 7, [7, 6]),
        ({8: 50, 7: 40, 6: 30, 5: 20, 4: 10}, 4, [7, 6, 5, 4]),  # no fewer carry the demands
    ],
)
def test_one_vehicle_fewer_as_long_as_that_is_better(tries, costs, fleet, tried):
    problem = roomy_cvrp()
    found, seen, main = tries(problem, costs)
    assert (main, seen) == ([fleet], tried)
    assert found.best_cost == min(costs.values()) and found.problem is problem
    assert found.statistics.kicks == sum(costs), "all tries are counted"


def test_the_number_of_tries_is_limited(tries, monkeypatch):
    monkeypatch.setattr(part, "MOST", 2)
    _, seen, main = tries(roomy_cvrp(), {8: 50, 7: 40, 6: 30, 5: 20})
    assert (seen, main) == ([7, 6], [6])


def test_ctrl_c_ends_the_tries(tries):
    found, seen, main = tries(roomy_cvrp(), {8: 50, 7: 40}, stopped_by="interrupt")
    assert seen == main == [] and found.statistics.interrupted and found.best_cost == 50


def test_ctrl_c_between_two_searches_loses_nothing(tries, monkeypatch):
    found, seen, main = tries(roomy_cvrp(), {8: 50, 7: 40})
    assert (seen, main, found.best_cost) == ([7, 6], [], 40) and found.statistics.interrupted

    def bred(_, problem, tours, **options):
        return Result(tours, np.full(len(tours), 40), Statistics(), problem)

    monkeypatch.setattr(first_generations, "enough", lambda *_: 1)
    monkeypatch.setattr(gls.HybridGeneticSearch, "__call__", bred)
    found, seen, main = tries(roomy_cvrp(), {}, 0.5)  # generations take half of the time
    assert seen == main == [] and found.statistics.interrupted and found.best_cost == 40


def found_with(problem, vehicles, cost):
    """Return the result of a try, with routes for this number of vehicles."""
    row = problem.tour(np.array_split(np.arange(1, problem.customers + 1), vehicles))
    return Found(row, (0.0, cost))


@pytest.mark.parametrize("soft", [False, True])
def test_a_try_leads_to_another_one_or_to_the_main_stage(soft):
    """The main stage gets the fleet of the best try."""
    problem = roomy_cvrp()
    searched = problem.penalised(load=1) if soft else problem
    main = Stage("routes", "", None, problem, searched, 3)
    first = part.first_try(main, Settings(population=2), 1.0)
    second, *rest = first.after(first, found_with(problem, 6, 50), 9.0, (main,))
    assert (second.name, second.seconds, second.size, rest) == (part.NAME, 1.0, 2, [main])
    assert second.problem.fleet == second.searched.fleet == 5
    (worse,) = second.after(second, found_with(problem, 5, 60), 8.0, (main,))
    assert worse is main
    third, *rest = second.after(second, found_with(problem, 5, 40), 8.0, (main,))
    assert (third.problem.fleet, third.searched.fleet, rest) == (4, 4, [main])
    for cost, fleet in ((40, 5), (30, 4)):  # fewer than four cannot carry all
        (limited,) = third.after(third, found_with(problem, 4, cost), 7.0, (main,))
        assert (limited.name, limited.size) == ("routes", 3)
        assert limited.problem.fleet == limited.searched.fleet == fleet
        assert (limited.searched is limited.problem) == (not soft)
        assert limited.searched.penalties == searched.penalties


def test_a_solve_with_tries_returns_feasible_routes(monkeypatch, clock):
    monkeypatch.setitem(part.KICKS, "cpu", 0.0)
    problem, seen = cvrp_instance("X/X-n153-k22"), []
    found = gls.solve(problem, seconds=3, population=3, callback=seen.append, **CPU)
    assert problem.feasible(found.tours).all() and len(found.tours) == 3
    assert (found.costs == problem.cost(found.tours)).all()
    assert found.problem is problem
    elapsed = [progress.elapsed for progress in seen]
    assert elapsed == sorted(elapsed) and elapsed[-1] <= found.statistics.seconds
    assert [p.best_cost for p in seen] == sorted((p.best_cost for p in seen), reverse=True)
    assert found.statistics.kicks >= seen[-1].kicks > 0


def test_a_target_that_a_try_reaches_ends_the_solve():
    problem = cvrp_instance("X/X-n153-k22")
    found = gls.solve(problem, seconds=30, target=1e9, population=3, **CPU)
    assert found.statistics.stopped_by == "target" and len(found.tours) == 3


def test_another_fleet_keeps_the_length_of_tours():
    problem = roomy_cvrp()
    tours, used = problem.tour(np.array_split(np.arange(1, 17), 6))[None], 6
    fewer = problem.with_fleet(used - 1)
    assert (fewer.n, fewer.copies, fewer.fleet) == (problem.n, problem.copies, used - 1)
    assert fewer.violations(tours).vehicles[0] == 1 and problem.fleet is None
    assert fewer.penalised(load=2).with_fleet(used).penalties.load == 2
    with pytest.raises(InvalidParameterError, match="copies"):
        problem.with_fleet(problem.copies + 1)
    with pytest.raises(InvalidParameterError, match="vehicles"):
        problem.with_fleet(0)
    with pytest.raises(InvalidProblemError, match="vehicles: 1 of capacity"):
        problem.with_fleet(1)

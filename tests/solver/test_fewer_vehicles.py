"""A solve of routes that finds out how many vehicles to use."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gpu_ls_plugin.solver.opened import OneByOne

import gpu_ls_plugin as gls
from gpu_ls_plugin.budget import Stopwatch
from gpu_ls_plugin.exceptions import InvalidParameterError, InvalidProblemError
from gpu_ls_plugin.result import Result, Statistics
from gpu_ls_plugin.solver import Settings, default_settings
from gpu_ls_plugin.solver import fewer_vehicles as part
from gpu_ls_plugin.solver.fewer_vehicles import FewerVehicles, pay
from tests.helpers.instances import cvrp_instance
from tests.helpers.routing import random_cvrp, roomy_cvrp

CPU = {"backend": "cpu", "seed": 1}


def nothing(*_):
    raise AssertionError("nobody searches yet")


def stop(*_):
    raise KeyboardInterrupt


def pays(problem, **given):
    settings = Settings(**CPU | given)
    return pay(problem, settings, default_settings(problem, settings))


def test_who_tries_fewer_vehicles():
    problem = random_cvrp("capacity", 30)
    assert pays(problem, seconds=10)
    assert pays(problem, seconds=math.inf)
    assert not pays(problem, seconds=0.01)  # too few kicks
    assert not pays(problem.with_fleet(problem.copies), seconds=10)  # somebody said how many
    assert not pays(problem.penalised(load=1), seconds=10)
    assert not pays(problem, start="sweep") and not pays(problem, kicks=5)
    assert not pays(problem, search=gls.LocalSearch([gls.OrOpt()]))
    assert not pays(gls.TSP(np.random.default_rng(1).random((20, 2))))


def tries(problem, costs, **given):
    """Return the tries of a search that ends at certain costs with certain vehicles.

    Ctrl-C is pressed where there is no cost.
    """
    seen = []

    def chains(fleet, seconds, callback):
        seen.append((fleet, seconds))
        fleet = fleet or 8
        if fleet not in costs:
            raise KeyboardInterrupt
        rows = np.array_split(np.arange(1, problem.customers + 1), fleet)
        tours = problem.tour(rows)[None]
        return Result(tours, np.array([costs[fleet]]), Statistics(**given), problem)

    opened = FewerVehicles(problem, Settings(**CPU), chains, nothing)
    opened.begin(Stopwatch.of(12.0), None)
    assert seen[0][0] is None
    assert [seconds for _, seconds in seen] == pytest.approx([1.0] * len(seen), abs=0.01)
    return opened, [fleet for fleet, _ in seen[1:]]


@pytest.mark.parametrize(
    ("costs", "fleet", "tried"),
    [
        ({8: 50, 7: 60}, None, [7]),
        ({8: 50, 7: 50}, None, [7]),  # as good is not better
        ({8: 50, 7: 40, 6: 45}, 7, [7, 6]),
        ({8: 50, 7: 40, 6: 30, 5: 20, 4: 10}, 4, [7, 6, 5, 4]),  # no fewer carry the demands
    ],
)
def test_one_vehicle_fewer_as_long_as_that_is_better(costs, fleet, tried):
    opened, seen = tries(roomy_cvrp(), costs)
    assert (opened.fleet, seen) == (fleet, tried)
    assert opened.found.best_cost == min(costs.values())


def test_no_more_tries_than_there_is_time_for(monkeypatch):
    monkeypatch.setattr(part, "MOST", 2)
    assert tries(roomy_cvrp(), {8: 50, 7: 40, 6: 30, 5: 20})[1] == [7, 6]


def test_ctrl_c_ends_the_tries():
    opened, seen = tries(roomy_cvrp(), {8: 50, 7: 40}, stopped_by="interrupt")
    assert seen == [] and opened.done


def test_ctrl_c_between_two_searches_loses_nothing():
    opened, seen = tries(roomy_cvrp(), {8: 50, 7: 40})
    assert (seen, opened.fleet, opened.found.best_cost) == ([7, 6], 7, 40) and opened.done

    both = OneByOne(
        Settings(**CPU), (opened, FewerVehicles(roomy_cvrp(), Settings(**CPU), stop, stop))
    )
    opened.begin = lambda *_: None
    opened.found.statistics.stopped_by = ""
    both.begin(Stopwatch.of(9.0), None)
    assert both.done and both.found.best_cost == 40


def test_a_solve_returns_feasible_routes_and_adds_up(monkeypatch, clock):
    monkeypatch.setitem(part.KICKS, "cpu", 0.0)
    problem, seen = cvrp_instance("X/X-n153-k22"), []
    found = gls.solve(problem, seconds=3, population=3, callback=seen.append, **CPU)
    assert problem.feasible(found.tours).all() and len(found.tours) == 3
    assert (found.costs == problem.cost(found.tours)).all()
    assert found.problem is problem
    told = [progress.elapsed for progress in seen]
    assert told == sorted(told) and told[-1] <= found.statistics.seconds
    assert [p.best_cost for p in seen] == sorted((p.best_cost for p in seen), reverse=True)
    assert found.statistics.kicks >= seen[-1].kicks > 0


def test_a_target_that_a_try_reaches_ends_the_solve():
    problem = cvrp_instance("X/X-n153-k22")
    found = gls.solve(problem, seconds=30, target=1e9, population=3, **CPU)
    assert found.statistics.stopped_by == "target" and len(found.tours) == 3


def test_a_problem_with_another_fleet_has_tours_as_long():
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

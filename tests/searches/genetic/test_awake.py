"""Who is looked at first: beside plain lists of routes."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.searches.genetic import awake as awake_file
from gpu_ls_plugin.searches.genetic.awake import Awake
from tests.helpers.routing import KINDS, giant_tours, random_cvrp

BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])


def neighbours(problem, row):
    """Of each customer the set of those beside it, or the depot."""
    found = {}
    for route in problem.routes(row):
        stops = [0, *route, 0]
        found |= {int(c): {int(stops[k]), int(stops[k + 2])} for k, c in enumerate(route)}
    return found


def overfull(problem, row):
    """Customers of routes that carry too much, or take too long."""
    limit = np.inf if problem.route_limit is None else problem.route_limit
    found = set()
    for route in problem.routes(row):
        stops = np.array([0, *route, 0])
        takes = problem.nodes.lengths(stops[:-1], stops[1:]).sum()
        takes += problem.service_times[stops].sum()
        if problem.demands[stops].sum() > problem.capacity or takes > limit:
            found |= set(map(int, route))
    return found


@BOTH
@pytest.mark.parametrize("kind", [kind for kind in KINDS if "directed" not in kind])
def test_customers_that_differ_and_those_of_overfull_routes(kind, backend):
    problem = random_cvrp(kind, 20, 1, capacity=30)
    where = get_backend(backend)
    tours, parents = giant_tours(problem, 12, 2), giant_tours(problem, 12, 3)
    parents[:4] = tours[:4]
    # A row may begin anywhere.
    rolled = np.array([np.roll(row, shift) for shift, row in enumerate(tours)])
    awake = Awake(where.xp, problem)
    for rows in (tours, rolled):
        ours, theirs = where.xp.asarray(rows), where.xp.asarray(parents)
        changed = where.to_numpy(awake.changed(ours, theirs))
        full = where.to_numpy(awake.overfull(ours))
        for row, parent, its, beyond in zip(tours, parents, changed, full, strict=True):
            assert set(np.flatnonzero(beyond)) == overfull(problem, row)
            before, after = neighbours(problem, parent), neighbours(problem, row)
            moved = {c for c in after if after[c] != before[c]}
            assert set(np.flatnonzero(its)) == moved | overfull(problem, row)
    assert full.any() and not full.all()


def test_durations_of_many_customers_are_not_known(monkeypatch):
    monkeypatch.setattr(awake_file, "MOST_CUSTOMERS", 10)
    problem = random_cvrp("duration", 20, 1, capacity=1000)
    tours = giant_tours(problem, 3, 2)
    awake = Awake(np, problem)
    assert awake.overfull(tours) is None
    assert not awake.changed(tours, tours).any()
    assert Awake(np, random_cvrp("capacity", 20, 1)).overfull(tours) is not None


@BOTH
def test_who_is_not_awake_is_not_looked_at(backend):
    problem = random_cvrp("capacity", 30, 1)
    tours = giant_tours(problem, 6, 2)
    search = gls.LocalSearch([gls.RouteMoves(), gls.SwapStar()], gls.Nearest(8))
    asleep = np.zeros(tours.shape, bool)
    found = search(problem, tours, backend=backend, awake=asleep)
    assert found.statistics.passes == found.statistics.moves == 0
    assert (problem.canonical(found.tours) == problem.canonical(tours)).all()
    found = search(problem, tours, backend=backend, awake=~asleep)  # depots are never looked at
    assert (found.tours == search(problem, tours, backend=backend).tours).all()
    one = asleep.copy()
    one[3, 5] = True
    found = search(problem, tours, backend=backend, awake=one, budget=gls.Budget(moves=1))
    others = np.arange(len(tours)) != 3
    same = problem.canonical(found.tours) == problem.canonical(tours)
    assert same[others].all() and found.statistics.moves <= 1


@pytest.mark.parametrize("awake", [np.ones((2, 3), bool), np.ones((6, 30), int)])
def test_flags_of_another_kind_are_refused(awake):
    problem = random_cvrp("capacity", 30, 1)
    search = gls.LocalSearch([gls.RouteMoves()], gls.Nearest(8))
    with pytest.raises(gls.exceptions.InvalidParameterError, match="awake: bools of shape"):
        search(problem, giant_tours(problem, 6, 2), backend="cpu", awake=awake)

"""Prices of violations, and the customers of overfull routes, which repairs look at first."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.routes.searches.genetic import violations as part
from gpu_ls_plugin.routes.searches.genetic.violations import Overfull, Prices
from tests.helpers.routing import BUILT_IN, giant_tours, random_cvrp

BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])


def overfull(problem, row):
    """Return the customers of routes that carry too much or take too long."""
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
@pytest.mark.parametrize("kind", [kind for kind in BUILT_IN if "directed" not in kind])
def test_customers_of_overfull_routes(kind, backend):
    problem = random_cvrp(kind, 20, 1, capacity=30)
    where = get_backend(backend)
    tours = giant_tours(problem, 12, 2)
    rolled = np.array([np.roll(row, shift) for shift, row in enumerate(tours)])  # begin anywhere
    for rows in (tours, rolled):
        full = where.to_numpy(Overfull(where.xp, problem)(where.xp.asarray(rows)))
        for row, beyond in zip(tours, full, strict=True):
            assert set(np.flatnonzero(beyond)) == overfull(problem, row)
    assert full.any() and not full.all()


@BOTH
@pytest.mark.parametrize(("share", "full"), [(1 - 1e-15, []), (1 - 1e-6, [1, 2, 3])])
def test_rounding_errors_of_durations_are_tolerated(share, full, backend):
    nodes, where = [(0, 0), (0.1, 0.7), (1.3, 0.2), (0.4, 1.9)], get_backend(backend)
    alone = gls.CVRP(nodes, [0, 1, 1, 1], 3, metric="EUC")
    duration = float(alone.cost(alone.tour([[1, 2, 3]]))[0])
    problem = gls.CVRP(nodes, [0, 1, 1, 1], 3, metric="EUC", route_limit=share * duration)
    rows = where.xp.asarray(problem.tour([[1, 2, 3]])[None])
    beyond = where.to_numpy(Overfull(where.xp, problem)(rows))[0]
    assert np.flatnonzero(beyond).tolist() == full


def test_nothing_is_known_about_durations_of_many_customers(monkeypatch):
    monkeypatch.setattr(part, "MOST_CUSTOMERS", 10)
    tours = giant_tours(random_cvrp("duration", 20, 1), 3, 2)
    assert Overfull(np, random_cvrp("duration", 20, 1))(tours) is None
    assert Overfull(np, random_cvrp("capacity", 20, 1))(tours) is not None


@BOTH
def test_searches_look_only_at_customers_that_are_awake(backend):
    problem = random_cvrp("capacity", 30, 1)
    tours = giant_tours(problem, 6, 2)
    search = gls.LocalSearch([gls.RouteMoves(), gls.SwapStar()], gls.Nearest(8))
    asleep = np.zeros(tours.shape, bool)
    found = search(problem, tours, backend=backend, awake=asleep)
    assert found.statistics.passes == found.statistics.moves == 0
    assert (problem.canonical(found.tours) == problem.canonical(tours)).all()
    found = search(problem, tours, backend=backend, awake=~asleep)  # searches ignore depots
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


@pytest.mark.parametrize("kind", ["duration", "real duration"])
def test_prices_follow_the_shares_of_children_that_keep_limits(kind):
    problem = random_cvrp(kind, 10)
    prices = Prices(get_backend("cpu"), problem)
    before = prices.soft.penalties
    assert prices.repairing.penalties.load == pytest.approx(10 * before.load, rel=0.5)
    for _ in range(5):
        prices.follow((0.1, 0.1), 0.3)
    dearer = prices.soft.penalties
    assert dearer.load > before.load and dearer.duration > before.duration
    assert dearer.vehicles == before.vehicles
    for _ in range(20):  # duration is scarce, load is not
        prices.follow((0.9, 0.29), 0.3)
    assert prices.soft.penalties.load < before.load
    assert prices.soft.penalties.duration == dearer.duration  # the share is near enough
    for _ in range(200):
        prices.follow((0.9, 0.9), 0.3)
    assert 0 < prices.soft.penalties.load < before.load
    tours = giant_tours(problem, 8)
    soft, lengths, feasible = prices.judge(tours)
    assert (feasible == problem.feasible(tours)).all() and feasible.any() and not feasible.all()
    due, paid = problem.violations(tours), prices.soft.penalties
    shares = [(due.load == 0).mean(), (due.duration == 0).mean()]
    keeping = prices.keeping(tours, feasible)
    assert [keeps.mean() for keeps in keeping] == shares and shares[0] != shares[1]
    np.testing.assert_allclose(lengths, problem.cost(tours), rtol=1e-12)
    np.testing.assert_allclose(
        soft, lengths + paid.load * due.load + paid.duration * due.duration, rtol=1e-9
    )


@BOTH
@pytest.mark.parametrize("kind", ["windows", "two loads"])
def test_each_resource_has_a_price_of_its_own(kind, backend):
    problem, where = random_cvrp(kind, 10), get_backend(backend)
    (part,) = problem.resources
    prices = Prices(where, problem)
    tours = giant_tours(problem, 40)
    due = problem.violations(tours)
    feasible = where.xp.asarray(problem.feasible(tours))
    keeping = [where.to_numpy(a) for a in prices.keeping(where.xp.asarray(tours), feasible)]
    np.testing.assert_array_equal(keeping, [due.load == 0, due.resources[part.name] == 0])
    before = prices.soft.penalties
    prices.follow((0.3, 0.1), 0.3)
    assert prices.soft.penalties.load == before.load
    assert prices.soft.penalties.resources[part.name] > before.resources[part.name]

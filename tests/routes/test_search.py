"""Searches of giant tours: what moves claim, what constraints allow, where searches end."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs
from tests.helpers.marks import slow_after
from tests.helpers.routing import (
    KINDS,
    giant_tours,
    plain_violations,
    random_cvrp,
    tolerated_cost,
)
from tests.routes.time_windows import some_windows

BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
ALL_KINDS = pytest.mark.parametrize("kind", slow_after(3, list(KINDS)))
# Hard constraints of integers, soft ones of real numbers: all others are compiled by slow tests.
UNDIRECTED = [kind for kind in KINDS if "directed" not in kind]  # whose paths may be reversed
FEW = [("duration", False), ("real", True)]  # that are compiled by quick tests
KINDS_AND_PENALTIES = pytest.mark.parametrize(
    ("kind", "soft"),
    slow_after(
        2, sorted(itertools.product(KINDS, (False, True)), key=lambda case: case not in FEW)
    ),
)
SYMMETRIC = [gls.TwoOpt(), gls.Relocate(3), gls.Exchange(2, 2), gls.TwoOptStar(), gls.SwapStar()]
DIRECTED = SYMMETRIC[1:]
TESTS = (gls.DontLook(), gls.Everything())
TINY = 1e-9


def local_search(problem, pivoting=None, moves=None):
    moves = moves or (SYMMETRIC if problem.symmetric else DIRECTED)
    return gls.LocalSearch(moves, candidates=gls.Nearest(8), pivoting=pivoting or gls.First())


@BOTH
@KINDS_AND_PENALTIES
def test_each_kick_adds_what_the_referee_says(kind, soft, backend):
    problem, where = random_cvrp(kind, 30, 1), get_backend(backend)
    problem = problem.penalised(load=3, duration=2, vehicles=50) if soft else problem
    search = gls.IteratedLocalSearch(local_search(problem), gls.DoubleBridge(), gls.Always())
    tours = where.xp.asarray(giant_tours(problem, 8, 2))
    chains = search.chains(Start(where, problem.tsp, tours, 3))
    for kicks in range(1, 30):
        chains.advance(kicks, 1.0, 0.0, 60.0)
        said, tours = (where.to_numpy(array) for array in (chains.costs, chains.tours))
        np.testing.assert_allclose(said, problem.tsp.cost(tours), rtol=1e-9)


@BOTH
@pytest.mark.parametrize("kind", slow_after(1, sorted(KINDS, key=lambda k: k != "duration")))
@pytest.mark.parametrize(
    "pivoting", slow_after(1, [gls.First(), gls.Best()]), ids=["first", "best"]
)
def test_violations_never_grow(kind, pivoting, backend):
    problem = random_cvrp(kind, 30, 3)
    starts = giant_tours(problem, 12, 4)
    found = local_search(problem, pivoting)(problem, starts, backend=backend)
    before, after = problem.violations(starts), problem.violations(found.tours)
    for name in ("load", "duration", "vehicles"):
        assert (getattr(after, name) <= getattr(before, name) + TINY).all()
    assert problem.feasible(found.tours)[problem.feasible(starts)].all()
    np.testing.assert_allclose(found.costs, problem.tsp.cost(found.tours), rtol=1e-12)
    feasible = problem.feasible(found.tours)
    assert (found.costs == problem.cost(found.tours))[feasible].all() or not problem.integer


def neighbours(row, edges):
    """All tours by pure reconnections of two or three edges, as lists."""
    n, found = len(row), []
    if edges == 2:
        for i, j in itertools.combinations(range(n), 2):
            found.append([*row[: i + 1], *row[i + 1 : j + 1][::-1], *row[j + 1 :]])
        return found
    for i, j, k in itertools.combinations(range(n), 3):
        a, b, c = row[: i + 1], row[i + 1 : j + 1], row[j + 1 : k + 1]
        rest = row[k + 1 :]
        for first, second in ((b[::-1], c[::-1]), (c, b), (c, b[::-1]), (c[::-1], b)):
            found.append([*a, *first, *second, *rest])
    return found


@BOTH
@pytest.mark.parametrize("kind", slow_after(1, UNDIRECTED))
@pytest.mark.parametrize(("part", "edges"), [(gls.TwoOpt(), 2), (gls.ThreeOpt(), 3)])
def test_best_improvement_ends_where_no_feasible_move_gains(kind, part, edges, backend):
    problem = random_cvrp(kind, 9, 5, capacity=20)
    starts = giant_tours(problem, 6, 6)
    starts = starts[problem.feasible(starts)]
    assert len(starts)
    search = gls.LocalSearch([part], candidates=gls.All(), pivoting=gls.Best())
    found = search(problem, starts, backend=backend)
    assert problem.feasible(found.tours).all()
    for row, cost in zip(found.tours, found.costs, strict=True):
        others = np.array(neighbours(list(row), edges))
        costs, feasible = problem.cost(others), problem.feasible(others)
        assert costs[feasible].min() >= cost - TINY


@BOTH
@pytest.mark.parametrize(
    ("kind", "test"),
    slow_after(1, zip(UNDIRECTED, itertools.cycle(TESTS), strict=False)),
)
def test_modes_lead_to_the_same_tours(test, kind, backend):
    problem = random_cvrp(kind, 40, 7)
    starts = giant_tours(problem, 24, 8)
    found = []
    for mode in ("masked", "fused", "openings"):
        part = gls.FilteredNeighbourhood(gls.TwoOpt(), test, mode=mode)
        search = gls.LocalSearch([part], candidates=gls.All(), pivoting=gls.Best())
        found.append(search(problem, starts, backend=backend).tours)
    assert all((tours == found[0]).all() for tours in found)


@BOTH
@pytest.mark.slow
@pytest.mark.parametrize("kind", UNDIRECTED)
def test_whole_triples_are_those_of_openings(kind, backend):
    problem = random_cvrp(kind, 14, 7)
    starts, found = giant_tours(problem, 6, 8), []
    for mode in ("auto", "openings"):  # by pairs of edges, with and without lengths in common
        part = gls.FilteredNeighbourhood(gls.ThreeOpt(), gls.Everything(), mode=mode)
        search = gls.LocalSearch([part], candidates=gls.All(), pivoting=gls.Best())
        found.append(search(problem, starts, backend=backend))
    assert (found[0].tours == found[1].tours).all()
    assert found[0].statistics.moves > len(starts)
    assert found[0].statistics.evaluations == found[1].statistics.evaluations


@BOTH
@KINDS_AND_PENALTIES
def test_costs_are_lengths_and_what_is_paid(kind, soft, backend):
    problem, where = random_cvrp(kind, 30, 1), get_backend(backend)
    tours = giant_tours(problem, 12, 2)
    asked = problem.penalised(load=3, duration=2, vehicles=50) if soft else problem
    searched = asked.tsp
    said = where.to_numpy(tour_costs(where, searched, where.xp.asarray(tours)))
    np.testing.assert_allclose(said, searched.cost(tours), rtol=1e-12, atol=tolerated_cost(asked))
    assert (said > problem.cost(tours)).any()  # some pay


def test_resources_of_others_are_not_believed():
    problem = random_cvrp("duration", 12, 1)
    assert problem.tsp.objective.proven
    assert not problem.with_resources(some_windows(problem)).tsp.objective.proven


@pytest.mark.gpu
@ALL_KINDS
def test_backends_agree(kind):
    problem = random_cvrp(kind, 60, 9)
    if not problem.integer:
        pytest.skip("sums of real lengths may differ in their last bits")
    starts = giant_tours(problem, 24, 10)
    searches = [local_search(problem), local_search(problem, gls.Best())]
    searches.append(gls.IteratedLocalSearch(searches[0], gls.DoubleBridge(30)))
    for search in searches:
        budget = gls.Budget(kicks=50)
        found = [search(problem, starts, seed=1, budget=budget, backend=b) for b in ("cpu", "cuda")]
        assert (found[0].tours == found[1].tours).all()


@ALL_KINDS
def test_the_referee_says_what_a_walk_finds(kind):
    problem = random_cvrp(kind, 12, 11)
    rows = giant_tours(problem, 40, 12)
    said = problem.violations(rows)
    for number, row in enumerate(rows):
        load, duration, vehicles = plain_violations(problem, row)
        assert said.load[number] == load
        assert said.duration[number] == pytest.approx(duration, abs=TINY)
        assert said.vehicles[number] == vehicles


def test_an_empty_route_is_tried():
    problem = gls.CVRP([(0, 0), (10, 0), (-10, 0)], [0, 1, 1], 2, vehicles=2, route_limit=25)
    together = problem.tour([[1, 2]])
    assert not problem.feasible(together)[0]
    found = local_search(problem)(problem, together[None], backend="cpu")
    assert sorted(problem.routes(found.best_tour)) == [[1], [2]]
    assert found.best_cost == 40


def test_what_needs_routes_is_refused_elsewhere():
    problem = gls.TSP(np.random.default_rng(1).random((20, 2)))
    with pytest.raises(UnsupportedProblemError, match="routes"):
        local_search(problem)(problem, gls.random_tours(problem, 2, backend="cpu"), backend="cpu")


@BOTH
@pytest.mark.parametrize("kind", slow_after(1, sorted(KINDS, key=lambda k: k != "fleet")))
def test_moves_that_are_made_together_gain_as_much(kind, backend):
    hard = random_cvrp(kind, 40, 13)
    for problem in (hard, hard.penalised(load=3, duration=2, vehicles=50)):
        tours, search = giant_tours(problem, 12, 14), local_search(problem, gls.Multi(30))
        for _ in range(12):
            found = search(problem, tours, budget=gls.Budget(moves=5), backend=backend)
            assert (found.costs <= problem.tsp.cost(tours) + TINY).all()
            before, after = problem.violations(tours), problem.violations(found.tours)
            for name in ("load", "duration", "vehicles") if problem is hard else ():
                assert (getattr(after, name) <= getattr(before, name) + TINY).all()
            tours = found.tours


def test_what_keeps_nothing_of_a_tour_is_refused():
    problem = random_cvrp("capacity", 12, 13)
    search = gls.LocalSearch([gls.TwoOpt()], candidates=gls.All(), pivoting=gls.RandomK(100))
    with pytest.raises(UnsupportedProblemError):
        search(problem, giant_tours(problem, 2, 14), backend="cpu")

"""Local searches of giant tours: exact costs, constraints and local optima."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs
from tests.helpers.marks import slow_after
from tests.helpers.routing import (
    KINDS,
    assert_no_more_violations,
    giant_tours,
    random_cvrp,
    tolerated_cost,
)

BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
# Kinds whose paths may be reversed, and kinds whose moves may be made together.
UNDIRECTED = [kind for kind in KINDS if "directed" not in kind and kind != "windows"]
TOGETHER = sorted([*UNDIRECTED, "directed"], key=lambda kind: kind != "fleet")
SYMMETRIC = [gls.TwoOpt(), gls.Relocate(3), gls.Exchange(2, 2)]
DIRECTED = SYMMETRIC[1:]
TINY = 1e-9


def kinds_from(first: str) -> list:
    return slow_after(1, sorted(KINDS, key=lambda kind: kind != first))


def local_search(problem: gls.CVRP, pivoting=None) -> gls.LocalSearch:
    moves = SYMMETRIC if problem.symmetric else DIRECTED
    return gls.LocalSearch(moves, candidates=gls.All(), pivoting=pivoting or gls.First())


@BOTH
@pytest.mark.parametrize("kind", kinds_from("duration"))
def test_violations_never_grow(kind, backend):
    problem = random_cvrp(kind, 30, 3)
    starts = giant_tours(problem, 12, 4)
    found = local_search(problem)(problem, starts, backend=backend)
    assert_no_more_violations(problem, starts, found.tours)
    np.testing.assert_allclose(found.costs, problem.tsp.cost(found.tours), rtol=1e-12)
    feasible = problem.feasible(found.tours)
    assert (found.costs == problem.cost(found.tours))[feasible].all() or not problem.integer


def neighbours(row: list[int], edges: int) -> list[list[int]]:
    """Return all tours that differ from `row` by a pure reconnection of two or three edges."""
    n, found = len(row), []
    if edges == 2:
        for i, j in itertools.combinations(range(n), 2):
            found.append([*row[: i + 1], *row[i + 1 : j + 1][::-1], *row[j + 1 :]])
        return found
    for i, j, k in itertools.combinations(range(n), 3):
        a, b, c = row[: i + 1], row[i + 1 : j + 1], row[j + 1 : k + 1]
        for first, second in ((b[::-1], c[::-1]), (c, b), (c, b[::-1]), (c[::-1], b)):
            found.append([*a, *first, *second, *row[k + 1 :]])
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


TESTS = itertools.cycle([gls.DontLook(), gls.Everything()])
PAIRS = [(kind, gls.TwoOpt(), test) for kind, test in zip(UNDIRECTED, TESTS, strict=False)]
TRIPLES = [(kind, gls.ThreeOpt(), gls.Everything()) for kind in UNDIRECTED]


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize(("kind", "part", "test"), slow_after(1, PAIRS + TRIPLES))
def test_modes_of_filtered_neighbourhoods_lead_to_the_same_tours(kind, part, test, backend):
    pairs = part == gls.TwoOpt()
    problem = random_cvrp(kind, 40 if pairs else 14, 7)
    starts, found = giant_tours(problem, 24 if pairs else 6, 8), []
    for mode in ("masked", "fused", "openings") if pairs else ("auto", "openings"):
        filtered = gls.FilteredNeighbourhood(part, test, mode=mode)
        search = gls.LocalSearch([filtered], candidates=gls.All(), pivoting=gls.Best())
        found.append(search(problem, starts, backend=backend))
    for other in found[1:]:
        assert (other.tours == found[0].tours).all()
        assert pairs or other.statistics.evaluations == found[0].statistics.evaluations
    assert found[0].statistics.moves > len(starts)


# Quick: integers under hard constraints, real numbers under soft ones.
QUICK = [("duration", False), ("real", True)]


@BOTH
@pytest.mark.parametrize(
    ("kind", "soft"),
    slow_after(
        2, sorted(itertools.product(KINDS, (False, True)), key=lambda case: case not in QUICK)
    ),
)
def test_costs_are_lengths_and_penalties(kind, soft, backend):
    problem, where = random_cvrp(kind, 30, 1), get_backend(backend)
    tours = giant_tours(problem, 12, 2)
    asked = problem.penalised(load=3, duration=2, vehicles=50) if soft else problem
    searched = asked.tsp
    costs = where.to_numpy(tour_costs(where, searched, where.xp.asarray(tours)))
    np.testing.assert_allclose(costs, searched.cost(tours), rtol=1e-12, atol=tolerated_cost(asked))
    assert (costs > problem.cost(tours)).any()  # some tours violate constraints


@pytest.mark.gpu
@pytest.mark.parametrize("kind", slow_after(3, list(KINDS)))
def test_backends_agree(kind):
    problem = random_cvrp(kind, 60, 9)
    if not problem.integer:
        pytest.skip("sums of real lengths may differ in their last bits")
    starts = giant_tours(problem, 24, 10)
    search = local_search(problem)
    found = [search(problem, starts, seed=1, backend=name) for name in ("cpu", "cuda")]
    assert (found[0].tours == found[1].tours).all()


def test_an_empty_route_is_tried():
    problem = gls.CVRP([(0, 0), (10, 0), (-10, 0)], [0, 1, 1], 2, vehicles=2, route_limit=25)
    together = problem.tour([[1, 2]])
    assert not problem.feasible(together)[0]
    found = local_search(problem)(problem, together[None], backend="cpu")
    assert sorted(problem.routes(found.best_tour)) == [[1], [2]]
    assert found.best_cost == 40


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("kind", TOGETHER)
def test_moves_that_are_made_together_gain_as_much(kind, backend):
    hard = random_cvrp(kind, 40, 13)
    for problem in (hard, hard.penalised(load=3, duration=2, vehicles=50)):
        tours, search = giant_tours(problem, 12, 14), local_search(problem, gls.Multi(30))
        for _ in range(12):
            found = search(problem, tours, budget=gls.Budget(moves=5), backend=backend)
            assert (found.costs <= problem.tsp.cost(tours) + TINY).all()
            if problem is hard:
                assert_no_more_violations(problem, tours, found.tours)
            tours = found.tours

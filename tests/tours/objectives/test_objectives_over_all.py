"""Complete and sampled neighbourhoods under an objective, by brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from tests.helpers.marks import diagonal, in_pairs
from tests.helpers.random_problems import random_problem, random_tours
from tests.tours.objectives.third_party import Forbidden, Tolls, some_loads, some_tolls

N = 13
PAIRS, TRIPLES = (gls.TwoOpt(),), (gls.ThreeOpt(),)
PARTS = (*PAIRS, *TRIPLES)


def two_opt(tour):
    """Every 2-opt move, ranked: (i, j) and the tour."""
    for i, j in combinations(range(len(tour)), 2):
        if 2 <= j - i <= len(tour) - 2:
            yield tour[: i + 1] + tour[i + 1 : j + 1][::-1] + tour[j + 1 :]


def three_opt(tour):
    """Every pure reconnection, ranked: (i, j, k, way) and the tour."""
    for i, j, k in combinations(range(len(tour)), 3):
        head, first, second, tail = (
            tour[: i + 1],
            tour[i + 1 : j + 1],
            tour[j + 1 : k + 1],
            tour[k + 1 :],
        )
        yield head + second + first + tail
        yield head + first[::-1] + second[::-1] + tail
        yield head + second + first[::-1] + tail
        yield head + second[::-1] + first + tail


MOVES = {PAIRS: two_opt, TRIPLES: three_opt}


def climb(problem, tour, moves):
    """Take the best move, the first of equals, until none gains."""
    objective = problem.objective
    while True:
        tours = np.array(list(moves(tour)))
        changes = problem.cost(tours) - problem.cost([tour])[0]
        if isinstance(objective, Forbidden):
            paid = objective.paid(np.array([tour]))[0]
            changes[objective.paid(tours) > paid] = 10**9
        if changes.min() >= 0:
            return tour
        tour = tours[changes.argmin()].tolist()


def edges(tour):
    return {frozenset(pair) for pair in zip(tour, [*tour[1:], tour[0]], strict=True)}


OBJECTIVES = {
    "tolls": Tolls(some_tolls(N, 4, most=500)),
    "forbidden": Forbidden(some_tolls(N, 4, most=500)),
    "loads": some_loads(N, 4),
}


@pytest.fixture
def problem(request):
    return random_problem("EUC_2D", N, 4, 1000).under(OBJECTIVES[request.param])


@pytest.mark.parametrize(
    ("problem", "part", "mode"),
    in_pairs(OBJECTIVES, PARTS, ["climb", "fused", "masked", "openings"]),
    indirect=["problem"],
)
def test_the_best_moves_are_those_of_brute_force(problem, part, mode):
    moves = part
    if mode != "climb":
        moves = gls.FilteredNeighbourhood(part, gls.Everything(), mode=mode)
    search = gls.LocalSearch([moves], candidates=gls.All(), pivoting=gls.Best())
    starts = random_tours(N, 4, 2)
    found = search(problem, starts, backend="cpu")
    expected = [climb(problem, start, MOVES[part,]) for start in starts.tolist()]
    assert [edges(tour) for tour in found.tours.tolist()] == [edges(tour) for tour in expected]
    assert found.costs.tolist() == problem.cost(found.tours).tolist()


@pytest.mark.parametrize(("problem", "part"), diagonal(OBJECTIVES, PARTS), indirect=["problem"])
def test_samples_end_when_no_move_gains(problem, part):
    # So many samples meet every move, so that the end is a local optimum of brute force.
    search = gls.LocalSearch([part], candidates=gls.All(), pivoting=gls.RandomK(20_000))
    starts = random_tours(N, 4, 2)
    found = search(problem, starts, backend="cpu", seed=1)
    for start, tour in zip(starts.tolist(), found.tours.tolist(), strict=True):
        assert climb(problem, tour, two_opt) == tour
        if part in TRIPLES:
            assert climb(problem, tour, three_opt) == tour
        if isinstance(problem.objective, Forbidden):
            paid = problem.objective.paid(np.array([start, tour]))
            assert paid[1] <= paid[0]
    assert found.costs.tolist() == problem.cost(found.tours).tolist()


@pytest.mark.parametrize("problem", OBJECTIVES, indirect=True)
def test_several_moves_of_a_pass_are_refused(problem):
    search = gls.LocalSearch(PAIRS, gls.All(), gls.Best(), moves_per_pass=4)
    with pytest.raises(UnsupportedProblemError, match="moves_per_pass"):
        search(problem, random_tours(N, 2), backend="cpu")

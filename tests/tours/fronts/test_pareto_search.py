"""Pareto local search, compared with an enumeration of all neighbours."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.tours.fronts import pareto_search, path_moves
from gpu_ls_plugin.tours.fronts.front import Front, non_dominated
from gpu_ls_plugin.tours.fronts.pareto_search import ParetoLocalSearch
from tests.helpers.examples import examples
from tests.helpers.random_problems import METRICS, random_problem, random_tours

KINDS = [kind for cities in range(5) for kind in path_moves.kinds(cities)]


def neighbours(tour, longest=1):
    """All tours that differ from a tour in two edges or by moving a short path."""
    n = len(tour)
    for first, last in combinations(range(n), 2):
        made = tour.copy()
        made[first + 1 : last + 1] = made[first + 1 : last + 1][::-1]
        yield made
    for cities in range(1, min(longest, n - 2) + 1):
        for first in range(n):
            path, rest = np.split(np.roll(tour, -first), [cities])
            for place in range(len(rest)):
                for way in (path, path[::-1]):
                    yield np.insert(rest, place, way)


def start(problem, tours):
    return Front.of(tours, problem.cost(tours))


@examples(40)
@given(
    st.lists(st.sampled_from(METRICS), min_size=2, max_size=2),
    st.integers(2, 14),
    st.integers(0, 99),
    st.booleans(),
    st.integers(0, 3),
)
def test_two_objectives_keep_all_non_dominated_neighbours(metrics, n, seed, tables, longest):
    problem = gls.MultiObjectiveTSP([random_problem(m, n, seed + k) for k, m in enumerate(metrics)])
    begun = start(problem, random_tours(n, 4, seed))
    largest = pareto_search.LARGEST_TABLE
    pareto_search.LARGEST_TABLE = largest if tables else 0
    try:
        search = ParetoLocalSearch(len(begun), "cpu", longest)
        found = begun
        for level in range(longest + 1):
            known = Front(begun.tours, begun.costs, np.full(len(begun), level, np.int8))
            more = search(problem, known, np.random.default_rng(0))
            found = found.joined(more.tours, more.costs)
    finally:
        pareto_search.LARGEST_TABLE = largest
    reachable = np.array(
        [*begun.tours, *(made for tour in begun.tours for made in neighbours(tour, longest))]
    )
    costs = problem.cost(reachable)
    expected = costs[non_dominated(costs)]
    if problem.integer:
        assert np.array_equal(found.costs, expected)
    else:  # the same tour in other notations has costs that differ by rounding
        assert np.allclose(np.unique(found.costs.round(6), axis=0)[[0, -1]], expected[[0, -1]])
    assert np.array_equal(found.costs, problem.cost(found.tours))
    assert (np.sort(found.tours, axis=1) == np.arange(n)).all()


@examples(20)
@given(st.integers(4, 20), st.integers(3, 4), st.integers(0, 99))
def test_more_objectives_give_a_front(n, objectives, seed):
    parts = [random_problem("EUC_2D", n, seed + k) for k in range(objectives)]
    problem = gls.MultiObjectiveTSP(parts)
    begun = start(problem, random_tours(n, 5, seed))
    found = ParetoLocalSearch(len(begun), "cpu")(problem, begun, np.random.default_rng(0))
    assert np.array_equal(found.costs, problem.cost(found.tours))
    assert len(non_dominated(found.costs)) == len(found)
    for own in begun.costs:
        assert (found.costs <= own).all(axis=1).any()


def test_a_search_ends_once_all_tours_are_explored():
    problem = gls.MultiObjectiveTSP([random_problem("EUC_2D", 10, k) for k in range(2)])
    front, state = start(problem, random_tours(10, 1)), np.random.default_rng(1)
    for _ in range(400):
        front = ParetoLocalSearch(3, "cpu")(problem, front, state)
        if (front.explored == 2).all():
            break
    assert (front.explored == 2).all()
    for tour in front.tours:
        made = problem.cost(np.array(list(neighbours(tour))))
        for own in made:
            assert (front.costs <= own).all(axis=1).any()
    again = ParetoLocalSearch(3, "cpu")(problem, front, state)
    assert np.array_equal(again.costs, front.costs)


def test_limits_hold(monkeypatch):
    problem = gls.MultiObjectiveTSP([random_problem("EUC_2D", 30, k) for k in range(2)])
    front, search = start(problem, random_tours(30, 9)), ParetoLocalSearch(9, "cpu")
    few = search(problem, front, np.random.default_rng(0), most=7)
    assert len(few) == 7
    none = search(problem, front, np.random.default_rng(0), seconds=0.0)
    assert np.array_equal(none.costs, front.costs) and not none.explored.any()
    monkeypatch.setitem(pareto_search.MOVES_AT_ONCE, "cpu", 1)
    one = search(problem, front, np.random.default_rng(0))
    assert one.explored.sum() <= 9 and len(non_dominated(one.costs)) == len(one)


def test_bad_input():
    with pytest.raises(InvalidParameterError, match="tours"):
        ParetoLocalSearch(0)
    with pytest.raises(InvalidParameterError, match="longest"):
        ParetoLocalSearch(longest=-1)
    matrix = np.arange(36).reshape(6, 6)
    problem = gls.MultiObjectiveTSP([matrix, matrix.T])
    with pytest.raises(UnsupportedProblemError, match="asymmetric"):
        ParetoLocalSearch()(problem, start(problem, random_tours(6, 2)), np.random.default_rng(0))


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("n", [4, 5, 6, 7, 9, 12])
def test_moves_are_exact(kind, n):
    tours, lengths = random_tours(n, 3), np.random.default_rng(n).integers(1, 999, (n, n))
    lengths += lengths.T
    first, reach = kind.places(n)
    change = kind.change(tours, lambda a, b: lengths[a, b], first, reach)
    sources = kind.sources(n, first, reach)
    assert (np.sort(sources, axis=1) == np.arange(n)).all()
    for row, tour in enumerate(tours):
        made = tour[sources]
        costs = lengths[made, np.roll(made, -1, axis=1)].sum(axis=1)
        assert np.array_equal(costs - lengths[tour, np.roll(tour, -1)].sum(), change[row])

"""The search by a work queue against the oracle on lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.tours.engines.pivoting import FIRST_OF
from tests.helpers import descent_oracle as oracle
from tests.helpers import oracles
from tests.helpers.examples import examples
from tests.helpers.marks import diagonal, slow_after
from tests.helpers.random_problems import INTEGER, random_problem, random_tours

FIRST = gls.First()
LISTS = {
    "2-opt": ([gls.TwoOpt()], [oracle.two_opt]),
    "2-opt, Or-opt": ([gls.TwoOpt(), gls.OrOpt(3)], [oracle.two_opt, oracle.or_opt(3)]),
    "Or-opt": ([gls.OrOpt(2)], [oracle.or_opt(2)]),
    "3-opt": ([gls.ThreeOpt()], [oracle.three_opt()]),
    "3-opt, Or-opt": ([gls.ThreeOpt(), gls.OrOpt(1)], [oracle.three_opt(), oracle.or_opt(1)]),
    "chains of 4": ([gls.LinKernighan(4, (10, 10))], [oracle.chains(4, 10)]),
    "chains of 6": ([gls.LinKernighan(6, (10, 10))], [oracle.chains(6, 10)]),
    "chains of 12": ([gls.LinKernighan(12, (10, 10))], [oracle.chains(12, 10)]),
}


def assert_same(
    problem, starts, name, k=6, max_moves=None, rule=FIRST, descend=oracle.descend, **others
) -> None:
    """Tours, looks and moves are the oracle's."""
    moves, searches = LISTS[name]
    search = gls.LocalSearch(moves, candidates=gls.Nearest(k), pivoting=rule)
    result = search(problem, starts, budget=gls.Budget(moves=max_moves), backend="cpu")
    d = oracles.distance_matrix(problem).tolist()
    limit = float("inf") if max_moves is None else max_moves
    candidates = gls.Nearest(k).of(problem).cities.tolist()
    expected = [
        descend(d, candidates, start, searches, max_moves=limit, **others)
        for start in starts.tolist()
    ]
    assert result.tours.tolist() == [tour for tour, _, _ in expected]
    assert result.statistics.passes == sum(looks for _, looks, _ in expected)
    assert result.statistics.moves == sum(moves for _, _, moves in expected)
    assert sum(result.statistics.moves_by.values()) == result.statistics.moves
    assert result.costs.tolist() == problem.cost(result.tours).tolist()


@examples(60)
@given(
    st.integers(4, 30),
    st.sampled_from([3, 9, 60]),
    st.integers(0, 10**6),
    st.sampled_from(INTEGER),  # equal real gains differ by rounding
    st.sampled_from(list(LISTS)),
    st.sampled_from(FIRST_OF),
)
def test_descents_are_those_of_the_oracle(n, span, seed, metric, name, best_of):
    problem = random_problem(metric, n, seed, span)
    tours, rule, by_step = random_tours(n, 2, seed), gls.First(best_of), best_of == "step"
    assert_same(problem, tours, name, k=min(6, n - 1), rule=rule, by_step=by_step)


MIXED = ("2-opt, Or-opt", "3-opt, Or-opt", "chains of 6")  # of which the others are parts


@pytest.mark.parametrize(
    "name", slow_after(len(MIXED), [*MIXED, *(name for name in LISTS if name not in MIXED)])
)
def test_long_descents_are_those_of_the_oracle(name):
    problem = random_problem("EUC_2D", 80, span=500)
    assert_same(problem, random_tours(80, 2), name, k=10)


@pytest.mark.parametrize("most", [0, 1, 5])
def test_budgets_in_moves_cut_a_descent(most):
    problem = random_problem("EUC_2D", 40)
    assert_same(problem, random_tours(40, 3), "2-opt, Or-opt", max_moves=most)
    result = gls.LocalSearch()(
        problem, random_tours(40, 3), budget=gls.Budget(moves=most), backend="cpu"
    )
    assert result.statistics.stopped_by == "moves"
    assert result.statistics.moves == 3 * most


def asymmetric_problem(n: int, seed: int) -> gls.TSP:
    random = np.random.default_rng(seed)
    points = random.integers(0, 100, (n, 2))
    up = np.maximum(0, points[:, None, 1] - points[None, :, 1])
    d = np.abs(points[:, None] - points[None]).sum(axis=-1) + 3 * up + random.integers(0, 9, (n, n))
    return gls.TSP.from_matrix(d)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    ("moves", "search"),
    [
        ([gls.OrOpt(3)], oracle.or_opt(3, symmetric=False)),
        ([gls.ThreeOpt()], oracle.three_opt(symmetric=False)),
    ],
    ids=["Or-opt", "3-opt"],
)
def test_asymmetric_problems_are_searched_without_turning(moves, search, seed):
    n = 12 + seed
    problem, starts = asymmetric_problem(n, seed), random_tours(n, 2, seed)
    result = gls.LocalSearch(moves, candidates=gls.Nearest(6))(problem, starts, backend="cpu")
    d, lists = problem.matrix.tolist(), gls.Nearest(6).of(problem).cities.tolist()
    for row, start in enumerate(starts.tolist()):
        tour, _, _ = oracle.descend(d, lists, start, [search], symmetric=False)
        assert result.tours[row].tolist() == tour
    assert (result.costs < problem.cost(starts)).all()


@pytest.mark.parametrize("part", [gls.TwoOpt(), gls.LinKernighan()])
def test_moves_that_turn_paths_are_refused_on_asymmetric_problems(part):
    problem = asymmetric_problem(9, 1)
    with pytest.raises(gls.exceptions.UnsupportedProblemError, match="reverses paths"):
        gls.LocalSearch([part])(problem, random_tours(9, 1), backend="cpu")


@pytest.mark.parametrize(("metric", "name"), diagonal(["EUC", "EXPLICIT_REAL"], LISTS))
def test_real_lengths_end_where_the_oracle_finds_next_to_nothing(metric, name):
    problem, (moves, searches) = random_problem(metric, 40, span=500), LISTS[name]
    starts = random_tours(40, 3)
    found = gls.LocalSearch(moves, candidates=gls.Nearest(6))(problem, starts, backend="cpu")
    assert (found.costs < problem.cost(starts)).all()
    d, lists = oracles.distance_matrix(problem).tolist(), gls.Nearest(6).of(problem).cities.tolist()
    for tour, cost in zip(found.tours.tolist(), found.costs, strict=True):
        again, _, left = oracle.descend(d, lists, tour, searches)
        assert left <= 2
        assert problem.cost([again])[0] > 0.98 * cost


def test_five_cities_by_hand():
    # Cities on a line at 0, 1, 2, 3, 4. The tour 0 2 1 3 4 has length 2 + 1 + 2 + 1 + 4 = 10; to
    # exchange 2 and 1 makes 0 1 2 3 4 of length 8, which is optimal.
    problem = gls.TSP([(x, 0) for x in range(5)], "EUC_2D")
    for moves in ([gls.TwoOpt()], [gls.OrOpt(1)], [gls.ThreeOpt()], [gls.LinKernighan()]):
        result = gls.LocalSearch(moves, candidates=gls.Nearest(2))(
            problem, [[0, 2, 1, 3, 4]], backend="cpu"
        )
        assert result.best_cost == 8, moves
        assert result.statistics.moves == 1


def test_or_opt_moves_a_segment_that_two_opt_cannot():
    # A square of 12 cities with the pair (10, 11), which belongs between 4 and 5, at its end.
    square = [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (3, 4), (3, 5), (2, 5), (1, 5), (0, 5)]
    problem = gls.TSP([*square, (3, 2), (3, 3)], metric="EUC")
    start = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 10]]
    found = gls.LocalSearch([gls.OrOpt(3)], candidates=gls.Nearest(4))(
        problem, start, backend="cpu"
    )
    assert found.best_cost == pytest.approx(16.0)


def test_a_second_search_finds_next_to_nothing():
    # The queue holds the ends of changed edges only, so a few moves may be left, but not many.
    problem = random_problem("EUC_2D", 200, span=1000)
    once = gls.LocalSearch()(problem, random_tours(200, 5), backend="cpu")
    twice = gls.LocalSearch()(problem, once.tours, backend="cpu")
    assert twice.statistics.moves < once.statistics.moves / 20


def test_lists_of_all_cities_have_a_limit():
    problem = gls.TSP(np.random.default_rng(1).integers(0, 9999, (900, 2)), "EUC_2D")
    with pytest.raises(gls.exceptions.InvalidParameterError, match=r"candidates: .* limit is 800"):
        gls.LocalSearch([gls.TwoOpt()], candidates=gls.All())(
            problem, random_tours(900, 1), backend="cpu"
        )


def test_names_make_parts():
    search = gls.LocalSearch(["two_opt", "or_opt"], candidates="nearest", pivoting="first")
    assert search == gls.LocalSearch()

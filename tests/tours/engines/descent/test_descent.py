"""Descents on candidate lists, by each pivoting rule, against the oracle on Python lists."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.tours.engines.descent.city_descent import look_bits
from gpu_ls_plugin.tours.engines.pivoting import FIRST_OF
from tests.helpers import descent_oracle as oracle
from tests.helpers import oracles
from tests.helpers.examples import examples
from tests.helpers.marks import diagonal, slow_after
from tests.helpers.random_problems import INTEGER, random_problem, random_tours

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
SWEPT = ("2-opt", "2-opt, Or-opt", "3-opt")  # with Best()


def sweep(*problem, max_moves):
    """The oracle of Best(), which does not count looks."""
    tour, moves = oracle.sweep(*problem, max_moves)
    return tour, None, moves


def descent_of(rule):
    """The function of the oracle that descends by a pivoting rule."""
    if isinstance(rule, gls.Best):
        return sweep
    if isinstance(rule, gls.Multi):
        return partial(oracle.descend_together, cities=rule.cities)
    return partial(oracle.descend, by_step=rule.best_of == "step")


def assert_same(problem, starts, name, rule, k=6, max_moves=None) -> None:
    """Tours and the counts of looks and moves equal those of the oracle."""
    moves, searches = LISTS[name]
    search = gls.LocalSearch(moves, candidates=gls.Nearest(k), pivoting=rule)
    result = search(problem, starts, budget=gls.Budget(moves=max_moves), backend="cpu")
    limit = float("inf") if max_moves is None else max_moves
    matrix, lists = lengths_and_lists(problem, k)
    expected = [
        descent_of(rule)(matrix, lists, start, searches, max_moves=limit)
        for start in starts.tolist()
    ]
    assert result.tours.tolist() == [tour for tour, _, _ in expected]
    if not isinstance(rule, gls.Best):
        assert result.statistics.passes == sum(looks for _, looks, _ in expected)
    assert result.statistics.moves == sum(moves for _, _, moves in expected)
    assert sum(result.statistics.moves_by.values()) == result.statistics.moves
    assert result.costs.tolist() == problem.cost(result.tours).tolist()


def lengths_and_lists(problem, k):
    """The lengths and the candidate lists of a problem, as Python lists."""
    lists = gls.Nearest(k).of(problem).cities.tolist()
    return oracles.distance_matrix(problem).tolist(), lists


SMALL = (  # cities, side of their square, seed, metric
    st.integers(4, 36),
    st.sampled_from([3, 9, 60]),
    st.integers(0, 10**6),
    st.sampled_from(INTEGER),  # equal real gains differ by rounding
)


@pytest.mark.slow
@examples(60)
@given(*SMALL, st.sampled_from(list(LISTS)), st.sampled_from(FIRST_OF))
def test_first_improvement(n, span, seed, metric, name, best_of):
    problem = random_problem(metric, n, seed, span)
    assert_same(problem, random_tours(n, 2, seed), name, gls.First(best_of), min(6, n - 1))


@pytest.mark.slow
@examples(20)
@given(*SMALL, st.sampled_from(list(LISTS)), st.sampled_from([1, 2, 7, 33, 64]))
def test_multi_improvement(n, span, seed, metric, name, cities):
    problem = random_problem(metric, n, seed, span)
    assert_same(problem, random_tours(n, 1, seed), name, gls.Multi(cities), min(6, n - 1))


@pytest.mark.slow
@examples(30)
@given(*SMALL, st.sampled_from(SWEPT), st.sampled_from([None, 2]))
def test_best_improvement(n, span, seed, metric, name, most):
    problem = random_problem(metric, n, seed, span)
    assert_same(problem, random_tours(n, 2, seed), name, gls.Best(), min(6, n - 1), most)


MIXED = ("2-opt, Or-opt", "3-opt, Or-opt", "chains of 6")  # the other lists are parts of these


@pytest.mark.parametrize(
    "name", slow_after(1, [*MIXED, *(name for name in LISTS if name not in MIXED)])
)
def test_long_descents(name):
    problem = random_problem("EUC_2D", 80, span=500)
    assert_same(problem, random_tours(80, 2), name, gls.First(), k=10)


@pytest.mark.slow
@pytest.mark.parametrize("name", LISTS)
def test_long_descents_by_multi_improvement(name):
    problem = random_problem("EUC_2D", 50, span=500)
    assert_same(problem, random_tours(50, 1), name, gls.Multi())


@pytest.mark.parametrize("name", SWEPT)
def test_best_improvement_leaves_no_move(name):
    problem, (moves, searches) = random_problem("EUC_2D", 120, span=1000), LISTS[name]
    search = gls.LocalSearch(moves, candidates=gls.Nearest(8), pivoting=gls.Best())
    found = search(problem, random_tours(120, 3), backend="cpu")
    for tour in found.tours.tolist():
        assert oracle.sweep(*lengths_and_lists(problem, 8), tour, searches) == (tour, 0)


@pytest.mark.parametrize("most", [0, 1, 5])
@pytest.mark.parametrize("rule", [gls.First(), gls.Multi(1), gls.Multi(64)], ids=str)
def test_budgets_in_moves_end_a_descent(rule, most):
    problem, tours = random_problem("EUC_2D", 40), random_tours(40, 3)
    assert_same(problem, tours, "2-opt, Or-opt", rule, max_moves=most)
    search, budget = gls.LocalSearch(pivoting=rule), gls.Budget(moves=most)
    counted = search(problem, tours, budget=budget, backend="cpu").statistics
    assert (counted.stopped_by, counted.moves) == ("moves", 3 * most)


def asymmetric_problem(n: int, seed: int) -> gls.TSP:
    random = np.random.default_rng(seed)
    points = random.integers(0, 100, (n, 2))
    up = np.maximum(0, points[:, None, 1] - points[None, :, 1])
    d = np.abs(points[:, None] - points[None]).sum(axis=-1) + 3 * up + random.integers(0, 9, (n, n))
    return gls.TSP.from_matrix(d)


OR_OPT, THREE_OPT = oracle.or_opt(3, symmetric=False), oracle.three_opt(symmetric=False)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("moves", "searches", "rule", "n"),
    [
        ([gls.OrOpt(3)], [OR_OPT], gls.First(), 12),
        ([gls.ThreeOpt()], [THREE_OPT], gls.First(), 12),
        ([gls.ThreeOpt(), gls.OrOpt(3)], [THREE_OPT, OR_OPT], gls.Multi(16), 40),
    ],
    ids=["Or-opt", "3-opt", "multi"],
)
def test_moves_on_asymmetric_problems_reverse_no_paths(moves, searches, rule, n, seed):
    n += 2 * seed
    problem, starts = asymmetric_problem(n, seed), random_tours(n, 2, seed)
    result = gls.LocalSearch(moves, gls.Nearest(6), rule)(problem, starts, backend="cpu")
    lists = gls.Nearest(6).of(problem).cities.tolist()
    for row, start in enumerate(starts.tolist()):
        tour, _, _ = descent_of(rule)(
            problem.matrix.tolist(), lists, start, searches, symmetric=False
        )
        assert result.tours[row].tolist() == tour
    assert (result.costs < problem.cost(starts)).all()


@pytest.mark.parametrize("part", [gls.TwoOpt(), gls.LinKernighan()])
def test_moves_that_reverse_paths_are_refused_on_asymmetric_problems(part):
    problem = asymmetric_problem(9, 1)
    with pytest.raises(gls.exceptions.UnsupportedProblemError, match="reverses paths"):
        gls.LocalSearch([part])(problem, random_tours(9, 1), backend="cpu")


@pytest.mark.parametrize(
    ("metric", "name", "rule", "n"),
    [
        *(
            pytest.param(*case.values, gls.First(), 40, marks=case.marks)
            for case in diagonal(["EUC", "EXPLICIT_REAL"], LISTS)
        ),
        ("EUC", "2-opt, Or-opt", gls.Multi(), 120),
    ],
)
def test_few_moves_are_left_on_real_lengths(metric, name, rule, n):
    problem, (moves, searches) = random_problem(metric, n, span=500), LISTS[name]
    starts = random_tours(n, 3)
    found = gls.LocalSearch(moves, gls.Nearest(6), rule)(problem, starts, backend="cpu")
    assert (found.costs < problem.cost(starts)).all()
    for tour, cost in zip(found.tours.tolist(), found.costs, strict=True):
        again, _, left = oracle.descend(*lengths_and_lists(problem, 6), tour, searches)
        assert left <= 2
        assert problem.cost([again])[0] > 0.98 * cost


def test_five_cities_by_hand():
    # Cities on a line at 0, 1, 2, 3, 4. The tour 0 2 1 3 4 has length 2 + 1 + 2 + 1 + 4 = 10. An
    # exchange of 2 and 1 makes 0 1 2 3 4 of length 8, which is optimal.
    problem = gls.TSP([(x, 0) for x in range(5)], "EUC_2D")
    for moves in ([gls.TwoOpt()], [gls.OrOpt(1)], [gls.ThreeOpt()], [gls.LinKernighan()]):
        search = gls.LocalSearch(moves, candidates=gls.Nearest(2))
        result = search(problem, [[0, 2, 1, 3, 4]], backend="cpu")
        assert (result.best_cost, result.statistics.moves) == (8, 1), moves


def test_or_opt_moves_a_segment_that_two_opt_cannot():
    # A square of 12 cities. The pair (10, 11) is at the end and belongs between 4 and 5.
    square = [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (3, 4), (3, 5), (2, 5), (1, 5), (0, 5)]
    problem = gls.TSP([*square, (3, 2), (3, 3)], metric="EUC")
    search = gls.LocalSearch([gls.OrOpt(3)], candidates=gls.Nearest(4))
    found = search(problem, [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 10]], backend="cpu")
    assert found.best_cost == pytest.approx(16.0)


def test_two_moves_in_one_pass_by_hand():
    # Eight cities on a circle with two pairs exchanged, 0 2 1 3 4 6 5 7: the first pass repairs
    # both, and a second pass finds nothing.
    ring = np.pi / 4 * np.arange(8)
    problem = gls.TSP(np.round(1000 * np.column_stack([np.cos(ring), np.sin(ring)])), "EUC_2D")
    search = gls.LocalSearch([gls.OrOpt(1)], gls.Nearest(2), gls.Multi())
    result = search(problem, [[0, 2, 1, 3, 4, 6, 5, 7]], backend="cpu")
    assert result.tours.tolist() == [list(range(8))]
    assert result.statistics.moves == 2
    assert result.statistics.passes <= 16


def test_results_of_multi_do_not_depend_on_launches(monkeypatch):
    problem, starts = random_problem("EUC_2D", 200, span=1000), random_tours(200, 4)
    search = gls.LocalSearch(pivoting=gls.Multi(9))
    whole = search(problem, starts, backend="cpu")
    monkeypatch.setattr(tuning, "LAUNCH_SECONDS", 1e-9)  # one or a few passes in a launch
    pieces = search(problem, starts, backend="cpu")
    assert pieces.statistics.launches > 20 > whole.statistics.launches
    assert np.array_equal(pieces.tours, whole.tours)
    assert pieces.statistics.passes == whole.statistics.passes


@pytest.mark.parametrize("n", [4, 31, 32, 33, 64, 65, 1000])
def test_every_city_has_a_look_bit(n):
    (words,) = look_bits(np, np.ones((1, n), bool))
    bits = [b * len(words) + w for w, word in enumerate(words.tolist()) for b in range(32)
            if word >> b & 1]  # fmt: skip
    assert sorted(bits) == list(range(n))


def test_names_make_parts():
    search = gls.LocalSearch(["two_opt", "or_opt"], candidates="nearest", pivoting="first")
    assert search == gls.LocalSearch()

"""Multi improvement against the oracle on lists, which checks that gains add up."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.tours.engines.descent.city_descent import look_bits
from tests.helpers import descent_oracle as oracle
from tests.helpers import oracles
from tests.helpers.examples import examples
from tests.helpers.random_problems import INTEGER, random_problem, random_tours
from tests.tours.engines.descent import test_descent
from tests.tours.engines.descent.test_descent import LISTS, asymmetric_problem


def assert_same(problem, starts, name, cities, **others) -> None:
    """Tours, looks and moves are the oracle's."""
    rule, descend = gls.Multi(cities), partial(oracle.descend_together, cities=cities)
    test_descent.assert_same(problem, starts, name, rule=rule, descend=descend, **others)


@pytest.mark.slow
@examples(20)
@given(
    st.integers(4, 36),
    st.sampled_from([3, 9, 60]),
    st.integers(0, 10**6),
    st.sampled_from(INTEGER),  # equal real gains differ by rounding
    st.sampled_from(list(LISTS)),
    st.sampled_from([1, 2, 7, 33, 64]),
)
def test_moves_together_are_those_of_the_oracle(n, span, seed, metric, name, cities):
    problem = random_problem(metric, n, seed, span)
    assert_same(problem, random_tours(n, 1, seed), name, cities, k=min(6, n - 1))


@pytest.mark.slow
@pytest.mark.parametrize("name", LISTS)
def test_long_descents_are_those_of_the_oracle(name):
    problem = random_problem("EUC_2D", 50, span=500)
    assert_same(problem, random_tours(50, 1), name, 64)


@pytest.mark.parametrize("most", [0, 1, 5])
@pytest.mark.parametrize("cities", [1, 64])
def test_budgets_in_moves_cut_a_descent(most, cities):
    problem = random_problem("EUC_2D", 40)
    assert_same(problem, random_tours(40, 3), "2-opt, Or-opt", cities, max_moves=most)


@pytest.mark.parametrize("seed", range(5))
def test_asymmetric_problems_are_searched_without_turning(seed):
    n = 40 + seed
    problem, starts = asymmetric_problem(n, seed), random_tours(n, 2, seed)
    parts = ([gls.ThreeOpt(), gls.OrOpt(3)], gls.Nearest(6), gls.Multi(16))
    result = gls.LocalSearch(*parts)(problem, starts, backend="cpu")
    d, lists = problem.matrix.tolist(), gls.Nearest(6).of(problem).cities.tolist()
    searches = [oracle.three_opt(symmetric=False), oracle.or_opt(3, symmetric=False)]
    for row, start in enumerate(starts.tolist()):
        tour, _, _ = oracle.descend_together(d, lists, start, searches, cities=16, symmetric=False)
        assert result.tours[row].tolist() == tour


def test_real_lengths_end_where_the_oracle_finds_nothing():
    problem, starts = random_problem("EUC", 120, span=500), random_tours(120, 3)
    found = gls.LocalSearch(pivoting=gls.Multi())(problem, starts, backend="cpu")
    d = oracles.distance_matrix(problem).tolist()
    lists = gls.Nearest(10).of(problem).cities.tolist()
    for tour, cost in zip(found.tours.tolist(), found.costs, strict=True):
        again, _, left = oracle.descend(d, lists, tour, [oracle.two_opt, oracle.or_opt(3)])
        assert left <= 2
        assert problem.cost([again])[0] > 0.98 * cost


def test_two_moves_in_one_round_by_hand():
    # Eight cities on a circle with two pairs exchanged, 0 2 1 3 4 6 5 7: both exchanges are made in
    # the first round of looks, a second one finds nothing.
    ring = np.pi / 4 * np.arange(8)
    problem = gls.TSP(np.round(1000 * np.column_stack([np.cos(ring), np.sin(ring)])), "EUC_2D")
    search = gls.LocalSearch([gls.OrOpt(1)], gls.Nearest(2), gls.Multi())
    result = search(problem, [[0, 2, 1, 3, 4, 6, 5, 7]], backend="cpu")
    assert result.tours.tolist() == [list(range(8))]
    assert result.statistics.moves == 2
    assert result.statistics.passes <= 16


def test_optima_are_as_good_as_those_of_first_improvement():
    problem = random_problem("EUC_2D", 400, span=10_000)
    starts = random_tours(400, 20)
    multi, first = (
        gls.LocalSearch(pivoting=rule)(problem, starts, backend="cpu").costs.mean()
        for rule in (gls.Multi(), gls.First())
    )
    assert multi < 1.02 * first


def test_launches_do_not_matter(monkeypatch):
    problem, starts = random_problem("EUC_2D", 200, span=1000), random_tours(200, 4)
    search = gls.LocalSearch(pivoting=gls.Multi(9))
    whole = search(problem, starts, backend="cpu")
    monkeypatch.setattr(tuning, "LAUNCH_SECONDS", 1e-9)  # a round or a few in a launch
    pieces = search(problem, starts, backend="cpu")
    assert pieces.statistics.launches > 20 > whole.statistics.launches
    assert np.array_equal(pieces.tours, whole.tours)
    assert pieces.statistics.passes == whole.statistics.passes


@pytest.mark.parametrize("n", [4, 31, 32, 33, 64, 65, 1000])
def test_every_city_has_a_bit(n):
    (words,) = look_bits(np, np.ones((1, n), bool))
    bits = [b * len(words) + w for w, word in enumerate(words.tolist()) for b in range(32)
            if word >> b & 1]  # fmt: skip
    assert sorted(bits) == list(range(n))

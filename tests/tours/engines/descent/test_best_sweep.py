"""Best improvement on candidates against the oracle on lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from tests.helpers import descent_oracle as oracle
from tests.helpers import oracles
from tests.helpers.examples import examples
from tests.helpers.random_problems import INTEGER, random_problem, random_tours

LISTS = {
    "2-opt": ([gls.TwoOpt()], [oracle.two_opt]),
    "2-opt, Or-opt": ([gls.TwoOpt(), gls.OrOpt(3)], [oracle.two_opt, oracle.or_opt(3)]),
    "3-opt": ([gls.ThreeOpt()], [oracle.three_opt()]),
}


@examples(30)
@given(
    st.integers(4, 25),
    st.sampled_from([3, 9, 60]),
    st.integers(0, 10**6),
    st.sampled_from(INTEGER),  # equal real gains differ by rounding
    st.sampled_from(list(LISTS)),
    st.sampled_from([None, 2]),
)
def test_climbs_are_those_of_the_oracle(n, span, seed, metric, name, most):
    problem, k = random_problem(metric, n, seed, span), min(6, n - 1)
    starts, (moves, searches) = random_tours(n, 2, seed), LISTS[name]
    search = gls.LocalSearch(moves, candidates=gls.Nearest(k), pivoting=gls.Best())
    result = search(problem, starts, budget=gls.Budget(moves=most), backend="cpu")
    d = oracles.distance_matrix(problem).tolist()
    lists = gls.Nearest(k).of(problem).cities.tolist()
    limit = float("inf") if most is None else most
    expected = [oracle.sweep(d, lists, start, searches, limit) for start in starts.tolist()]
    assert result.tours.tolist() == [tour for tour, _ in expected]
    assert result.statistics.moves == sum(count for _, count in expected)
    assert result.costs.tolist() == problem.cost(result.tours).tolist()


@pytest.mark.parametrize("name", LISTS)
def test_no_move_is_left_at_any_city(name):
    problem = random_problem("EUC_2D", 120, span=1000)
    search = gls.LocalSearch(LISTS[name][0], candidates=gls.Nearest(8), pivoting=gls.Best())
    once = search(problem, random_tours(120, 3), backend="cpu")
    d = oracles.distance_matrix(problem).tolist()
    lists = gls.Nearest(8).of(problem).cities.tolist()
    for tour in once.tours.tolist():
        assert oracle.sweep(d, lists, tour, LISTS[name][1]) == (tour, 0)


def test_neighbourhoods_that_no_engine_serves_are_refused():
    for moves in ([gls.OrOpt(3)], [gls.TwoOpt(), gls.OrOpt(3)], [gls.LinKernighan()]):
        with pytest.raises(gls.exceptions.InvalidParameterError, match=r"over All\(\) cities"):
            gls.LocalSearch(moves, candidates=gls.All(), pivoting=gls.Best())

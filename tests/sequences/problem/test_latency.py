"""Latency: sums of arrivals by definition, the functor and bad input."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
)
from tests.sequences.problem.functors import costs_by_functor, permutations

SQUARE = gls.TSP([(0, 0), (0, 3), (4, 3), (4, 0)], "EUC_2D", name="square")


def problem_of(n, integer, closed, seed):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 30, (n, n)) if integer else 30 * rng.random((n, n))
    return gls.Latency(gls.TSP.from_matrix(matrix), int(rng.integers(n)), closed)


def rows_of(problem, size):
    """Return random sequences that begin with the start."""
    rows = permutations(size, problem.n)
    others = rows[rows != problem.start].reshape(size, -1)
    return np.concatenate([np.full((size, 1), problem.start, np.int32), others], axis=1)


@given(st.integers(1, 7), st.booleans(), st.booleans(), st.integers(0, 999))
def test_costs_follow_the_definition(n, integer, closed, seed):
    problem = problem_of(n, integer, closed, seed)
    rows = rows_of(problem, 3)
    for row, cost in zip(rows.tolist(), problem.cost(rows), strict=True):
        now = expected = 0
        for here, there in zip(row, [*row[1:], row[0]][: n if closed and n > 1 else n - 1]):
            now += problem.distances[here, there]
            expected += now
        assert cost == expected if integer else cost == pytest.approx(expected)
    assert problem.cost_dtype == (np.int64 if integer else np.float64)


def test_a_small_problem():
    # From (0, 0) to (0, 3) at 3, to (4, 3) at 7, to (4, 0) at 10, and back at 14.
    assert gls.Latency(SQUARE).cost([0, 1, 2, 3]).tolist() == [20]
    assert gls.Latency(SQUARE, closed=True).cost([0, 1, 2, 3]).tolist() == [34]
    assert gls.Latency(SQUARE, start=2).cost([2, 1, 0, 3]).tolist() == [4 + 7 + 11]
    real = gls.Latency(gls.TSP([(0, 0), (0.5, 0), (2, 0)]))
    assert real.cost([0, 2, 1]).tolist() == [2 + 3.5]
    one_way = gls.Latency(gls.TSP.from_matrix([[0, 1, 5], [9, 0, 2], [9, 9, 0]]))
    assert one_way.cost([0, 1, 2]).tolist() == [1 + 3]


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("integer", [False, True])
def test_the_functor(integer, closed):
    for n in (1, 2, 9):
        problem = problem_of(n, integer, closed, n)
        rows = rows_of(problem, 50)
        costs = costs_by_functor(problem, rows)
        tolerance = 0 if integer else 1e-12
        np.testing.assert_allclose(costs, np.tile(problem.cost(rows)[:, None], n + 1), tolerance)


def test_the_functor_of_large_distances():
    class Far:
        n = 3

        def distance(self, a, b):
            return 2**40 * np.abs(a - b)

    problem = gls.Latency(Far(), closed=True)
    assert problem.distances.dtype == np.int64
    rows = np.array([[0, 2, 1], [0, 1, 2]], np.int32)
    costs = costs_by_functor(problem, rows)
    np.testing.assert_array_equal(costs, np.tile(problem.cost(rows)[:, None], 4))
    assert costs[:, 0].tolist() == [2**40 * (2 + 3 + 4), 2**40 * (1 + 2 + 4)]


def test_costs_do_not_depend_on_the_batch():
    problem = problem_of(200, False, False, 1)
    rows = rows_of(problem, 300)
    assert problem.cost(rows).tolist() == [problem.cost(row)[0] for row in rows]


def test_every_row_begins_with_the_start():
    problem = gls.Latency(SQUARE, start=1)
    assert (problem.front, problem.fixed) == ((1,), 1)
    with pytest.raises(InvalidTourError, match=r"row 1 begins with \[0\], but all .* with \[1\]"):
        problem.cost([[1, 0, 2, 3], [0, 1, 2, 3]])
    with pytest.raises(InvalidTourError, match="row 0 is not a permutation"):
        problem.cost([1, 0, 0, 3])


def test_descriptions_and_copies():
    problem = problem_of(5, False, True, 0)
    copy = pickle.loads(pickle.dumps(problem))
    rows = rows_of(problem, 10)
    np.testing.assert_array_equal(copy.cost(rows), problem.cost(rows))
    assert repr(copy) == f"<Latency: 5 cities, start {problem.start}, closed>"
    assert repr(gls.Latency(SQUARE)) == "<Latency 'square': 4 cities, start 0>"
    assert gls.Latency(SQUARE, name="a", optimum=20).optimum == 20


class Strange:
    """Distances that no TSP has."""

    def __init__(self, value, n=3):
        self.value, self.n = value, n

    def distance(self, a, b):
        return np.where(np.asarray(a) == b, 0, np.array(self.value))


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        (([[0, 1], [1, 0]],), InvalidTypeError, "tsp: .* has no distances; pass TSP"),
        ((gls.TSP,), InvalidTypeError, "tsp: .* has no distances"),
        ((None,), InvalidTypeError, "tsp: None has no distances"),
        ((Strange(1, None),), InvalidTypeError, "tsp: n: None is not an integer"),
        ((Strange(1, 2**14 + 1),), InvalidProblemError, "tsp: 16385 cities, but at most 16384"),
        ((Strange(-1),), InvalidProblemError, "tsp: distances are negative"),
        ((Strange(float("nan")),), InvalidProblemError, r"tsp: distances: entry \(0, 1\) is nan"),
        ((Strange(2**60),), InvalidProblemError, r"tsp: costs may reach 2\*\*62"),
        ((Strange(1e20),), InvalidProblemError, r"tsp: costs may reach 2\*\*62"),
        ((SQUARE, 4), InvalidParameterError, "start: 4 is not between 0 and 3"),
        ((SQUARE, 0.5), InvalidTypeError, "start: 0.5 is not an integer"),
        ((SQUARE, 0, "yes"), InvalidTypeError, "closed: 'yes' is not a bool"),
    ],
)
def test_bad_input(arguments, error, reason):
    with pytest.raises(error, match=reason):
        gls.Latency(*arguments)

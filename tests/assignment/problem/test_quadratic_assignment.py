"""Quadratic assignment: costs by brute force, the functor, and random instances."""

from __future__ import annotations

import itertools
from bisect import bisect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidProblemError
from gpu_ls_plugin.testing import check_assignment
from tests.helpers.marks import slow_after
from tests.testing.faults import ON_BOTH

# nug12 (Nugent, Vollmann and Ruml 1968): flows on a grid of 3 x 4, optimum 578 (QAPLIB).
NUG12 = (
    "5 2 4 1 0 0 6 2 1 1 1 3 0 2 2 2 0 4 5 0 0 0 0 0 0 5 5 2 2 2 5 2 2 10 0 0 5 5 10 0 0 0 5 1 1 "
    "5 1 1 5 4 0 10 5 2 3 3 0 0 5 0 0 10 10 5 0 2"
)


def symmetric(table):
    return table + table.T


def nug12():
    place = np.array(list(itertools.product(range(3), range(4))))
    grid = np.abs(place[:, None] - place).sum(axis=2)
    flows = np.zeros((12, 12), int)
    flows[np.triu_indices(12, 1)] = NUG12.split()
    return grid, symmetric(flows)


@st.composite
def cases(draw):
    n = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    flows, distances = (rng.integers(-9, 10, (n, n)) for _ in range(2))
    rows = rng.integers(-1, n, (4, n))
    rows[0] = rng.permutation(n)
    return flows, distances, rows


@given(cases())
def test_costs_are_products(case):
    flows, distances, rows = case
    problem = gls.QuadraticAssignment(flows, distances)
    for row, cost, feasible in zip(rows, problem.cost(rows), problem.feasible(rows), strict=True):
        pairs = itertools.product(range(len(row)), repeat=2)
        expected = sum(
            flows[i][j] * distances[row[i]][row[j]] for i, j in pairs if min(row[i], row[j]) >= 0
        )
        assert cost == expected
        assert feasible == (sorted(row) == list(range(len(row))))


def kinds():
    """Matrices for each type of the functor."""
    rng = np.random.default_rng(8)
    flows, distances = rng.integers(-9, 10, (7, 7)), rng.integers(0, 20, (7, 7))
    both = [(symmetric(flows), distances), (flows, symmetric(distances))]
    yield "gls::QuadraticAssignment<int, short, 1>", [*both, ([[5]], [[7]]), nug12()]
    yield "gls::QuadraticAssignment<int, short, 2>", [(flows, distances)]
    yield "gls::QuadraticAssignment<int, int, 1>", [(f * 4000, d) for f, d in both]
    large = 10**9
    yield "gls::QuadraticAssignment<gls::int64, gls::int64, 1>", [(f * large, d) for f, d in both]
    yield "gls::QuadraticAssignment<gls::int64, gls::int64, 2>", [(flows * large, distances)]


@ON_BOTH
@pytest.mark.parametrize(("functor", "tables"), slow_after(2, kinds()))
def test_the_functor(functor, tables, backend):
    for flows, distances in tables:
        problem = gls.QuadraticAssignment(flows, distances)
        assert problem.functor() == functor
        check_assignment(problem, backend=backend)


def uniform(flows, distance):
    return gls.QuadraticAssignment(flows, np.full_like(flows, distance))


def test_numbers_near_2_to_the_31():
    """The largest numbers in 32 bits; the compiler's sanitizer finds overflows."""
    flows = np.full((3, 3), 10**4)
    distances = range(1, 2**15)
    most = bisect(distances, 0, key=lambda d: "64" in uniform(flows, d).functor())
    rng = np.random.default_rng(0)
    for _ in range(3):
        signs = rng.choice([-1, 1], (2, 3, 3))
        distances = symmetric(np.triu(signs[1])) * (most // 2)
        problem = gls.QuadraticAssignment(flows * signs[0], distances)
        assert problem.functor() == "gls::QuadraticAssignment<int, short, 1>"
        check_assignment(problem, backend="cpu")


@pytest.mark.parametrize(
    ("flows", "distances", "words"),
    [
        ([[1, 2]], [[1]], r"flows: shape \(1, 2\) is not"),
        ([[1]], [[1, 2], [3, 4]], "distances: 2 locations, but flows are of 1"),
        ([[1.5]], [[1]], "flows: entry .* is 1.5"),
        ([[1]], [[float("inf")]], "distances: entry"),
        ([[2**40]], [[2**20]], "flows: sums of products"),
        ([], [], "flows: shape"),
    ],
)
def test_invalid_data_are_refused(flows, distances, words):
    with pytest.raises(InvalidProblemError, match=words):
        gls.QuadraticAssignment(flows, distances)


def test_uniform_instances():
    problem = gls.QuadraticAssignment.generated(60, seed=2)
    for table in (problem.flows, problem.distances):
        assert np.array_equal(table, table.T) and not table.diagonal().any()
        others = table[np.triu_indices(60, 1)]
        assert (others.min(), others.max()) == (0, 99) and abs(others.mean() - 49.5) < 3
    assert not np.array_equal(problem.flows, problem.distances)
    again, other = (gls.QuadraticAssignment.generated(60, seed=seed) for seed in (2, 3))
    assert np.array_equal(problem.flows, again.flows)
    assert not np.array_equal(problem.flows, other.flows)


@given(st.integers(0, 2**32), st.integers(2, 5), st.integers(1, 3))
def test_facilities_of_a_kind_change_places_at_no_cost(seed, n, most):
    rng = np.random.default_rng(seed)
    flows = rng.integers(0, most, (n, n))
    flows[1] = flows[0]  # more often alike than at random
    problem = gls.QuadraticAssignment(flows, rng.integers(0, 99, (n, n)))
    rows = np.array(list(itertools.permutations(range(n))))
    for first, second in itertools.combinations(range(n), 2):
        order = np.arange(n)
        order[[first, second]] = second, first
        same = np.array_equal(flows, flows[np.ix_(order, order)])
        assert same == (problem.kinds[first] == problem.kinds[second])
        if same:
            np.testing.assert_array_equal(problem.cost(rows), problem.cost(rows[:, order]))

"""Linear ordering: sums by definition, the functor, files and bad input."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    FileFormatError,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
)
from tests.helpers.instances import instance_path
from tests.sequences.problem.functors import costs_by_functor, permutations

MATRIX = [[7, 1, 2], [3, 7, 4], [5, 6, 7]]


def problem_of(n, integer, seed):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-30, 30, (n, n)) if integer else 30 * rng.standard_normal((n, n))
    return gls.LinearOrdering(matrix)


@given(st.integers(1, 7), st.booleans(), st.integers(0, 999))
def test_costs_follow_the_definition(n, integer, seed):
    problem = problem_of(n, integer, seed)
    rows = permutations(3, n, seed)
    for row, cost in zip(rows.tolist(), problem.cost(rows), strict=True):
        pairs = [(row[a], row[b]) for b in range(n) for a in range(b)]
        expected = -sum(problem.matrix[pair] for pair in pairs)
        assert cost == expected if integer else cost == pytest.approx(expected)
    assert problem.cost_dtype == (np.int64 if integer else np.float64)


def test_a_small_problem():
    problem = gls.LinearOrdering(MATRIX)
    assert problem.cost([[0, 1, 2], [2, 1, 0]]).tolist() == [-(1 + 2 + 4), -(6 + 5 + 3)]
    assert problem.matrix.diagonal().tolist() == [0, 0, 0]
    real = gls.LinearOrdering(np.array(MATRIX) / 2)
    assert real.cost([2, 1, 0]).tolist() == [-7.0] and not real.integer


@pytest.mark.parametrize("integer", [False, True])
def test_the_functor(integer):
    for n in (1, 2, 9):
        problem = problem_of(n, integer, n)
        rows = permutations(50, n)
        costs = costs_by_functor(problem, rows)
        expected = np.tile(problem.cost(rows)[:, None], n + 1)
        np.testing.assert_allclose(costs, expected, 0 if integer else 1e-9)


def test_the_functor_of_large_entries():
    problem = gls.LinearOrdering([[0, 2**40], [-(2**33), 0]])
    assert problem.objective.functor() == "gls::LinearOrdering<gls::int64, gls::int64>"
    assert costs_by_functor(problem, np.array([[0, 1]], np.int32))[0, 0] == -(2**40)


def test_costs_do_not_depend_on_the_batch():
    problem = problem_of(60, False, 1)
    rows = permutations(300, 60)
    assert problem.cost(rows).tolist() == [problem.cost(row)[0] for row in rows]


def test_descriptions_and_copies():
    problem = problem_of(5, False, 0)
    copy = pickle.loads(pickle.dumps(problem))
    rows = permutations(10, 5)
    np.testing.assert_array_equal(copy.cost(rows), problem.cost(rows))
    assert repr(copy) == "<LinearOrdering: 5 items>"
    named = gls.LinearOrdering(MATRIX, name="a", optimum=-14)
    assert (repr(named), named.optimum) == ("<LinearOrdering 'a': 3 items>", -14)
    with pytest.raises(InvalidTourError, match="row 0 is not a permutation: item 0"):
        named.cost([0, 0, 1])


@pytest.mark.parametrize(
    ("matrix", "error", "reason"),
    [
        ([1, 2, 3], InvalidProblemError, r"matrix: shape \(3,\) is not \(n, n\)"),
        ([1.5, 2.5], InvalidProblemError, r"matrix: shape \(2,\) is not \(n, n\)"),
        ([[1, 2, 3]], InvalidProblemError, r"matrix: shape \(1, 3\) is not \(n, n\)"),
        (np.zeros((0, 0)), InvalidProblemError, "matrix: shape"),
        ([[1, 2], [3]], InvalidProblemError, "matrix: rows of different lengths"),
        ([[1, float("nan")], [3, 4]], InvalidProblemError, r"entry \(0, 1\) is nan, not finite"),
        ([[1, "a"], [3, 4]], InvalidTypeError, "matrix: entries must be numbers"),
        ([[0, 2**61], [1, 0]], InvalidProblemError, r"matrix: sums may reach 2\*\*62"),
        (
            np.full((2, 2), 2**63, np.uint64),
            InvalidProblemError,
            "matrix: entry .* not an integer of 64 bits",
        ),
        ([[0, 1e300], [1, 0]], InvalidProblemError, r"matrix: sums may reach 2\*\*62"),
        (np.zeros((4097, 4097), np.int8), InvalidProblemError, "matrix: 4097 items, but at most"),
    ],
)
def test_bad_input(matrix, error, reason):
    with pytest.raises(error, match=reason):
        gls.LinearOrdering(matrix)


def test_bad_labels():
    with pytest.raises(InvalidTypeError, match="name: 3 is not a string"):
        gls.LinearOrdering(MATRIX, name=3)
    with pytest.raises(InvalidParameterError, match="optimum"):
        gls.LinearOrdering(MATRIX, optimum=float("inf"))


@pytest.mark.parametrize("begin", ["3\n", "\n3 ", "Three sectors, 1975\n3\n", "3 sectors\n\n3 "])
def test_files_are_read(begin, tmp_path):
    path = tmp_path / "small"
    path.write_text(f"{begin}7 1 2\n3 7 4\n5 6 7\n")
    problem = gls.LinearOrdering.read(path, optimum=-14)
    assert problem.matrix.tolist() == [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    assert (problem.name, problem.optimum) == ("small", -14)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "ends after 0 of 1 numbers"),
        ("a title\n", "ends after 0 of 1 numbers"),
        ("0\n", "line 1: 0 items"),
        ("2\n1 2\n3\n", "line 3: the file ends after 3 of 4 numbers"),
        ("title\n2\n1 2\n3 4\n5\n", "line 5: '5' follows the last number"),
        ("2\n1 2\nx 4\n", "line 3: 'x' is not an integer"),
        ("2\n1 2\n0.5 4\n", "line 3: '0.5' is not an integer"),
        (f"2\n1 {2**61}\n3 4\n", "sums may reach"),
        ("2\n1 \0\n", "a binary file"),
    ],
)
def test_damaged_files_are_refused(text, reason, tmp_path):
    path = tmp_path / "a.mat"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=reason) as caught:
        gls.LinearOrdering.read(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", ["be75eec", "usa79", "t65n11xx_250"])
def test_published_instances(name):
    path = instance_path(f"lop/{name}")
    problem = gls.LinearOrdering.read(path)
    n, *entries = map(int, path.read_text().split())
    diagonal = sum(entries[:: n + 1])
    row = np.arange(n)
    assert problem.n == n
    assert problem.cost([row, row[::-1]]).sum() == diagonal - sum(entries)

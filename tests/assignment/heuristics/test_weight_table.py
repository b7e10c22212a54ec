"""Weight tables, and the messages of refused arguments."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.problem.assignment import check_states
from gpu_ls_plugin.core.exceptions import (
    CompilationError,
    InsufficientMemoryError,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from tests.helpers.heuristics import Spread

ONES = np.ones((3, 4), int)


class Plain(gls.Assignment):
    integer = True

    def cost(self, rows):
        return self.check(rows).sum(axis=1)


@pytest.mark.parametrize(
    ("weights", "error", "words"),
    [
        ([(1, -2)], InvalidParameterError, r"weights: -2 at \(0, 1\) is not between 0"),
        ([(1, 2**32)], InvalidParameterError, "4294967296 at"),
        ([(1.0, float("nan"))], InvalidTypeError, "must be integers, not float64"),
        ([(1, 2), (3,)], InvalidTypeError, "weights: "),
        ([[True]], InvalidTypeError, "not bool"),
        ([[]], InvalidParameterError, r"shape \(1, 0\)"),
        ([], InvalidParameterError, r"shape \(0,\)"),
        ([1, 2], InvalidParameterError, r"is not \(variables, values\)"),
        (np.ones((2, 2, 2), int), InvalidParameterError, r"shape \(2, 2, 2\)"),
    ],
)
def test_invalid_weights_are_refused(weights, error, words):
    with pytest.raises(error, match=words):
        gls.WeightTable(weights)


def test_weights_are_copied():
    given = np.array([(0, 2**32 - 1)], np.uint64)
    table = gls.WeightTable(given)
    given[0] = 7
    assert table.weights.tolist() == [[0, 2**32 - 1]]
    with pytest.raises(ValueError, match="read-only"):
        table.weights[0] = 1


@pytest.mark.parametrize(
    ("states", "options", "error", "words"),
    [
        ([(0, 0, 4)], {}, InvalidTourError, "states: row 0 assigns value 4 to variable 2, whose"),
        ([(0, 0, 0), (0, -2, 0)], {}, InvalidTourError, "row 1 assigns value -2 to variable 1"),
        ([(0, 0)], {}, InvalidTourError, r"states of 3 variables are \(P, 3\)"),
        ([(0, 0), (0,)], {}, InvalidTourError, "different lengths"),
        ([(0, 0, 0.5)], {}, InvalidTypeError, "must be integers"),
        ([(0, 0, 0)], {"count": 0}, InvalidParameterError, "count: 0"),
        ([(0, 0, 0)], {"count": 1.0}, InvalidTypeError, "count"),
        ([(0, 0, 0)], {"order": "random"}, InvalidParameterError, "order: 'random'"),
        ([(0, 0, 0)], {"active": [1, 0, 1]}, InvalidTypeError, "active: int64 is not Boolean"),
        ([(0, 0, 0)], {"active": [True]}, InvalidParameterError, r"active: shape \(1,\)"),
        ([(0, 0, 0)], {"seed": -1}, InvalidParameterError, "seed: -1"),
        ([(0, 0, 0)], {"first_row": -1}, InvalidParameterError, "first_row: -1"),
        ([(0, 0, 0)], {"memory_limit": 0}, InsufficientMemoryError, "memory_limit"),
    ],
)
def test_invalid_calls_are_refused(states, options, error, words):
    generate = gls.SuccessorGeneration(gls.WeightTable(ONES))
    with pytest.raises(error, match=words):
        generate(None, states, backend="cpu", **options)


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (Plain([4, 4]), "weights are for 3 variables, but the problem has 2"),
        (Plain([4, 5, 4]), "weights are for 4 values, but variable 1 has 5"),
    ],
)
def test_a_table_of_another_problem_is_refused(problem, words):
    with pytest.raises(UnsupportedProblemError, match=words):
        gls.SuccessorGeneration(gls.WeightTable(ONES))(problem, [(0, 0, 0)], backend="cpu")


def test_heuristics_of_another_size_are_refused():
    with pytest.raises(UnsupportedProblemError, match="variable 1, but the problem has 2"):
        gls.SuccessorGeneration(Spread(2, 3, 2))(Plain([3, 2]), [(0, 0)], backend="cpu")
    with pytest.raises(UnsupportedProblemError, match="'spread' has 5 variables, but the problem"):
        gls.SuccessorGeneration(Spread(5, 2, 2))(Plain([2] * 3), [(0, 0, 0)], backend="cpu")
    with pytest.raises(InvalidTypeError, match="problem: 3 is not a Problem"):
        gls.SuccessorGeneration(gls.WeightTable(ONES))(3, [(0, 0, 0)], backend="cpu")
    with pytest.raises(InvalidTypeError, match="heuristic: 3 is not a Heuristic"):
        gls.SuccessorGeneration(3)
    with pytest.raises(InvalidParameterError, match="sampler: 'gumbel' is not one of auto, stored"):
        gls.SuccessorGeneration(gls.WeightTable(ONES), "gumbel")


def test_a_functor_that_does_not_compile():
    class Wrong(Spread):
        def source(self):
            return super().source().replace("loads(state)[bin];", "no_such_loads[bin];")

    with pytest.raises(CompilationError, match="no_such_loads"):
        gls.SuccessorGeneration(Wrong(2, 2, 2))(None, [(0, 0)], backend="cpu")


def test_the_rating_size_is_checked():
    class Wrong(Spread):
        rating_bytes = 4

    with pytest.raises(CompilationError, match="rating_bytes"):
        gls.SuccessorGeneration(Wrong(2, 2, 2))(None, [(0, 0)], backend="cpu")


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ([], "integers of shape"),
        ([[1]], "integers of shape"),
        ([1.0], "float64"),
        ([2, 0], "variable 1 has 0 values"),
        ([2**31], "variable 0 has 2147483648"),
    ],
)
def test_invalid_sizes_are_refused(sizes, words):
    with pytest.raises(InvalidProblemError, match=words):
        Plain(sizes)


def test_states_are_checked():
    assert check_states([0, -1], np.array([1, 1])).tolist() == [[0, -1]]
    problem = Plain([1, 2])
    assert problem.n == 2 and problem.check([[-1, 1]], parameter="x").dtype == np.int32
    with pytest.raises(InvalidTourError, match="x: row 0 assigns value 1 to variable 0"):
        problem.check([1, 1], parameter="x")


class Rated(Spread):
    """`Spread` with a rater."""

    name = "rated"

    def functor(self):
        return "Rated"

    def source(self):
        rater = """
struct Rated : Spread {
  using Spread::Spread;
  struct Rater {
    const int* loads;
    GLS_DEVICE gls::int64 operator()(int bin) const { return loads[bin]; }
  };
  GLS_DEVICE Rater rater(const gls::State& state, int) const { return {loads(state)}; }
  void rate(const gls::State&, int, int) const;  // never called
};
"""
        return super().source() + rater


@pytest.mark.parametrize("sampler", ["stored", "rescan"])
def test_a_rater_replaces_rate(sampler):
    states = np.full((4, 9), -1)
    parts = (part(9, 4, 3) for part in (Spread, Rated))
    found = [gls.SuccessorGeneration(p, sampler)(None, states, backend="cpu") for p in parts]
    assert np.array_equal(*found)

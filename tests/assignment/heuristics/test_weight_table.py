"""Weight tables, states and ratings: copies, checks, and raters of a functor."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.problem.assignment import check_states
from gpu_ls_plugin.core.exceptions import CompilationError, InvalidTourError
from tests.helpers.heuristics import Plain, Spread


def test_weights_are_copied():
    given = np.array([(0, 2**32 - 1)], np.uint64)
    table = gls.WeightTable(given)
    given[0] = 7
    assert table.weights.tolist() == [[0, 2**32 - 1]]
    with pytest.raises(ValueError, match="read-only"):
        table.weights[0] = 1


def test_the_rating_size_is_checked():
    class Wrong(Spread):
        rating_bytes = 4

    with pytest.raises(CompilationError, match="rating_bytes"):
        gls.SuccessorGeneration(Wrong(2, 2, 2))(None, [(0, 0)], backend="cpu")


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

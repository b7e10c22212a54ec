"""Symmetric twins: rows of tours keep their costs, and all other rows cost more."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidProblemError
from gpu_ls_plugin.tours.problem.symmetric_twin import SymmetricTwin


def problem_of(seed: int, n: int, longest: int = 1000) -> gls.TSP:
    return gls.TSP.from_matrix(np.random.default_rng(seed).integers(0, longest, (n, n)))


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 12))
def test_rows_stand_for_tours_from_any_city_in_both_directions(seed, n):
    rng, problem = np.random.default_rng(seed), problem_of(seed, n)
    twin, tours = SymmetricTwin(problem), np.stack([rng.permutation(n) for _ in range(3)])
    rows = twin.rows(tours)
    assert (np.sort(rows, axis=1) == np.arange(2 * n)).all()
    assert (twin.tsp.cost(rows) == problem.cost(tours) + twin.offset).all()
    turned = np.roll(rows, int(rng.integers(2 * n)), axis=1)[:, :: rng.choice([1, -1])]
    again = twin.tours(turned)
    assert (again[:, 0] == 0).all()
    assert (problem.cost(again) == problem.cost(tours)).all()


def test_rows_that_are_no_tours_cost_more_than_tours():
    problem = problem_of(1, 4)
    twin = SymmetricTwin(problem)
    assert twin.tsp.symmetric
    rows = np.array([(0, *rest) for rest in permutations(range(1, 8))])
    costs, tours = twin.tsp.cost(rows), twin.tours(rows)
    stand = (twin.rows(tours) == rows).all(axis=1) | (
        twin.rows(tours) == np.concatenate([rows[:, :1], rows[:, :0:-1]], axis=1)
    ).all(axis=1)
    assert stand.sum() == 2 * 6  # tours of four cities, both ways round
    assert costs[stand].max() < costs[~stand].min()
    assert (costs[stand] - twin.offset == problem.cost(tours[stand])).all()


def test_lengths_that_do_not_fit_are_refused():
    long = problem_of(1, 10, longest=2**30)
    assert SymmetricTwin.fits(problem_of(1, 10)) and not SymmetricTwin.fits(long)
    with pytest.raises(InvalidProblemError, match="below"):
        SymmetricTwin(long)

"""The pairs of rows that are crossed."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin.runs.partners import Partners
from tests.helpers.philox import philox

PARTNER = 8  # purpose of the random numbers
KEYS = st.integers(0, 2**64 - 1)


@given(KEYS, st.integers(0, 2**62), st.integers(0, 2**40), st.integers(2, 500))
def test_the_distance_is_drawn_as_kernels_draw(seed, first_row, generation, size):
    partners = Partners(np, size, seed, first_row).of(generation)
    drawn = next(philox(seed, PARTNER, first_row, generation))
    distance = 1 + (drawn * (size - 1) >> 32)
    assert partners.tolist() == [(row + distance) % size for row in range(size)]
    assert partners.dtype == np.int32


@given(KEYS, st.integers(2, 40))
def test_partners_are_a_permutation_without_fixed_points(seed, size):
    for partners in map(Partners(np, size, seed, 0).of, range(5)):
        assert sorted(partners.tolist()) == list(range(size))
        assert (partners != np.arange(size)).all()


def test_each_other_row_becomes_the_partner():
    partners = Partners(np, 7, 3, 0)
    met = {int(partners.of(generation)[2]) for generation in range(60)}
    assert met == set(range(7)) - {2}


def test_partners_depend_on_the_first_row():
    for first_row in range(1, 5):
        own, other = Partners(np, 100, 3, 0), Partners(np, 100, 3, first_row)
        same = [np.array_equal(own.of(k), other.of(k)) for k in range(20)]
        assert sum(same) < 3

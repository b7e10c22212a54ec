"""Random keys: the states that they encode, and refused keys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from tests.helpers import successor_oracle
from tests.helpers.heuristics import Spread

SPREAD = Spread(9, 4, 2)  # room for 8 of 9
FEW_BITS = st.integers(0, 8).map(lambda eighths: eighths / 8)  # with 1, and with equal keys


def decode(keys, part=SPREAD, sampler="rescan", problem=None, **options):
    return gls.SuccessorGeneration(part, sampler).decode(problem, keys, backend="cpu", **options)


def by_hand(part, choices, priorities):
    """Assign variables by growing priority; a key is a share of the sum of weights."""
    state = [-1] * len(choices)
    for variable in np.argsort(priorities, kind="stable"):
        bits = min(int(choices[variable] * 2**53), 2**53 - 1) << 11
        state[variable] = successor_oracle.chosen(part.weigh(state, variable), bits)
    return state


@given(st.lists(st.one_of(FEW_BITS, st.floats(0, 1)), min_size=18, max_size=18))
def test_keys_choose_values_and_order(keys):
    row = np.array(keys)
    assert decode(row).tolist() == [by_hand(SPREAD, row[:9], row[9:])]
    assert decode(row[:9]).tolist() == [by_hand(SPREAD, row[:9], np.zeros(9))]


def test_rows_samplers_and_batches_are_independent():
    keys = np.random.default_rng(1).random((50, 18))
    found = decode(keys)
    assert found.dtype == np.int32 and len(np.unique(found, axis=0)) > 40
    assert np.array_equal(decode(keys, sampler="stored"), found)
    assert np.array_equal(decode(keys, memory_limit=800), found)
    assert np.array_equal(decode(keys[7:9]), found[7:9])


def test_wrong_keys_are_named():
    for keys, message in (
        (np.full((2, 5), 0.5), r"keys: shape \(2, 5\), but keys of 9 variables are \(P, 9\)"),
        (np.full((0, 9), 0.5), "keys: shape"),
        ([[0.5], [0.5, 0.1]], "keys: rows of different lengths"),
        ([[0.5] * 9, [0.5, 1.5] + [0.5] * 7], "keys: row 1 has key 1.5 at position 1"),
        ([[float("nan")] * 9], "keys: row 0 has key nan at position 0"),
    ):
        with pytest.raises(InvalidParameterError, match=message):
            decode(keys)
    with pytest.raises(InvalidTypeError, match="keys: must be floats, not int64"):
        decode(np.ones((1, 9), np.int64))
    with pytest.raises(InvalidTypeError, match="problem: 3"):
        decode([0.5] * 9, problem=3)

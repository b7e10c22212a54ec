"""Operators of frameworks: conversion between rows and states, and their reassignment."""

from __future__ import annotations

import pickle
import weakref
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.plan.domains import Domains
from gpu_ls_plugin.assignment.plan.reassignment import Reassignment, released
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)


class Permutation(gls.Assignment):
    """A problem with distinct values."""

    distinct = True
    integer = True

    def cost(self, rows):
        return self.check(rows) @ np.arange(self.n)


BOUNDS = st.lists(
    st.tuples(st.integers(-(2**40), 2**40), st.integers(0, 2**29)), min_size=1, max_size=5
)


@given(BOUNDS, st.integers(0, 99), st.sampled_from(["int64", "float64", "object"]))
def test_rows_become_states_and_back(bounds, seed, dtype):
    lowest = [low for low, _ in bounds]
    highest = [low + more for low, more in bounds]
    rows = np.random.default_rng(seed).integers(lowest, highest, (4, len(bounds)), endpoint=True)
    rows[0], rows[1] = lowest, highest
    domains = Domains.between(lowest, highest)
    states = domains.states(rows.astype(dtype))
    assert states.dtype == np.int32 and not states[0].any()
    assert (domains.problem.sizes == states[1] + 1).all()
    assert (domains.rows(states) == rows).all() and domains.rows(states).dtype == np.int64
    for place, by in ((0, -1), (1, 1)):
        outside = rows.copy()
        outside[place, -1] += by
        with pytest.raises(InvalidTourError, match=f"row {place} has "):
            domains.states(outside.astype(dtype))


def test_wrong_numbers_are_named():
    domains = Domains.between([2, 0], [5, 1])
    assert domains.states(np.array([[3, True]], object)).tolist() == [[1, 1]]
    assert Domains.between([0, 0], [1, 1]).states([[True, False]]).tolist() == [[1, 0]]
    message = r"pop: row 1 has 2\.5 as its variable 0, whose values are whole numbers 2\.\.5"
    for wrong, text in ((2.5, message), (float("nan"), "row 1 has nan"), (np.inf, "row 1 has inf")):
        with pytest.raises(InvalidTourError, match=text):
            domains.states([(2.0, 0.0), (wrong, 0.0)], "pop")
    for rows in ([[2.0]], np.zeros((0, 2)), np.zeros((1, 1, 2))):
        with pytest.raises(InvalidTourError, match=r"rows: shape .* rows of 2 variables"):
            domains.states(rows)
    for rows in ([["2", "1"]], [[2], [2, 1]], [[{}, 1]], [[2, 1j]]):
        with pytest.raises(InvalidTypeError, match="rows: "):
            domains.states(rows)


def test_wrong_bounds_are_named():
    for lowest, highest, text in (
        ([0, 0.5], [1, 2], "variable 1 are 0.5 to 2"),
        ([0, 3], [1, 2], "variable 1 are 3 to 2"),
        ([0], [float("nan")], "variable 0 are 0 to nan"),
        ([-np.inf], [0], "variable 0 are -inf"),
        ([0], [2**30], "variable 0 has 1073741825 values, more than"),
    ):
        with pytest.raises(InvalidProblemError, match=f"problem: .*{text}"):
            Domains.between(lowest, highest)
    assert Domains.between([0], [2**30 - 1]).highest.tolist() == [2**30 - 1]


def test_distinct_values_and_unknown_costs():
    domains = Domains.of(Permutation([4] * 4))
    assert domains.states([2.0, 0, 1, 3]).tolist() == [[2, 0, 1, 3]]
    with pytest.raises(InvalidTourError, match=r"row 1 has value 3 twice, .* operators of perm"):
        domains.states([[0, 1, 2, 3], [3, 1, 0, 3]])
    with pytest.raises(UnsupportedProblemError, match="framework"):
        Domains.between([0], [1]).problem.cost([[0]])


SIZES = (3, 1, 7, 4)
DOMAINS = Domains.between([5, 0, -3, 1], [7, 0, 3, 4])
# Variables 0 and 3 have no weights.
SILENT = gls.WeightTable([[0] * 7, [1] * 7, [0, 1, 0, 0, 0, 0, 0], [0] * 7])


def rng(seed=0):
    return np.random.default_rng(seed)


@given(st.integers(1, 40), st.integers(1, 9), st.floats(0, 1), st.integers(1, 2))
def test_a_share_of_each_row_is_released(n, rows, share, least):
    mask = released((rows, n), share, least, rng())
    assert mask.shape == (rows, n)
    assert (mask.sum(axis=1) == min(n, max(least, round(share * n)))).all()


def test_variables_are_released_uniformly():
    counts = released((20_000, 10), 0.3, 1, rng()).sum(axis=0)
    assert (abs(counts - 6000) < 5 * np.sqrt(6000 * 0.7)).all()


def test_the_default_is_uniform():
    found = Reassignment().sample(DOMAINS, 4000, rng())
    for variable, size in enumerate(SIZES):
        counts = np.bincount(found[:, variable])
        assert len(counts) == size
        assert (abs(counts - 4000 / size) < 5 * np.sqrt(4000 / size)).all()


def test_only_active_variables_change_to_likely_values():
    states = rng().integers(0, SIZES, (300, 4)).astype(np.int32)
    active, before = rng(1).random(states.shape) < 0.5, states.copy()
    found = Reassignment(SILENT)(DOMAINS, states, active, rng(2))
    assert (states == before).all() and found.dtype == np.int32
    assert (found[~active] == states[~active]).all()
    assert (found[active[:, 2], 2] == 1).all()
    assert (found[:, [0, 3]] == states[:, [0, 3]]).all()  # all weights are 0: unchanged


def test_samples_are_complete():
    found = Reassignment(SILENT, order="given").sample(DOMAINS, 2000, rng())
    assert (found[:, 2] == 1).all()
    for variable in (0, 3):  # all weights are 0: uniform
        counts = np.bincount(found[:, variable])
        assert len(counts) == SIZES[variable] and counts.min() > 400
    keys = rng(3).random((50, 8))
    decoded = Reassignment(SILENT).decode(DOMAINS, keys)
    assert (decoded[:, 0] == np.floor(3 * keys[:, 0])).all()
    assert (Reassignment(SILENT).decode(DOMAINS, keys[7:8]) == decoded[7]).all()
    assert Reassignment(SILENT).decode(DOMAINS, np.ones((1, 8))).tolist() == [[2, 0, 1, 3]]


@given(st.integers(2, 9), st.integers(0, 999))
def test_permutations_stay_permutations(n, seed):
    """Inactive variables keep their values; a variable loses its choice only to another one."""
    domains, random = Domains.of(Permutation([n] * n)), rng(seed)
    table = gls.WeightTable(np.eye(n, dtype=int)[random.integers(0, n, n)])  # one value each
    wanted = table.weights.argmax(axis=1)
    states = random.permuted(np.tile(np.arange(n, dtype=np.int32), (6, 1)), axis=1)
    active = released(states.shape, random.random(), 2, random)
    found = Reassignment(table)(domains, states, active, random)
    assert (np.sort(found, axis=1) == np.arange(n)).all()
    assert (found[~active] == states[~active]).all()
    for before, after, free in zip(states, found, active, strict=True):
        has = dict(zip(after.tolist(), range(n), strict=True))
        for variable in np.flatnonzero(free):
            owner = has[wanted[variable]]
            assert (
                wanted[owner] == wanted[variable] if free[owner] else before[owner] == after[owner]
            )
    sample = Reassignment(table).sample(domains, 5, random)
    decoded = Reassignment(table).decode(domains, random.random((5, 2 * n)))
    assert (np.sort(np.concatenate([sample, decoded]), axis=1) == np.arange(n)).all()


def test_permutations_are_uniform_without_a_heuristic():
    found = Reassignment().sample(Domains.of(Permutation([3] * 3)), 6000, rng())
    counts = Counter(map(tuple, found.tolist()))
    assert len(counts) == 6 and min(counts.values()) > 500


def test_seeds_copies_and_device_arrays():
    states, active = np.zeros((9, 4), np.int32), np.ones((9, 4), bool)
    part = Reassignment()
    found = [p(DOMAINS, states, active, rng(5)) for p in (part, pickle.loads(pickle.dumps(part)))]
    assert (found[0] == found[1]).all()
    assert (part(DOMAINS, states, active, rng(6)) != found[0]).any()
    assert part.generation(DOMAINS) is part.generation(DOMAINS)
    assert len(pickle.dumps(part)) < 300
    short_lived = Domains.between([0], [1])
    kept = weakref.ref(part.generation(short_lived))
    del short_lived
    assert kept() is None


def test_wrong_parameters_are_named():
    for given_, error, text in (
        ({"heuristic": [[1]]}, InvalidTypeError, "heuristic"),
        ({"sampler": "best"}, InvalidParameterError, "sampler: 'best'"),
        ({"order": "keys"}, InvalidParameterError, "order: 'keys'"),
        ({"backend": "tpu"}, InvalidParameterError, "backend: 'tpu'"),
    ):
        with pytest.raises(error, match=text):
            Reassignment(**given_)

"""Masks: weights match brute force, also in states that break the masks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from tests.helpers.heuristics import Spread, weigh
from tests.helpers.marks import slow_after
from tests.helpers.successor_oracle import assert_successors

SAMPLERS = ("rescan", "stored")
WEIGHTS = np.random.default_rng(3).integers(0, 2**32, (7, 40))


def in_conflict(pairs):
    """Return a function that tells whether a neighbour has the value."""
    either = [*map(tuple, pairs), *((b, a) for a, b in pairs)]

    def forbids(state, variable, value):
        return any(a == variable and state[b] == value for a, b in either)

    return forbids


def too_much(capacities, demands):
    """Return a function that tells whether the value's load would exceed its capacity."""
    demands = np.broadcast_to(np.array(demands).T, (len(capacities), len(demands))).T

    def forbids(state, variable, value):
        load = sum(int(demands[v, value]) for v, its in enumerate(state) if its == value)
        return load + int(demands[variable, value]) > capacities[value]

    return forbids


def masked(weights, *masks):
    """Return weights for the oracle: 0 for values that a mask forbids."""

    def allowed(state, variable):
        own = weights(state, variable)
        return [
            0 if any(forbids(state, variable, value) for forbids in masks) else weight
            for value, weight in enumerate(own)
        ]

    return allowed


@st.composite
def cases(draw):
    """Draw masks and states; inactive variables may have any values."""
    m, values = draw(st.integers(1, 7)), draw(st.sampled_from([1, 3, 33, 40]))
    either = st.integers(0, m - 1), st.integers(1, max(m - 1, 1))
    found = draw(st.lists(st.tuples(*either)))
    pairs = [(a, (a + step) % m) for a, step in found] if m > 1 else []
    random = np.random.default_rng(draw(st.integers(0, 2**20)))
    shape = draw(st.sampled_from([(m,), (m, values)]))
    demands, capacities = random.integers(0, 4, shape), random.integers(0, 7, values)
    if draw(st.booleans()):
        demands, capacities = demands * 10**8, capacities * 10**8  # sums exceed 32 bits
    states = random.integers(-1, min(values, 4), (3, m))
    options = {"count": 2, "active": random.random((3, m)) < 0.7, "seed": 5}
    return WEIGHTS[:m, :values], pairs, capacities, demands, states, options


@pytest.mark.parametrize("sampler", slow_after(2, SAMPLERS))
@given(case=cases())
def test_conflicts_and_capacities(sampler, case):
    weights, pairs, capacities, demands, states, options = case
    part = gls.Masked(
        gls.WeightTable(weights),
        gls.Conflicts(np.array(pairs, int).reshape(-1, 2)),
        gls.Capacities(capacities, demands),
    )
    masks = in_conflict(pairs), too_much(capacities, demands)
    assert_successors(part, masked(weigh(weights), *masks), states, sampler, **options)


@pytest.mark.parametrize("sampler", slow_after(1, SAMPLERS))
@pytest.mark.parametrize("bins", [3, 9, 70])
def test_only_allowed_values_enter_the_aggregate(sampler, bins):
    """Weights depend on the greatest load of all bins with room."""
    random = np.random.default_rng(bins)
    room = random.integers(0, 4, bins)

    def weights(state, variable):
        loads = [state.count(value) for value in range(bins)]
        most = max((load for load, its in zip(loads, room, strict=True) if load < its), default=0)
        return [1 + most - load if load < its else 0 for load, its in zip(loads, room, strict=True)]

    states, active = random.integers(-1, min(bins, 4), (6, 8)), random.random((6, 8)) < 0.8
    options = {"count": 3, "active": active, "order": "shuffled"}
    part = gls.Masked(Spread(8, bins, 9), gls.Capacities(room, [1] * 8))
    assert_successors(part, weights, states, sampler, **options)


def test_a_case_by_hand():
    """Two neighbours have values 0 and 1; value 2 has no capacity left."""
    part = gls.Masked(
        gls.WeightTable(np.ones((4, 4), int)),
        gls.Conflicts([(0, 1), (2, 0), (0, 1)]),
        gls.Capacities([9, 9, 1, 9], [1, 1, 1, 1]),
    )
    active = np.array([True, False, False, False])
    found = gls.SuccessorGeneration(part)(None, [(3, 0, 1, 2)], active=active, backend="cpu")
    assert found.tolist() == [[3, 0, 1, 2]]
    full = gls.Masked(gls.WeightTable(np.ones((3, 2), int)), gls.Distinct())
    rows = gls.SuccessorGeneration(full)(None, np.full((20, 3), -1), backend="cpu")
    assert (np.sort(rows[:, :2]) == [0, 1]).all() and (rows[:, 2] == -1).all()
    assert repr(full) == "Masked(WeightTable(3 variables, 2 values), Distinct())"

"""Successors: cases by hand, the oracle's, random keys, independence of the batch, layouts."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.successors import layouts
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from tests.helpers.heuristics import Plain, Spread, weigh
from tests.helpers.marks import slow_after
from tests.helpers.successor_oracle import assert_successors, chosen

SAMPLERS = ("stored", "rescan")
samplers = pytest.mark.parametrize("sampler", SAMPLERS)
BOTH = product(SAMPLERS, ("given", "shuffled"))
with_orders = pytest.mark.parametrize(("sampler", "order"), slow_after(2, [*BOTH]))
RNG = np.random.default_rng(4)
TABLE = RNG.integers(0, 5, (6, 37)) * RNG.integers(0, 2**32 // 4, (6, 37))  # sums exceed 32 bits
STATES = RNG.integers(-1, 37, (5, 6))
SPREAD = Spread(9, 4, 2)  # room for 8 of 9


def generate(part, states, sampler="rescan", problem=None, **options):
    return gls.SuccessorGeneration(part, sampler)(problem, states, backend="cpu", **options)


@samplers
def test_a_case_by_hand(sampler):
    """One possible value, none, and an inactive variable."""
    table = gls.WeightTable([(0, 0, 9), (0, 0, 0), (1, 1, 1)])
    found = generate(table, [(0, 1, 2), (-1, -1, -1)], sampler, active=np.array([1, 1, 0], bool))
    assert found.tolist() == [[2, -1, 2], [2, -1, -1]]
    assert found.dtype == np.int32


def test_the_oracle_by_hand():
    """The first value whose prefix sum exceeds the number that 64 bits select."""
    weights, found = (3, 0, 2, 5), []
    for bits in (0, 2**64 * 3 // 10, 2**64 * 3 // 10 + 1, 2**64 // 2 + 1, 2**64 - 1):
        found.append(chosen(weights, bits))
    assert found == [0, 0, 2, 3, 3]


@with_orders
def test_successors_match_the_oracle(sampler, order):
    options = {"count": 3, "order": order, "seed": 2**40 + 1, "first_row": 2**33}
    rng = np.random.default_rng(6)
    for active in (None, rng.random(6) < 0.5, rng.random((5, 6)) < 0.5):
        part, weights = gls.WeightTable(TABLE), weigh(TABLE)
        assert_successors(part, weights, STATES, sampler, active=active, **options)


@with_orders
def test_weights_that_depend_on_the_state(sampler, order):
    rng = np.random.default_rng(7)
    states = rng.integers(-1, 4, (4, 9))
    for active in (None, rng.random((4, 9)) < 0.7):
        options = {"count": 5, "active": active, "order": order, "seed": 3}
        found = assert_successors(SPREAD, SPREAD.weigh, states, sampler, **options)
        if active is None:
            assert ((found == -1).sum(axis=1) == 1).all()


@samplers
def test_successors_do_not_depend_on_the_batch(sampler, monkeypatch):
    whole = generate(SPREAD, STATES[:, [0] * 9] % 4, sampler, count=4, seed=9)
    again = generate(SPREAD, STATES[:, [0] * 9] % 4, sampler, count=4, seed=9, memory_limit=800)
    assert np.array_equal(whole, again)
    part = generate(SPREAD, STATES[2:, [0] * 9] % 4, sampler, count=2, seed=9, first_row=2)
    assert np.array_equal(whole.reshape(5, 4, 9)[2:, :2].reshape(-1, 9), part)
    monkeypatch.setattr("gpu_ls_plugin.assignment.successors.layouts.SCRATCH", 1)
    assert np.array_equal(whole, generate(SPREAD, STATES[:, [0] * 9] % 4, sampler, count=4, seed=9))


def test_seeds_differ_and_the_given_states_stay():
    table, states = gls.WeightTable(TABLE), STATES.copy()
    found = [generate(table, states, seed=seed, count=8) for seed in (1, 1, 2)]
    assert np.array_equal(found[0], found[1]) and not np.array_equal(found[0], found[2])
    assert np.array_equal(states, STATES)
    drawn = [generate(table, states, seed=None, count=8) for _ in range(2)]
    assert not np.array_equal(*drawn)


def test_copies_are_left_out_in_order():
    table, states = gls.WeightTable([(1, 1), (1, 2)]), [(-1, -1), (0, 0)]
    whole = generate(table, states, count=10).tolist()
    first = [row for place, row in enumerate(whole) if row not in whole[:place]]
    assert generate(table, states, count=10, distinct=True).tolist() == first
    assert len(first) == 4


@samplers
@pytest.mark.parametrize("values", [1, 2, 3, 5, 1000])
def test_numbers_of_values(sampler, values):
    table = np.ones((2, values), int)
    table[1, :-1] = 0  # only the last is possible
    states = np.full((3, 2), -1)
    found = assert_successors(gls.WeightTable(table), weigh(table), states, sampler, count=20)
    assert (found[:, 1] == values - 1).all() and found[:, 0].max() < values


def test_stored_and_rescan_choose_the_same_of_many_values():
    table = gls.WeightTable(np.random.default_rng(1).integers(0, 2**32, (2, 100_000)))
    states = np.full((2, 2), -1)
    assert np.array_equal(*(generate(table, states, s, count=8) for s in ("stored", "rescan")))


def test_the_problem_gives_the_numbers_of_values():
    problem = Plain([1, 3, 2])
    table = gls.WeightTable(np.ones((3, 4), int))
    found = generate(table, np.full((4, 3), -1), problem=problem, count=50)
    assert found.max(axis=0).tolist() == [0, 2, 1]
    assert (problem.check(found) == found).all() and problem.cost(found).shape == (200,)
    wider = generate(table, np.full((4, 3), -1), count=50)
    assert wider.max(axis=0).tolist() == [3, 3, 3]


def test_a_generation_can_be_sent_to_another_process():
    part = gls.SuccessorGeneration(gls.WeightTable(TABLE), "stored")
    before = part(None, STATES, backend="cpu")
    again = pickle.loads(pickle.dumps(part))
    assert np.array_equal(again(None, STATES, backend="cpu"), before)
    assert repr(part) == (
        "SuccessorGeneration(heuristic=WeightTable(6 variables, 37 values), sampler='stored')"
    )


def test_the_former_sampler_warns():
    with pytest.warns(DeprecationWarning, match="sampler: 'softmax' was removed"):
        assert gls.SuccessorGeneration(SPREAD, "softmax").sampler == "auto"
    with pytest.warns(DeprecationWarning, match="'auto' takes its place") as caught:
        assert gls.SuccessorSearch(sampler="softmax").sampler == "auto"
    assert caught[0].filename == __file__


FEW_BITS = st.integers(0, 8).map(lambda eighths: eighths / 8)  # with 1, and with equal keys


def decode(keys, part=SPREAD, sampler="rescan", problem=None, **options):
    return gls.SuccessorGeneration(part, sampler).decode(problem, keys, backend="cpu", **options)


def by_hand(part, choices, priorities):
    """Assign variables by growing priority; a key is a share of the sum of weights."""
    state = [-1] * len(choices)
    for variable in np.argsort(priorities, kind="stable"):
        bits = min(int(choices[variable] * 2**53), 2**53 - 1) << 11
        state[variable] = chosen(part.weigh(state, variable), bits)
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


class Gpu:
    """The teams and the memory of a GPU."""

    shared_memory = 227 << 10

    def block(self, threads):
        return f"block of {threads}"

    def warp(self):
        return "warp"


@pytest.mark.parametrize(
    ("most", "team"),
    [
        (1, "warp"),
        (256, "warp"),
        (257, "block of 64"),
        (2049, "block of 128"),
        (2**14 + 1, "block of 256"),
        (10**7, "block of 1024"),
    ],
)
def test_more_values_take_more_lanes(most, team):
    assert layouts.team(Gpu(), most) == team
    assert layouts.team(get_backend("cpu"), most) == "gls::Host"


@pytest.mark.parametrize(
    ("team", "own_bytes", "shared"),
    [
        ("gls::Block<64>", 4000, True),
        ("gls::Block<64>", 56 << 10, False),  # four do not fit 227 KiB
        ("gls::Block<64>", 0, False),
        ("gls::Warp<4>", 100, False),
        ("gls::Host", 100, False),
    ],
)
def test_ratings_lie_in_shared_memory_if_four_blocks_fit(team, own_bytes, shared):
    assert layouts.in_shared_memory(Gpu(), team, own_bytes) == shared


def test_memory_is_aligned():
    assert layouts.Scratch.of(5, 24, 17, 100) == layouts.Scratch(16, 48, 80, 192)
    assert layouts.Scratch.of(0, 0, 0, 0).size == 0

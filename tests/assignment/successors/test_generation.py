"""Successors: cases by hand, the oracle's, and independence of the batch."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pytest

import gpu_ls_plugin as gls
from tests.helpers import successor_oracle
from tests.helpers.heuristics import Spread, weigh
from tests.helpers.marks import slow_after

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
        found.append(successor_oracle.chosen(weights, bits))
    assert found == [0, 0, 2, 3, 3]


@with_orders
def test_successors_match_the_oracle(sampler, order):
    options = {"count": 3, "order": order, "seed": 2**40 + 1, "first_row": 2**33}
    rng = np.random.default_rng(6)
    for active in (None, rng.random(6) < 0.5, rng.random((5, 6)) < 0.5):
        found = generate(gls.WeightTable(TABLE), STATES, sampler, active=active, **options)
        expected = successor_oracle.successors(weigh(TABLE), STATES, active=active, **options)
        assert np.array_equal(found, expected)


@with_orders
def test_weights_that_depend_on_the_state(sampler, order):
    rng = np.random.default_rng(7)
    states = rng.integers(-1, 4, (4, 9))
    for active in (None, rng.random((4, 9)) < 0.7):
        options = {"count": 5, "active": active, "order": order, "seed": 3}
        found = generate(SPREAD, states, sampler, **options)
        expected = successor_oracle.successors(SPREAD.weigh, states, **options)
        assert np.array_equal(found, expected)
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
    found = generate(gls.WeightTable(table), states, sampler, count=20)
    assert (found[:, 1] == values - 1).all() and found[:, 0].max() < values
    if values < 1000:
        expected = successor_oracle.successors(weigh(table), states, count=20)
        assert np.array_equal(found, expected)


def test_stored_and_rescan_choose_the_same_of_many_values():
    table = gls.WeightTable(np.random.default_rng(1).integers(0, 2**32, (2, 100_000)))
    states = np.full((2, 2), -1)
    assert np.array_equal(*(generate(table, states, s, count=8) for s in ("stored", "rescan")))


class Domains(gls.Assignment):
    integer = True

    def cost(self, rows):
        return self.check(rows).sum(axis=1)


def test_the_problem_gives_the_numbers_of_values():
    problem = Domains([1, 3, 2])
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
    with pytest.warns(DeprecationWarning, match="'auto' takes its place"):
        assert gls.SuccessorSearch(sampler="softmax").sampler == "auto"

"""Fronts: only tours that no other tour dominates, each cost once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gpu_ls_plugin.tours.fronts import front as fronts
from gpu_ls_plugin.tours.fronts.front import Front, crowding, non_dominated

COSTS = st.tuples(st.integers(1, 60), st.integers(2, 4)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(0, 9))
)


def best_by_force(costs):
    """Rows that no other row dominates; of equal rows the first."""
    kept = []
    for row, own in enumerate(costs):
        beaten = any((other <= own).all() and (other < own).any() for other in costs)
        again = any((other == own).all() for other in costs[:row])
        if not beaten and not again:
            kept.append(row)
    return kept


@given(COSTS)
def test_no_kept_row_is_dominated(costs):
    kept = non_dominated(costs)
    assert sorted(kept.tolist()) == best_by_force(costs)
    assert (np.diff(costs[kept, 0]) >= 0).all()


def test_blocks_make_no_difference(monkeypatch):
    costs = np.random.default_rng(0).integers(0, 200, (900, 3))
    expected = non_dominated(costs)
    monkeypatch.setattr(fronts, "BLOCK", 50)
    assert np.array_equal(non_dominated(costs), expected)
    assert sorted(expected.tolist()) == best_by_force(costs)


@given(COSTS, st.data())
def test_joining_is_the_front_of_all(costs, data):
    tours = np.arange(len(costs), dtype=np.int32)[:, None]
    cut = data.draw(st.integers(1, len(costs)))
    first = Front.of(tours[:cut], costs[:cut])
    both = first.marked(np.arange(len(first))).joined(tours[cut:], costs[cut:])
    assert not first.explored.any()
    assert both.tours[:, 0].tolist() == non_dominated(costs).tolist()
    assert np.array_equal(both.costs, costs[both.tours[:, 0]])
    assert np.array_equal(both.explored, np.isin(both.tours[:, 0], first.tours[:, 0]))
    assert np.array_equal(both.ideal, both.costs.min(axis=0))
    assert np.array_equal(both.nadir, both.costs.max(axis=0))


def test_a_full_front_drops_crowded_tours():
    first = np.array([0, 10, 11, 12, 50, 100])
    costs = np.stack([first, 100 - first], axis=1)
    tours = np.arange(6, dtype=np.int32)[:, None]
    kept = Front.of(tours[:1], costs[:1]).joined(tours[1:], costs[1:], most=4)
    assert kept.tours[:, 0].tolist() == [0, 3, 4, 5]
    assert np.isinf(crowding(costs)).tolist() == [True, False, False, False, False, True]

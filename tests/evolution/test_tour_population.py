"""Populations as arrays: keys, parents, and the cheapest different tours."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin.core.rows import canonical
from gpu_ls_plugin.evolution.tour_population import TourPopulation
from gpu_ls_plugin.tours.kernels.edge_keys import edge_keys
from tests.evolution.samples import problem_of


def _tours(size: int, n: int, seed: int) -> np.ndarray:
    rows = np.tile(np.arange(n, dtype=np.int32), (size, 1))
    return np.random.default_rng(seed).permuted(rows, axis=1)


@given(
    st.integers(1, 40), st.integers(1, 7), st.integers(0, 2**32), st.booleans(), st.integers(0, 50)
)
def test_keys_are_equal_for_the_same_tours_and_only_these(size, n, seed, symmetric, turn):
    tours = _tours(size, n, seed)
    tours = np.concatenate([tours, np.roll(tours, turn, axis=1), tours[:, ::-1]])
    found = edge_keys(np, tours, symmetric=symmetric)
    # One or two cities have only one tour, also if lengths are asymmetric.
    written = canonical(tours, symmetric=symmetric)
    same = (written[:, np.newaxis] == written).all(axis=2)
    assert found.dtype == np.uint64
    assert np.array_equal(found[:, np.newaxis] == found, same)


@given(st.integers(1, 30), st.integers(1, 40), st.integers(0, 2**32), st.booleans())
def test_best_keeps_the_cheapest_different_tours_in_order_of_arrival(size, kept, seed, real):
    tours = _tours(size, 5, seed)
    costs = edge_keys(np, tours) % np.uint64(4)  # the same tour costs the same, others may too
    costs = costs.astype(np.float64 if real else np.int64)
    best = TourPopulation.of(problem_of(5), np, tours, costs).best(kept)
    rows, seen = [], set()
    for row, key in enumerate(canonical(tours).tolist()):
        if tuple(key) not in seen:
            seen.add(tuple(key))
            rows.append(row)
    rows = sorted(rows, key=lambda row: costs[row])[:kept]
    assert np.array_equal(best.tours, tours[rows])
    assert np.array_equal(best.costs, costs[rows])
    assert best.distinct() == len(best) == len(rows)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_parents_are_different_rows_and_every_pair_is_drawn(size):
    population = TourPopulation.of(problem_of(9), np, _tours(size, 9, 1), np.zeros(size, np.int64))
    first, second = population.parents(2000, np.random.default_rng(1))
    pairs = set(zip(first.tolist(), second.tolist(), strict=True))
    assert pairs == {(a, b) for a in range(size) for b in range(size) if a != b or size == 1}


def test_joined_holds_both_in_order():
    one = TourPopulation.of(problem_of(9), np, _tours(3, 9, 1), np.arange(3))
    other = TourPopulation.of(problem_of(9), np, _tours(2, 9, 2), np.arange(2))
    both = one.joined(other)
    assert np.array_equal(both.tours, np.concatenate([one.tours, other.tours]))
    assert both.costs.tolist() == [0, 1, 2, 0, 1]
    assert np.array_equal(both.keys, edge_keys(np, both.tours))

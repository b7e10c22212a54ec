"""Edges that tours share, beside sets of edges, whichever way they are counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin.evolution import far_apart as counting
from gpu_ls_plugin.evolution.far_apart import shared_features
from gpu_ls_plugin.tours.kernels.edge_keys import edge_numbers
from tests.evolution.samples import directed, rows, undirected

if TYPE_CHECKING:
    from numpy.typing import NDArray


@st.composite
def populations(draw: st.DrawFn) -> NDArray[Any]:
    """Tours of which some are there several times, as they are or the other way round."""
    n, size = draw(st.integers(3, 40)), draw(st.integers(1, 12))
    tours = rows(n, size, draw(st.integers(0, 999)))
    written = np.concatenate([tours, np.roll(tours, 2, axis=1)[:, ::-1]])
    return written[draw(st.lists(st.integers(0, 2 * size - 1), min_size=1, max_size=20))]


@given(
    populations(),
    st.integers(1, 20),
    st.booleans(),
    st.sampled_from([0, 4, 500, 10**6]),
    st.sampled_from([7, 2**23]),
)
def test_they_are_those_of_sets_of_edges(
    tours: NDArray[Any], first: int, symmetric: bool, rare: int, chunk: int
) -> None:
    edges: Any = undirected if symmetric else directed
    sets, first = [edges(tour) for tour in tours], min(first, len(tours))
    with mock.patch.multiple(counting, RARE=rare, CHUNK=chunk):
        found = shared_features(np, edge_numbers(np, tours, symmetric=symmetric), first)
    assert found.dtype == np.int64
    assert found.tolist() == [[len(one & other) for other in sets] for one in sets[:first]]


@pytest.mark.parametrize("n", [3, 4])
def test_the_smallest_tours(n: int) -> None:
    ring = np.arange(n, dtype=np.int32)
    both = np.array([ring, ring[::-1]])
    assert shared_features(np, edge_numbers(np, both), 1).tolist() == [[n, n]]
    found = shared_features(np, edge_numbers(np, both, symmetric=False), 1)
    assert found.tolist() == [[n, 0]]


class NumPy1:
    """NumPy without what version 2 has added."""

    def __getattr__(self, name: str) -> Any:
        if name == "bitwise_count":
            raise AttributeError(name)
        return getattr(np, name)


@given(populations(), st.integers(1, 20))
def test_bits_are_counted_without_the_function_of_numpy_2(tours: NDArray[Any], first: int) -> None:
    features, first = edge_numbers(np, tours), min(first, len(tours))
    with mock.patch.multiple(counting, RARE=10**6):  # all features are counted in sets of bits
        found = [shared_features(xp, features, first) for xp in (NumPy1(), np)]
    assert np.array_equal(*found)

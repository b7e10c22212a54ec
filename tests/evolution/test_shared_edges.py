"""Edges that tours share, beside sets of edges, whichever way they are counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin.evolution import shared_edges as counting
from gpu_ls_plugin.evolution.shared_edges import shared_edges
from tests.evolution.samples import directed, rows, undirected

if TYPE_CHECKING:
    from numpy.typing import NDArray


@st.composite
def pairs_of_populations(draw: st.DrawFn) -> tuple[NDArray[Any], NDArray[Any]]:
    """Tours of which some are in both, as they are or the other way round."""
    n, size = draw(st.integers(3, 12)), draw(st.integers(1, 12))
    tours = rows(n, size, draw(st.integers(0, 999)))
    some = st.lists(st.integers(0, size - 1), min_size=1, max_size=15)
    return tours[draw(some)], np.roll(tours[draw(some)], 2, axis=1)[
        :, :: draw(st.sampled_from((1, -1)))
    ]


@given(
    pairs_of_populations(),
    st.booleans(),
    st.sampled_from([0, 4, 500, 10**6]),
    st.sampled_from([7, 2**23]),
)
def test_they_are_those_of_sets_of_edges(
    both: tuple[NDArray[Any], NDArray[Any]], symmetric: bool, rare: int, chunk: int
) -> None:
    tours, others = both
    edges: Any = undirected if symmetric else directed
    expected = [[len(edges(one) & edges(other)) for other in others] for one in tours]
    with mock.patch.multiple(counting, _RARE=rare, _CHUNK=chunk):
        found = shared_edges(np, tours, others, symmetric=symmetric)
    assert found.dtype == np.int64
    assert found.tolist() == expected


@pytest.mark.parametrize("n", [3, 4])
def test_the_smallest_tours(n: int) -> None:
    ring = np.arange(n, dtype=np.int32)[np.newaxis]
    assert shared_edges(np, ring, ring[:, ::-1]).tolist() == [[n]]
    assert shared_edges(np, ring, ring[:, ::-1], symmetric=False).tolist() == [[0]]

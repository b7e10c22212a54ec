"""The segment crossover on batches."""

from __future__ import annotations

import numpy as np
import pytest

from gpu_ls_plugin.evolution.segment_crossover import SegmentCrossover, cross
from gpu_ls_plugin.exceptions import InvalidParameterError, InvalidTourError, InvalidTypeError
from tests.evolution.samples import rows, undirected


def test_a_hand_made_child() -> None:
    first = np.array([[0, 1, 2, 3, 4, 5, 6, 7]], dtype=np.int32)
    second = np.array([[0, 2, 1, 7, 6, 5, 4, 3]], dtype=np.int32)
    # The segment 6 5 4 runs backwards in the first parent, which therefore goes on with 3 2 1 0 7.
    child = cross(first, second, np.array([4]), np.array([3]))
    assert child.tolist() == [[6, 5, 4, 3, 2, 1, 0, 7]]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 50, 200])
def test_children_are_permutations_with_the_second_parents_segment(n: int) -> None:
    size, rng = 20, np.random.default_rng(n)
    first, second = rows(n, size, 1).astype(np.int32), rows(n, size, 2).astype(np.int32)
    starts, lengths = rng.integers(n, size=size), rng.integers(1, n + 1, size=size)
    children = cross(first, second, starts, lengths)
    assert (np.sort(children, axis=1) == np.arange(n)).all()
    for row in range(size):
        segment = np.roll(second[row], -starts[row])[: lengths[row]]
        assert (children[row, : lengths[row]] == segment).all()


@pytest.mark.parametrize("backward", [False, True])
def test_a_tour_crossed_with_itself_stays_itself(backward: bool) -> None:
    first = rows(40, 10).astype(np.int32)
    second = np.roll(first[:, ::-1] if backward else first, 7, axis=1)
    children = cross(first, np.ascontiguousarray(second), np.arange(10), np.full(10, 15))
    for parent, child in zip(first, children, strict=True):
        assert undirected(child) == undirected(parent)


def test_lengths_and_places_are_drawn_in_bounds() -> None:
    first, second = rows(40, 300, 1), rows(40, 300, 2)
    child = SegmentCrossover(0.25, 0.5)(first, second, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    lengths, starts = rng.integers(10, 21, size=300), rng.integers(40, size=300)
    for row in range(300):
        segment = np.roll(second[row], -starts[row])[: lengths[row]]
        assert (child[row, : lengths[row]] == segment).all()


@pytest.mark.parametrize("bounds", [(0, 0.5), (0.5, 0.2), (0.5, 1.1), (float("nan"), 0.5)])
def test_wrong_bounds(bounds: tuple[float, float]) -> None:
    with pytest.raises((InvalidParameterError, InvalidTypeError), match=r"shortest|longest"):
        SegmentCrossover(*bounds)


def test_parents_that_are_not_tours_are_named() -> None:
    wrong = rows(9, 4)
    wrong[2, 0] = wrong[2, 1]
    with pytest.raises(InvalidTourError, match="parents: row 2"):
        SegmentCrossover()(rows(9, 4), wrong, np.random.default_rng(0))

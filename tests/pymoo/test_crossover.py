"""The segment crossover on batches."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pymoo.core.problem", reason='needs pip install "gpu-ls-plugin[pymoo]"')

from pymoo.core.population import Population

from gpu_ls_plugin.exceptions import InvalidParameterError, InvalidTourError
from gpu_ls_pymoo import SegmentCrossover
from gpu_ls_pymoo.crossover import cross
from tests.pymoo.samples import rows, undirected


class Size:
    def __init__(self, n: int) -> None:
        self.n_var = n


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


def test_pymoo_calls_it() -> None:
    parents = Population.new("X", rows(30, 8))
    off = SegmentCrossover()(Size(30), parents, parents=np.arange(8).reshape(4, 2))
    assert off.get("X").shape == (4, 30)
    same = [
        SegmentCrossover()._do(
            Size(9), rows(9, 4).reshape(2, 2, 9), random_state=np.random.default_rng(3)
        )
        for _ in "ab"
    ]
    assert (same[0] == same[1]).all()


@pytest.mark.parametrize("bounds", [(0, 0.5), (0.5, 0.2)])
def test_wrong_bounds(bounds: tuple[float, float]) -> None:
    with pytest.raises(InvalidParameterError, match="shortest, longest"):
        SegmentCrossover(*bounds)


def test_parents_that_are_no_tours_are_named() -> None:
    parents = Population.new("X", rows(9, 4).astype(float))
    parents[2].X[3] = np.nan
    with pytest.raises(InvalidTourError, match="parents: row 1 holds nan at position 3"):
        SegmentCrossover()(Size(9), parents, parents=np.arange(4).reshape(2, 2))

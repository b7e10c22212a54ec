"""Measures of diversity, compared with definitions by sets of edges."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin.core.exceptions import InvalidTourError
from gpu_ls_plugin.evolution.diversity import different, distance, entropy
from tests.evolution.samples import problem_of, rows

if TYPE_CHECKING:
    from numpy.typing import NDArray


def edges(tour: NDArray[Any], symmetric: bool) -> set[Any]:
    pairs = zip(tour.tolist(), np.roll(tour, -1).tolist(), strict=True)
    return {frozenset(pair) if symmetric else pair for pair in pairs}


def entropy_of(tours: NDArray[Any], symmetric: bool) -> float:
    counts = Counter(edge for tour in tours for edge in edges(tour, symmetric))
    shares = [count / len(tours) for count in counts.values()]
    return -sum(share * math.log(share) for share in shares)


@st.composite
def populations(draw: st.DrawFn) -> NDArray[np.int32]:
    """Draw a few tours, with rotations and reversals."""
    n, size = draw(st.integers(1, 9)), draw(st.integers(1, 6))
    tours = rows(n, size, draw(st.integers(0, 99)))
    written = [np.roll(tour[::step], shift) for tour in tours for step, shift in ((1, 2), (-1, 3))]
    chosen = draw(st.lists(st.integers(0, 2 * size - 1), min_size=1, max_size=8))
    return np.array(written, dtype=np.int32)[chosen]


@given(populations(), st.booleans())
def test_measures_are_those_of_sets_of_edges(tours, symmetric):
    sets = [edges(tour, symmetric) for tour in tours]
    kept = tours.copy()
    problem = problem_of(tours.shape[1], symmetric=symmetric)
    symmetric = problem.symmetric  # a single city is always symmetric
    assert entropy(problem, tours) == pytest.approx(entropy_of(tours, symmetric))
    assert different(problem, tours) == len({frozenset(some) for some in sets})
    distances = distance(problem, tours, tours[0])
    assert distances.dtype == np.int64
    assert distances.tolist() == [len(some - sets[0]) for some in sets]
    assert (tours == kept).all()


def test_the_ends_of_the_scale():
    star, ring = np.array([0, 2, 4, 1, 3]), np.arange(5)  # no edge in common
    five = problem_of(5)
    assert entropy(five, np.array([ring, ring[::-1]])) == 0
    assert entropy(five, np.array([ring, star])) == pytest.approx(5 * math.log(2))
    assert distance(five, np.array([ring, star]), ring).tolist() == [0, 5]


def test_many_tours_are_all_told_apart():
    tours = rows(200, 3000)
    problem = problem_of(200)
    assert different(problem, tours) == 3000
    assert different(problem, np.concatenate([tours, np.roll(tours, 5, axis=1)[:, ::-1]])) == 3000


@pytest.mark.parametrize("tours", [np.arange(5), np.zeros((0, 5), int), [[0, 1, 2]]])
def test_other_shapes_are_refused(tours):
    problem = problem_of(5)
    for measure in (entropy, different, lambda *some: distance(*some, np.arange(5))):
        with pytest.raises(InvalidTourError, match="rows: not an array of shape"):
            measure(problem, tours)
    with pytest.raises(InvalidTourError, match="row: shape"):
        distance(problem, rows(5, 2), np.arange(4))

"""Double bridges: the edges that they change, and their distribution."""

from __future__ import annotations

import numpy as np
import pytest

from gpu_ls_plugin import TSP, DoubleBridge
from tests.helpers import oracles
from tests.helpers.random_problems import random_tours

KICKS = 400


def kick(n: int, segment: int | None, seed: int = 0, size: int = KICKS) -> np.ndarray:
    """Kicked copies of the tour 0, 1, ..., n-1."""
    tours = np.tile(np.arange(n, dtype=np.int32), (size, 1))
    problem = TSP(np.zeros((n, 2)), "EUC_2D")
    return DoubleBridge(segment).perturb(problem, tours, seed=seed, backend="cpu")


def cuts(kicked: np.ndarray) -> list[int]:
    """Positions c whose edge (c, c+1) the kick took out of the tour 0, 1, ..., n-1."""
    n, kept = len(kicked), oracles.edges(kicked)
    return [c for c in range(n) if tuple(sorted((c, (c + 1) % n))) not in kept]


@pytest.mark.parametrize("segment", [None, 6, 7, 10, 50])
def test_exactly_four_edges_change(segment):
    for n in range(6, 31):
        for seed in range(3):
            for row in kick(n, segment, seed, size=60):
                assert sorted(row.tolist()) == list(range(n))
                assert oracles.changed_edges(range(n), row) == 4


def test_real_tours_are_kicked_the_same_way():
    n = 40
    tours = random_tours(n, 50)
    problem = TSP(np.random.default_rng(0).integers(0, 99, (n, 2)), "EUC_2D")
    kicked = DoubleBridge(12).perturb(problem, tours, seed=3, backend="cpu")
    places = kick(n, 12, seed=3, size=50)
    assert np.array_equal(kicked, np.take_along_axis(tours, places, axis=1))


@pytest.mark.parametrize("segment", [None, 9])
def test_segments_are_joined_as_a_d_c_b(segment):
    n = 20
    for row in kick(n, segment):
        p, q, r, s = cuts(row)
        b, c, d = range(p + 1, q + 1), range(q + 1, r + 1), range(r + 1, s + 1)
        order = [*range(p + 1), *d, *c, *b, *range(s + 1, n)]
        assert np.roll(row, -int(np.flatnonzero(row == 0)[0])).tolist() == order


@pytest.mark.parametrize("segment", [6, 8, 13])
def test_a_window_contains_all_cuts(segment):
    n = 30
    begins = set()
    for row in kick(n, segment):
        places = cuts(row)
        gaps = [(b - a) % n for a, b in zip(places, [*places[1:], places[0]], strict=True)]
        # The longest gap lies outside the window.
        assert n - max(gaps) + 2 <= segment
        begins.add(places[(int(np.argmax(gaps)) + 1) % 4])
        moved = np.flatnonzero(row != np.arange(n))
        idle = np.diff(np.concatenate([moved, [moved[0] + n]])).max()
        assert n - idle + 1 <= segment - 2
    assert begins == set(range(n))  # all around the tour


def test_windows_as_long_as_the_tour_are_uniform():
    assert np.array_equal(kick(12, 12), kick(12, None))
    assert np.array_equal(kick(12, 99), kick(12, None))


def test_all_cuts_are_equally_likely():
    n, size = 9, 20_000
    drawn = [tuple(cuts(row)) for row in kick(n, None, size=size)]
    kinds, counts = np.unique(drawn, axis=0, return_counts=True)
    expected = {
        (p, q, r, s)
        for p in range(n)
        for q in range(p + 1, n)
        for r in range(q + 1, n)
        for s in range(r + 1, n)
        if all(two > 2 for two in (r - p, s - q, n - (r - p), n - (s - q)))  # neighbours
    }
    assert {tuple(kind) for kind in kinds.tolist()} == expected
    share = size / len(expected)
    chi_square = ((counts - share) ** 2 / share).sum()
    assert chi_square < len(expected) + 5 * (2 * len(expected)) ** 0.5

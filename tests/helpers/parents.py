"""Pairs of parents: unrelated ones, and relatives that share most edges."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tests.helpers.random_problems import METRICS, random_problem, random_tours

LONGEST = 40  # cities of a reversed path


def relatives(tours: np.ndarray, reversals: int, seed: int) -> np.ndarray:
    """Return copies of tours with some reversed paths."""
    random, n = np.random.default_rng([seed, reversals]), tours.shape[1]
    others = tours.copy()
    for tour in others:
        for _ in range(reversals):
            begin, length = random.integers(0, n), random.integers(0, min(n, LONGEST) + 1)
            places = np.arange(begin, begin + length) % n
            tour[places] = tour[places[::-1]]
    return others


@st.composite
def crossings(draw, metrics=METRICS, most=70):
    """Draw a problem, first and second parents, and a seed."""
    n, size = draw(st.integers(1, most)), draw(st.integers(1, 4))
    problem = random_problem(draw(st.sampled_from(metrics)), n, draw(st.integers(0, 99)))
    first = random_tours(n, size, draw(st.integers(0, 99)))
    second = random_tours(n, size, draw(st.integers(100, 199)))
    if draw(st.booleans()):
        second = relatives(first, draw(st.integers(0, 8)), draw(st.integers(0, 999)))
    return problem, first, second, draw(st.integers(0, 2**64 - 1))

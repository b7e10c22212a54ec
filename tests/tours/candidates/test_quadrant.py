"""Quadrant candidates against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin import TSP
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.tours.candidates.quadrant import LOOKS, Quadrant
from tests.helpers import oracles
from tests.helpers.candidate_lists import Treeless, assert_lists
from tests.helpers.examples import examples
from tests.helpers.random_problems import COORDINATE, random_problem


def quadrant(dx: float, dy: float) -> int:
    """The quadrant of a difference; each half-axis belongs to the quadrant that it begins."""
    if dx == dy == 0 or (dx > 0 and dy >= 0):
        return 0
    if dx <= 0 and dy > 0:
        return 1
    if dx < 0 and dy <= 0:
        return 2
    assert dx >= 0 and dy < 0
    return 3


def brute_force(problem: TSP, m: int) -> list[list[int]]:
    d = oracles.distance_matrix(problem).tolist()
    reach = int(LOOKS[-1] * m)
    lists = []
    for city, nearest in enumerate(oracles.nearest(d, reach)):
        differences = (problem.coordinates[nearest] - problem.coordinates[city]).tolist()
        numbers = [quadrant(*difference) for difference in differences]
        chosen = []
        for number in range(4):
            inside = [c for c, q in zip(nearest, numbers, strict=True) if q == number]
            chosen += inside[: m // 4]
        rest = [c for c in nearest if c not in chosen]
        chosen += rest[: m - len(chosen)]
        lists.append(sorted(chosen, key=nearest.index))
    return lists


def assert_quadrants(problem: TSP, m: int) -> None:
    assert_lists(problem, Quadrant(m).of(problem), brute_force(problem, m))


@pytest.mark.parametrize("metric", COORDINATE)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 30, 150])
def test_lists_are_those_of_brute_force(metric, n):
    for m in (4, 8, 10, 40):
        assert_quadrants(random_problem(metric, n, seed=m), m)


@examples(60)
@given(st.integers(2, 60), st.integers(4, 15), st.integers(2, 9), st.integers(0, 99))
def test_ties_and_duplicates(n, m, span, seed):
    assert_quadrants(random_problem("EUC_2D", n, seed, span), m)


def test_far_quadrants_are_found():
    random = np.random.default_rng(0)
    clusters = [random.normal(0, 50, (60, 2)) + place for place in ([0, 0], [9e3, 0], [0, 9e3])]
    assert_quadrants(
        TSP(np.concatenate(clusters), "EUC_2D"), 4
    )  # 16 m = 64 reaches beyond the own cluster
    assert_quadrants(TSP(np.concatenate(clusters), "EUC_2D"), 8)


def test_only_the_nearest_sixteen_m_cities_count():
    near = np.stack([np.arange(100.0), np.zeros(100)], axis=1)  # all to the right
    problem = TSP(np.concatenate([near, [[-5000.0, 0]]]), "EUC_2D")
    assert 100 not in Quadrant(4).of(problem).cities[0]
    assert 100 in Quadrant(8).of(problem).cities[0]


def test_all_cities_at_one_place():
    assert_quadrants(TSP(np.zeros((40, 2)), "EUC_2D"), 8)
    crowd = TSP(np.zeros((3000, 2)), "EUC_2D")
    assert Quadrant(8).of(crowd).cities[-1].tolist() == list(range(8))


def test_lists_made_in_blocks(monkeypatch):
    problem = random_problem("EUC_2D", 150)
    whole = Quadrant(8).build(problem)
    monkeypatch.setattr("gpu_ls_plugin.tours.candidates.quadrant.BLOCK_ENTRIES", 100)
    assert np.array_equal(Quadrant(8).build(problem).cities, whole.cities)


def test_a_metric_without_a_tree():
    assert_quadrants(TSP(np.random.default_rng(0).integers(0, 99, (80, 2)), Treeless()), 8)


def test_a_matrix_has_no_quadrants():
    with pytest.raises(UnsupportedProblemError, match=r"Quadrant\(m=8\) needs coordinates"):
        Quadrant(8).of(random_problem("EXPLICIT", 20))


def test_parameters_out_of_range():
    with pytest.raises(InvalidParameterError, match="m: 3"):
        Quadrant(3)
    with pytest.raises(InvalidTypeError, match=r"m: 8\.0"):
        Quadrant(8.0)

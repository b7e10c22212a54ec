"""Nearest cities and all cities against brute force, without an n x n array."""

from __future__ import annotations

import copy
import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin import TSP, All, Nearest
from gpu_ls_plugin.tours.candidates.nearest import nearest_lists
from tests.helpers import oracles
from tests.helpers.candidate_lists import assert_lists
from tests.helpers.examples import examples
from tests.helpers.random_problems import METRICS, random_problem


def assert_nearest(problem: TSP, k: int) -> None:
    """Cities and lengths are those of brute force, ties by city."""
    expected = oracles.nearest(oracles.distance_matrix(problem).tolist(), k)
    assert_lists(problem, Nearest(k).of(problem), expected)


@examples(120)
@given(
    st.sampled_from(METRICS),
    st.integers(1, 57),
    st.integers(1, 12) | st.just(60),
    st.integers(2, 9) | st.just(60),
)
def test_lists_are_those_of_brute_force_and_ties_go_by_city(metric, n, k, span):
    assert_nearest(random_problem(metric, n, span=span), k)


def test_all_cities_at_one_place():
    assert_nearest(TSP(np.zeros((40, 2)), "EUC_2D"), 7)
    assert_nearest(TSP.from_matrix(np.zeros((40, 40))), 7)


def test_crowds_at_few_places():
    places = np.random.default_rng(0).integers(0, 9, (4, 2)) * 10
    for metric in ("EUC_2D", "EUC", "GEO"):
        assert_nearest(TSP(np.repeat(places, [1, 3, 40, 60], axis=0), metric), 7)


def test_long_ties_on_a_lattice():
    lattice = np.stack(np.meshgrid(np.arange(12), np.arange(12)), axis=-1).reshape(-1, 2)
    for metric in ("EUC_2D", "MAX_2D", "MAN_2D"):
        assert_nearest(TSP(lattice, metric), 6)


@pytest.mark.parametrize("metric", ["EUC_2D", "EXPLICIT"])
def test_lists_made_in_blocks(monkeypatch, metric):
    monkeypatch.setattr("gpu_ls_plugin.tours.candidates.nearest.BLOCK_ENTRIES", 100)
    assert_nearest(random_problem(metric, 57, span=6), 5)


def test_candidates_of_an_asymmetric_matrix_are_by_outgoing_length():
    matrix = np.random.default_rng(0).integers(0, 50, (25, 25))
    assert_nearest(TSP.from_matrix(matrix), 6)


def test_all_lists_every_other_city():
    problem = random_problem("EUC_2D", 9)
    lists = All().of(problem)
    assert lists.cities.shape == (9, 8)
    assert all(sorted([c, *row]) == list(range(9)) for c, row in enumerate(lists.cities.tolist()))


def test_lists_among_a_subset():
    problem = random_problem("EUC_2D", 40, span=10)
    subset = np.arange(3, 40, 3)
    lists = nearest_lists(problem, 4, subset)
    d = oracles.distance_matrix(problem)[np.ix_(subset, subset)]
    assert lists.cities.tolist() == subset[oracles.nearest(d.tolist(), 4)].tolist()


def test_lists_are_made_once_and_stay_out_of_copies():
    problem = random_problem("EUC_2D", 300)
    lists = Nearest(8).of(problem)
    assert Nearest(8).of(problem) is lists
    assert Nearest(9).of(problem) is not lists
    assert Nearest(8).of(copy.deepcopy(problem)) is lists
    bare = len(pickle.dumps(random_problem("EUC_2D", 300)))
    assert len(pickle.dumps(problem)) == bare


def test_a_hundred_thousand_cities_take_no_square_array():
    problem = TSP(np.random.default_rng(1).random((100_000, 2)) * 1e6, "EUC_2D")
    tracemalloc.start()
    try:
        lists = Nearest(10).of(problem)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert lists.cities.shape == (100_000, 10)
    assert peak < 300e6  # n x n would be 10^10
    cities = np.random.default_rng(2).integers(0, problem.n, 20)
    far = problem.distance(cities[:, None], np.arange(problem.n)[None, :])
    far[np.arange(20), cities] = far.max()
    assert np.array_equal(np.sort(far, axis=1)[:, :10], lists.lengths[cities])

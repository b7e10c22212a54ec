"""Tours with several lengths: costs, weights and bad input."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.tours.problem.multi_objective import lattice
from tests.helpers.random_problems import METRICS, random_problem, random_tours
from tests.tours.objectives.third_party import Loads

PARTS = [random_problem("EUC_2D", 9, 1), random_problem("EXPLICIT_REAL", 9, 2)]
PROBLEM = gls.MultiObjectiveTSP(PARTS)
TOURS = random_tours(9, 4)


@given(st.lists(st.sampled_from(METRICS), min_size=2, max_size=4), st.integers(1, 12))
def test_costs_are_those_of_the_objectives(metrics, n):
    parts = [random_problem(metric, n, seed) for seed, metric in enumerate(metrics)]
    problem, tours = gls.MultiObjectiveTSP(parts), random_tours(n, 5)
    costs = problem.cost(tours)
    assert costs.shape == (5, len(parts))
    assert costs.dtype == (np.int64 if problem.integer else np.float64)
    for number, part in enumerate(parts):
        assert np.array_equal(costs[:, number], part.cost(tours))


def test_objectives_may_be_arrays():
    matrix = np.arange(25).reshape(5, 5)
    problem = gls.MultiObjectiveTSP([np.zeros((5, 2)), matrix + matrix.T], "MAN_2D")
    assert [part.metric.name for part in problem.objectives] == ["MAN_2D", "EXPLICIT"]
    assert problem.symmetric and problem.integer and problem.n_objectives == 2
    assert not gls.MultiObjectiveTSP([matrix, matrix.T]).symmetric


@pytest.mark.parametrize(
    ("objectives", "error", "words"),
    [
        ([PARTS[0]], InvalidProblemError, "at least two"),
        ([PARTS[0], random_problem("EUC", 8)], InvalidProblemError, "8 cities"),
        ([PARTS[0], PARTS[1].under(Loads((1,) * 9, 5))], InvalidProblemError, "besides its length"),
        (PARTS[0], InvalidTypeError, "not a sequence"),
        ([PARTS[0], [[np.nan, 0]] * 9], InvalidProblemError, "finite"),
    ],
)
def test_bad_objectives(objectives, error, words):
    with pytest.raises(error, match=words):
        gls.MultiObjectiveTSP(objectives)


@pytest.mark.parametrize(
    "weights", [(1, 2, 3), [], [(0, 0)], [(1, -1)], [(1, np.inf)], [[(1, 1)]], [(1, 0), (0, 0)]]
)
def test_bad_weights(weights):
    with pytest.raises((InvalidParameterError, InvalidProblemError), match="weights"):
        PROBLEM.weighted(weights)


def test_weighted_costs_are_sums():
    weights = np.random.default_rng(1).random((4, 2))
    weighted = PROBLEM.weighted(weights)
    assert np.allclose(weighted.cost(TOURS), (weights * PROBLEM.cost(TOURS)).sum(axis=1))
    assert np.allclose(weighted.row(2).cost(TOURS), PROBLEM.cost(TOURS) @ weights[2])
    for count in (1, 3, 5):
        with pytest.raises(InvalidParameterError, match="weights for 4 rows"):
            weighted.cost(TOURS[:1].repeat(count, axis=0))
    with pytest.raises(InvalidTourError):
        weighted.cost(np.zeros((4, 9), int))


def test_an_edge_has_a_length_in_each_row():
    weighted = PROBLEM.weighted([(1, 2), (3, 4)])
    with pytest.raises(UnsupportedProblemError, match="its own lengths"):
        weighted.distance(0, 1)
    one, two = (part.distance(0, 1) for part in PARTS)
    assert weighted.row(1).distance(0, 1) == 3 * one + 4 * two
    with pytest.raises(UnsupportedProblemError, match="another objective"):
        weighted.under("length")


def test_copies_are_equal_problems():
    weighted = PROBLEM.weighted([(1, 2), (3, 4)])
    for problem in (PROBLEM, weighted):
        copy = pickle.loads(pickle.dumps(problem))
        tours = TOURS[:2]
        assert np.array_equal(copy.cost(tours), problem.cost(tours))
    assert pickle.loads(pickle.dumps(weighted)).fingerprint == weighted.fingerprint
    assert PROBLEM.weighted([(1, 2), (3, 5)]).fingerprint != weighted.fingerprint


def test_lists_are_those_of_the_most_similar_direction():
    directions = PROBLEM.directions
    assert directions.rows >= 2 + 8
    weights = directions.weights[[3, 0, 5]] * [[2.0], [7.0], [1.1]]
    weighted = PROBLEM.weighted(weights)
    assert weighted.listed is directions
    assert weighted.list_rows().tolist() == [3, 0, 5]
    lists = gls.Nearest(4).of(weighted)
    assert lists is gls.Nearest(4).of(directions)
    assert np.array_equal(lists.cities[27:36], gls.Nearest(4).of(directions.row(3)).cities)


@given(st.integers(2, 5), st.integers(1, 6))
def test_lattices_contain_all_multiples(objectives, parts):
    weights = lattice(objectives, parts)
    assert len(np.unique(weights, axis=0)) == len(weights)
    assert np.allclose(weights.sum(axis=1), 1) and (weights >= 0).all()
    everything = np.indices((parts + 1,) * objectives).reshape(objectives, -1).sum(axis=0)
    assert len(weights) == (everything == parts).sum()

"""Rules for weights: results are valid weights, with the properties that each rule promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.tours.fronts.scalarised import payoffs, weighted_for
from gpu_ls_plugin.tours.fronts.weights import (
    LEAST_WEIGHT,
    DirectionWeights,
    PositionWeights,
    RandomWeights,
    Tchebycheff,
    places_of,
)
from tests.helpers.random_problems import random_problem, random_tours

DIRECTIONS = np.array([(1, 0), (3, 1), (1, 1), (1, 3), (0, 1)])
RULES = (
    RandomWeights(),
    PositionWeights(),
    PositionWeights(0.0),
    DirectionWeights(DIRECTIONS),
    Tchebycheff(PositionWeights(0.1)),
)


@given(
    arrays(np.float64, (7, 2), elements=st.floats(0, 1)),
    st.sampled_from(RULES),
    st.integers(0, 2**32),
)
def test_rules_give_weights(places, rule, seed):
    drawn = rule.draw(places, np.random.default_rng(seed))
    assert drawn.shape == places.shape
    assert np.allclose(drawn.sum(axis=1), 1)
    assert (drawn >= 0.9 * LEAST_WEIGHT * drawn.max(axis=1, keepdims=True)).all()
    assert np.array_equal(drawn, rule.draw(places, np.random.default_rng(seed)))


def test_good_objectives_have_high_weights():
    places = np.array([(0.0, 1.0), (0.2, 0.8), (0.5, 0.5), (1.0, 0.0)])
    exact = PositionWeights(0.0).draw(places, np.random.default_rng(0))
    assert np.allclose(exact, 1 - places, atol=2e-3)
    spread = PositionWeights(0.5).draw(places.repeat(500, axis=0), np.random.default_rng(0))
    assert np.allclose(np.median(spread.reshape(4, 500, 2), axis=1), exact, atol=0.05)
    assert len(np.unique(spread, axis=0)) > 1500


def test_tours_get_the_nearest_direction():
    places = np.array([(0.0, 1.0), (0.28, 0.7), (0.5, 0.52), (0.72, 0.3), (0.9, 0.0)])
    drawn = DirectionWeights(DIRECTIONS).draw(places, np.random.default_rng(0))
    assert np.allclose(drawn, DIRECTIONS / DIRECTIONS.sum(axis=1, keepdims=True), atol=2e-3)


def test_parameters_are_checked():
    with pytest.raises(InvalidParameterError, match="spread"):
        PositionWeights(-1)
    with pytest.raises(InvalidTypeError, match="spread"):
        PositionWeights("wide")
    for wrong in ([1, 2], [[0, 0]], [[-1, 2]], np.empty((0, 2))):
        with pytest.raises(InvalidParameterError, match="directions"):
            DirectionWeights(wrong)
    with pytest.raises(InvalidTypeError, match="weights"):
        Tchebycheff(3)
    with pytest.raises(InvalidParameterError, match="augmentation"):
        Tchebycheff(augmentation=0.0)
    with pytest.raises(InvalidParameterError, match="3"):
        DirectionWeights(DIRECTIONS).draw(np.zeros((1, 3)), np.random.default_rng(0))


def test_weights_make_up_for_scales():
    """Lengths of the second objective are about a thousand times those of the first."""
    part = random_problem("EXPLICIT", 30, span=900)
    other = gls.TSP.from_matrix(random_problem("EXPLICIT", 30, 5, 900).matrix * 1000)
    problem, tours = gls.MultiObjectiveTSP([part, other]), random_tours(30, 200)
    ideal, nadir = payoffs(problem, "cpu")
    assert (ideal < nadir).all()
    assert payoffs(problem, "cpu")[0] is ideal
    weighted = weighted_for(problem, tours, RandomWeights(), np.random.default_rng(1), "cpu")
    shares = weighted.weights * (nadir - ideal)
    assert np.allclose(shares.sum(axis=1), 1) and abs(shares.mean(axis=0)[0] - 0.5) < 0.1


def test_places_of_a_point_without_extent():
    point = np.array([3.0, 4.0])
    assert places_of(np.array([[3, 5]]), point, point).tolist() == [[0.0, 1.0]]

"""Cities on the way to the depot, against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin import TSP, Detour, Nearest
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.tours.candidates import detour
from tests.helpers import oracles
from tests.helpers.candidate_lists import assert_lists
from tests.helpers.examples import examples
from tests.helpers.random_problems import METRICS, random_problem


def brute_force(d: list[list[float]], k: int) -> list[list[int]]:
    def detour_of(i: int, j: int) -> float:
        return min(d[i][j] + d[j][0] - d[i][0], d[j][i] + d[i][0] - d[j][0])

    return [
        sorted((j for j in range(len(d)) if j != i), key=lambda j: (detour_of(i, j), d[i][j], j))[
            :k
        ]
        for i in range(len(d))
    ]


@examples(40)
@given(st.sampled_from(METRICS), st.integers(1, 25), st.integers(1, 12), st.integers(2, 9))
def test_lists_are_those_of_brute_force(metric, n, k, span):
    problem = random_problem(metric, n, span=span)
    expected = brute_force(oracles.distance_matrix(problem).tolist(), k)
    assert_lists(problem, Detour(k).of(problem), expected)


def test_blocks_make_no_difference(monkeypatch):
    problem = random_problem("EUC_2D", 40, 3)
    whole = Detour(7).of(problem).cities
    monkeypatch.setattr(detour, "BLOCK_ENTRIES", 100)
    assert (Detour(7).build(problem).cities == whole).all()


def test_far_cities_on_the_way_are_listed():
    ray = [(0, 0), (90, 0), (10, 0), (88, 30), (92, 30), (88, -30)]
    problem = TSP(np.array(ray))
    assert Nearest(3).of(problem).cities[1].tolist() == [3, 4, 5]
    assert Detour(2).of(problem).cities[1].tolist() == [2, 0]
    assert Detour(2).of(problem).cities[2].tolist() == [0, 1]


def test_bad_parameters():
    with pytest.raises(InvalidParameterError, match="k"):
        Detour(0)
    with pytest.raises(InvalidTypeError, match="k"):
        Detour("many")

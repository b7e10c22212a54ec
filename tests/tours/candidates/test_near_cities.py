"""Lists in the plane by the CPU backend are the same as by NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.tours.candidates import near_cities, nearest, quadrant

SCALES = {"few ties": 1e6, "many ties": 100.0}


def _uniform(n: int, scale: float, metric: str) -> gls.TSP:
    return gls.TSP(np.round(np.random.default_rng(n).random((n, 2)) * scale, 1), metric)


def _quadrants(problem: gls.TSP, m: int) -> gls.candidates.CandidateLists | None:
    looks = tuple(min(int(look * m), problem.n - 1) for look in quadrant.LOOKS)
    return near_cities.near_lists(problem, min(m, problem.n - 1), each=m // 4, looks=looks)


def _same(
    made: gls.candidates.CandidateLists | None, others: gls.candidates.CandidateLists
) -> None:
    assert made is not None
    np.testing.assert_array_equal(made.cities, others.cities)
    np.testing.assert_array_equal(made.lengths, others.lengths)
    assert made.lengths.dtype == others.lengths.dtype


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
@pytest.mark.parametrize("metric", ["EUC_2D", "EUC"])
def test_lists_are_those_of_numpy(metric: str, scale: float) -> None:
    problem = _uniform(300, scale, metric)
    some = np.arange(0, problem.n, 3)
    for k in (1, 8):
        for subset in (None, some):
            made = near_cities.near_lists(problem, k, subset=subset)
            _same(made, nearest.NearestCities(problem, subset).lists(k))
    for m in (4, 9):
        _same(_quadrants(problem, m), quadrant.quadrant_lists_by_numpy(problem, m, m))


def test_cities_on_a_line_and_far_apart() -> None:
    line = gls.TSP(np.stack([np.arange(200.0) ** 3, np.zeros(200)], axis=1), "EUC_2D")
    _same(near_cities.near_lists(line, 5), nearest.NearestCities(line).lists(5))
    _same(_quadrants(line, 8), quadrant.quadrant_lists_by_numpy(line, 8, 8))


def test_crowds_and_matrices_are_left_to_numpy() -> None:
    crowd = gls.TSP(np.repeat([[0.0, 0.0], [9.0, 9.0]], 300, axis=0), "EUC_2D")
    assert near_cities.near_lists(crowd, 5) is None
    matrix = gls.TSP.from_matrix(np.ones((9, 9), int))
    assert near_cities.near_lists(matrix, 5) is None
    assert near_cities.near_lists(_uniform(600, 1e3, "EUC_2D"), 500) is None
    for problem in (crowd, matrix):
        assert gls.Nearest(5).of(problem).cities.shape == (problem.n, 5)


def test_nothing_is_made_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_cities, "compiles", lambda: False)
    problem = _uniform(300, 1e3, "EUC_2D")
    assert near_cities.near_lists(problem, 5) is None
    _same(gls.Quadrant(6).of(problem), quadrant.quadrant_lists_by_numpy(problem, 6, 6))

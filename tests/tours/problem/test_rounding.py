"""Lengths are real unless a metric is named; a metric that rounds all of them to 0 or 1 warns."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from gpu_ls_plugin.core.exceptions import PrecisionWarning
from gpu_ls_plugin.tours.problem.metrics import Euc2D
from gpu_ls_plugin.tours.problem.tsp import TSP

pytestmark = pytest.mark.filterwarnings("error")

ROUNDING = ("EUC_2D", "CEIL_2D", "FLOOR_2D", "ATT", "MAN_2D", "MAX_2D")
UNIT_SQUARE = np.random.default_rng(0).random((100, 2))
GRID = np.stack(np.meshgrid(np.arange(3), np.arange(3)), axis=-1).reshape(-1, 2)
FILE = """TYPE : TSP
DIMENSION : 3
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0.1 0
2 0.3 0
3 0 0.4
EOF
"""


def test_lengths_are_real_unless_a_metric_is_named():
    problem = TSP(UNIT_SQUARE)
    edges = UNIT_SQUARE - np.roll(UNIT_SQUARE, -1, axis=0)
    assert problem.metric.name == "EUC" and problem.cost_dtype == np.float64
    assert problem.cost(np.arange(100)) == pytest.approx(np.hypot(*edges.T).sum())


@pytest.mark.parametrize("metric", ROUNDING)
def test_a_metric_that_rounds_everything_away_warns(metric):
    words = rf'coordinates: {metric} rounds .* 0 or 1 .* metric="EUC" .* scale the coordinates up'
    for points in (UNIT_SQUARE, 1.2 * UNIT_SQUARE, UNIT_SQUARE[:2]):
        with pytest.warns(PrecisionWarning, match=words) as caught:
            TSP(points, metric)
        assert caught[0].filename == __file__


def test_files_warn_too(tmp_path):
    path = tmp_path / "tiny.tsp"
    path.write_text(FILE)
    with pytest.warns(PrecisionWarning, match="EUC_2D") as caught:
        TSP.read(path)
    assert caught[0].filename == __file__
    path.write_text(FILE.replace("0.", "40"))
    TSP.read(path)


QUIET = [
    *(
        (metric, points)
        for metric in ROUNDING
        for points in (
            100 * UNIT_SQUARE,
            np.zeros((50, 2)),
            [(7, 7)],
            np.repeat([(0, 0), (900, 40), (30, 800)], [300, 20, 20], axis=0),
            np.concatenate([np.zeros((900, 2)), 1000 * UNIT_SQUARE]),
        )
    ),
    *(  # lengths of 0 and 1 that are exact
        (metric, points)
        for metric in ("MAN_2D", "MAX_2D")
        for points in ([(0, 0), (1, 0)], GRID, GRID[:, ::-1] * [1, 0])
    ),
    *((metric, 0.5 * UNIT_SQUARE) for metric in ("EUC", "GEO", "HAVERSINE")),  # do not round
]


@pytest.mark.parametrize(("metric", "points"), QUIET)
def test_other_coordinates_do_not_warn(metric, points):
    TSP(points, metric)


def test_copies_do_not_warn_again():
    with pytest.warns(PrecisionWarning):
        problem = TSP(UNIT_SQUARE, "EUC_2D")
    assert pickle.loads(pickle.dumps(problem)).fingerprint == problem.fingerprint


def test_a_million_cities_are_sampled(monkeypatch):
    pairs = []
    real = Euc2D.real
    monkeypatch.setattr(Euc2D, "real", lambda *a: [pairs.append(np.size(a[1])), real(*a)][1])
    TSP(1e6 * np.random.default_rng(0).random((10**6, 2)), "EUC_2D")
    assert 0 < max(pairs) <= 5000

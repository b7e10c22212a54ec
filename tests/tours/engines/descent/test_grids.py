"""Integer arithmetic of lengths, as on a GPU, leads to the same tours as estimates."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.tours.kernels import sites
from tests.helpers.random_problems import random_problem

SPANS = {"fine": 1000, "wide": 1_000_000}
USUAL = gls.LocalSearch([gls.TwoOpt(), gls.OrOpt(3)], gls.Nearest(6))
DEEP = gls.LocalSearch([gls.LinKernighan()], gls.Nearest(6))
SEARCHES = {
    "descent": USUAL,
    "three_opt": gls.LocalSearch([gls.ThreeOpt()], gls.Nearest(6)),
    "chains": gls.IteratedLocalSearch(DEEP, kicks_per_city=1),
    "parts": gls.IteratedLocalSearch(USUAL, gls.DoubleBridge(12), kicks_per_city=9, part=32),
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
@pytest.mark.parametrize("grid", SPANS)
@pytest.mark.parametrize(
    "metric", ["EUC_2D", pytest.param("CEIL_2D", marks=pytest.mark.slow), "FLOOR_2D"]
)
def test_integer_arithmetic_changes_no_tour(metric, grid, search, monkeypatch):
    problem = random_problem(metric, 150, seed=4, span=SPANS[grid])
    assert metric in sites.GRID_METRICS
    assert sites.grid_of(problem) == grid
    starts = gls.random_tours(problem, 4, seed=1, backend="cpu")
    by_estimates = search(problem, starts, seed=1, backend="cpu")
    monkeypatch.setattr(sites, "GRID_BACKENDS", ("cpu",))
    on_grid = search(problem, starts, seed=1, backend="cpu")
    assert (by_estimates.tours == on_grid.tours).all()


@pytest.mark.parametrize(
    ("coordinates", "metric", "grid"),
    [
        ([[0, 0], [3, 4], [32767, 5]], "EUC_2D", "fine"),
        ([[0, 0], [3, 4], [32768, 5]], "EUC_2D", "wide"),
        ([[-16000, 0], [16000, 4], [0, 5]], "CEIL_2D", "fine"),
        ([[0, 0], [3, 4], [2_100_000, 5]], "EUC_2D", ""),
        ([[0, 0], [3, 4.5], [7, 5]], "EUC_2D", ""),
        ([[0, 0], [3, 4], [7, 5]], "MAN_2D", ""),
    ],
)
def test_which_coordinates_are_on_a_grid(coordinates, metric, grid):
    assert sites.grid_of(gls.TSP(np.array(coordinates), metric)) == grid

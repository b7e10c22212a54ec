"""The adapter as a plugin: whose problems it knows."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pygad.benchmarks.tsp", reason="needs a later PyGAD")

from pygad.benchmarks import tsp

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_pygad import LocalSearchMutation, TourFitness
from tests.evolution.samples import cities, rows


@pytest.mark.parametrize(
    "benchmark",
    [
        tsp.TSP(coordinates=cities(30) / 7),
        tsp.TSP(coordinates=np.random.default_rng(1).random((30, 3))),
        tsp.TSP(distance_matrix=np.random.default_rng(1).random((30, 30))),
    ],
    ids=["plane", "space", "asymmetric"],
)
def test_the_tsp_of_pygads_benchmarks(benchmark: tsp.TSP) -> None:
    some = rows(30, 5)
    ours = TourFitness(benchmark)(None, some, range(5))
    theirs = [benchmark(None, row, 0) for row in some]
    assert np.allclose(ours, theirs, rtol=1e-12)


def test_a_fitness_stands_for_its_problem() -> None:
    problem = gls.TSP(cities(9), "EUC_2D")
    assert LocalSearchMutation(TourFitness(problem)).search.problem is problem
    with pytest.raises(InvalidTypeError, match="no plugin"):
        TourFitness(object())
    with pytest.raises(InvalidTypeError, match="not a TSP"):
        TourFitness(gls.GraphColouring(3, [(0, 1)], colours=2))

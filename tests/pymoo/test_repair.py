"""Canonical tours as pymoo sees them."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pymoo.core.problem", reason='needs pip install "gpu-ls-plugin[pymoo]"')

from pymoo.core.population import Population

import gpu_ls_plugin as gls
from gpu_ls_pymoo import CanonicalTourRepair, TSPProblem
from tests.evolution.samples import rows


def test_a_repair_keeps_every_length(tsp: gls.TSP) -> None:
    pop = Population.new("X", rows(60, 9))
    CanonicalTourRepair()(TSPProblem(tsp), pop)
    assert (pop.get("X")[:, 0] == 0).all()
    assert tsp.cost(pop.get("X")).tolist() == tsp.cost(rows(60, 9)).tolist()


def test_asymmetric_tours_are_not_reversed() -> None:
    tsp = gls.TSP.from_matrix(np.random.default_rng(0).integers(1, 99, size=(9, 9)))
    pop = Population.new("X", rows(9, 20))
    CanonicalTourRepair()(TSPProblem(tsp), pop)
    assert (pop.get("X")[:, 0] == 0).all()
    assert tsp.cost(pop.get("X")).tolist() == tsp.cost(rows(9, 20)).tolist()

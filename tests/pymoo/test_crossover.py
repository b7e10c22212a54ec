"""The segment crossover as a pymoo operator."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pymoo.core.problem", reason='needs pip install "gpu-ls-plugin[pymoo]"')

from pymoo.core.population import Population

from gpu_ls_plugin.exceptions import InvalidParameterError, InvalidTourError
from gpu_ls_pymoo import SegmentCrossover
from tests.evolution.samples import rows


class Size:
    def __init__(self, n: int) -> None:
        self.n_var = n


def test_pymoo_calls_it() -> None:
    parents = Population.new("X", rows(30, 8))
    off = SegmentCrossover()(Size(30), parents, parents=np.arange(8).reshape(4, 2))
    assert off.get("X").shape == (4, 30)
    same = [
        SegmentCrossover()._do(
            Size(9), rows(9, 4).reshape(2, 2, 9), random_state=np.random.default_rng(3)
        )
        for _ in "ab"
    ]
    assert (same[0] == same[1]).all()


@pytest.mark.parametrize("bounds", [(0, 0.5), (0.5, 0.2)])
def test_wrong_bounds(bounds: tuple[float, float]) -> None:
    with pytest.raises(InvalidParameterError, match="shortest, longest"):
        SegmentCrossover(*bounds)


def test_parents_that_are_no_tours_are_named() -> None:
    parents = Population.new("X", rows(9, 4).astype(float))
    parents[2].X[3] = np.nan
    with pytest.raises(InvalidTourError, match="parents: row 1 holds nan at position 3"):
        SegmentCrossover()(Size(9), parents, parents=np.arange(4).reshape(2, 2))

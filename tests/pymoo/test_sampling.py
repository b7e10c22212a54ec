"""Start populations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("pymoo.core.problem", reason='needs pip install "gpu-ls-plugin[pymoo]"')

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.registry import registry
from gpu_ls_pymoo import LocalSearchSampling, TSPProblem

if TYPE_CHECKING:
    from tests.evolution.samples import Diary


@pytest.mark.parametrize("construction", ["nearest_neighbour", "random_tours", gls.greedy])
def test_starts_are_searched_in_one_batch(
    tsp: gls.TSP, diary: type[Diary], construction: Any
) -> None:
    pop = LocalSearchSampling(construction, diary())(TSPProblem(tsp), 12, seed=3)
    assert [call["rows"] for call in diary.calls] == [12]
    assert pop.get("F")[:, 0].tolist() == tsp.cost(pop.get("X")).tolist()
    assert all(individual.evaluated for individual in pop)
    again = LocalSearchSampling(construction, diary())(TSPProblem(tsp), 12, seed=3)
    assert (again.get("X") == pop.get("X")).all()
    starts = gls.nearest_neighbour(tsp, size=60)
    assert pop.get("F").min() < tsp.cost(starts).min()


def test_random_numbers_come_from_the_random_state(tsp: gls.TSP) -> None:
    sampling = LocalSearchSampling("random_tours")
    state = np.random.default_rng(0)
    first = sampling(TSPProblem(tsp), 5, random_state=state).get("X")
    second = sampling(TSPProblem(tsp), 5, random_state=state).get("X")
    assert (first != second).any()


def test_constructions_of_the_documentation_exist() -> None:
    text = (
        (LocalSearchSampling.__doc__ or "").partition("construction :")[2].partition("search :")[0]
    )
    named = re.findall(r'"(\w+)"', text)
    assert "nearest_neighbour" in named
    for name in named:
        registry.lookup("construction", name)

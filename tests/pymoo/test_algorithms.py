"""Operators and random keys in multi-objective algorithms that run with one objective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pymoo.algorithms.moo.moead import MOEAD
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize

import gpu_ls_plugin as gls
from gpu_ls_pymoo import (
    EdgeAssemblyCrossover,
    LocalSearchMutation,
    RandomKeysProblem,
    SegmentCrossover,
    TSPProblem,
)
from tests.helpers.marks import diagonal

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE, GENERATIONS = 12, 5
ONE = np.ones((1, 1))  # the direction of a single objective
ALGORITHMS: dict[str, Callable[..., Any]] = {
    "NSGA2": lambda **parts: NSGA2(SIZE, **parts),
    "NSGA3": lambda **parts: NSGA3(ONE, SIZE, **parts),
    "SMSEMOA": lambda **parts: SMSEMOA(SIZE, **parts),
    "MOEAD": lambda **parts: MOEAD(np.repeat(ONE, SIZE, axis=0), n_neighbors=4, **parts),
}
CROSSOVERS = (OrderCrossover, SegmentCrossover, EdgeAssemblyCrossover)

algorithms = pytest.mark.parametrize("name", ALGORITHMS)


def run(name: str, problem: Any, seed: int = 1, **parts: Any) -> Any:
    algorithm = ALGORITHMS[name](**parts)
    return minimize(problem, algorithm, ("n_gen", GENERATIONS), seed=seed)


@pytest.mark.parametrize(("name", "crossover"), diagonal(ALGORITHMS, CROSSOVERS))
def test_operators_of_tours(name, crossover, tsp):
    def ends(seed: int) -> Any:
        parts = {"sampling": PermutationRandomSampling(), "crossover": crossover()}
        return run(name, TSPProblem(tsp), seed, mutation=LocalSearchMutation(), **parts).pop

    one, same, other = ends(1), ends(1), ends(2)
    tours = one.get("X").astype(int)
    assert len(one) == SIZE
    assert one.get("F")[:, 0].tolist() == tsp.cost(tours).tolist()
    searched = gls.LocalSearch()(tsp, gls.random_tours(tsp, SIZE, seed=1))
    assert one.get("F").min() <= searched.best_cost
    assert (tours == same.get("X")).all()
    assert (tours != other.get("X")).any()


@pytest.mark.parametrize(
    "name", sorted(set(ALGORITHMS) - {"SMSEMOA"})
)  # of two objectives at least
def test_random_keys(name, tsp):
    problem = RandomKeysProblem(TSPProblem(tsp))
    pops = [run(name, problem, seed).pop for seed in (1, 1, 2)]
    tours = [problem.tours(pop) for pop in pops]
    assert pops[0].get("F")[:, 0].tolist() == tsp.cost(tours[0]).tolist()
    assert (pops[0].get("X") == pops[1].get("X")).all()
    assert (pops[0].get("X") != pops[2].get("X")).any()

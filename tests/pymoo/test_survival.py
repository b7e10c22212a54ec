"""Survival by distance in edges, compared with its definition by sets of edges."""

from __future__ import annotations

import numpy as np
import pytest
from pymoo.core.evaluator import Evaluator
from pymoo.core.population import Population
from pymoo.optimize import minimize

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_pymoo import EdgeDistanceSurvival, MemeticGA, TSPProblem
from tests.evolution.samples import cities, rows, undirected


@pytest.mark.parametrize("edges", [0, 1, 4, 6, 8])
@pytest.mark.parametrize("count", [1, 5, 12, 30])
def test_survivors_are_the_best_tours_that_are_far_apart(edges, count):
    problem = TSPProblem(gls.TSP(cities(8), "EUC_2D"))
    pop = Population.new(X=rows(8, 30))
    Evaluator().eval(problem, pop)
    ranked = sorted(pop, key=lambda one: one.F[0])
    taken = []
    for one in ranked:
        new = [len(undirected(one.X) - undirected(other.X)) for other in taken]
        if len(taken) < count and all(number >= edges for number in new):
            taken.append(one)
    taken += [one for one in ranked if one not in taken][: count - len(taken)]
    survivors = EdgeDistanceSurvival(edges).do(problem, pop, n_survive=count)
    assert set(survivors) == set(taken)
    assert survivors[0] is ranked[0]
    assert survivors.get("rank").tolist() == list(range(count))
    assert (np.diff(survivors.get("F")[:, 0]) >= 0).all()


def test_tours_of_a_population_are_far_apart(tsp):
    algorithm = MemeticGA(20, survival=EdgeDistanceSurvival(6))
    result = minimize(TSPProblem(tsp), algorithm, ("n_gen", 10), seed=1)
    plain = minimize(TSPProblem(tsp), MemeticGA(20, moves=10**6), ("n_gen", 10), seed=1)

    def closest(tours: np.ndarray) -> list[int]:
        sets = [undirected(tour) for tour in tours]
        return [len(one - two) for i, one in enumerate(sets) for two in sets[:i]]

    assert min(closest(result.pop.get("X"))) >= 6 > min(closest(plain.pop.get("X")))


def test_wrong_parameters():
    with pytest.raises(InvalidParameterError, match="edges: -1"):
        EdgeDistanceSurvival(-1)

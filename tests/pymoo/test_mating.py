"""One batch in each generation, and never an empty one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.crossover import Crossover
from pymoo.core.evaluator import Evaluator
from pymoo.core.population import Population
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.cycles import canonical
from gpu_ls_plugin.evolution.batches.rows import keys
from gpu_ls_pymoo import MemeticGA, MemeticMating, TSPProblem
from tests.evolution.samples import Diary, cities, rows


class Clone(Crossover):
    """A crossover that returns the first parent, so that all children are known tours."""

    def __init__(self) -> None:
        super().__init__(2, 1, prob=1.0)

    def _do(self, problem: Any, X: Any, **kwargs: Any) -> Any:
        return X[:1]


def parents(problem: Any, size: int) -> Population:
    return Evaluator().eval(problem, Population.new("X", canonical(rows(problem.n_var, size))))


def test_all_children_are_searched_in_one_batch(tsp: gls.TSP, diary: type[Diary]) -> None:
    problem = TSPProblem(tsp)
    off = MemeticMating(diary()).do(problem, parents(problem, 30), 20, np.random.default_rng(0))
    assert [call["rows"] for call in diary.calls] == [20]
    assert len(off) == 20
    assert off.get("F")[:, 0].tolist() == tsp.cost(off.get("X")).tolist()


def test_children_that_are_known_after_the_search_are_kicked() -> None:
    problem = TSPProblem(gls.TSP(cities(12), "EUC_2D"))
    every = gls.LocalSearch()(problem.tsp, rows(12, 500)).tours
    known = np.unique(canonical(every), axis=0)  # all optima that the search finds
    pop = Evaluator().eval(problem, Population.new("X", known))
    mating = MemeticMating(gls.LocalSearch())
    off = mating.do(problem, pop, 40, np.random.default_rng(0))
    assert len(off) == 40
    assert set(keys(canonical(off.get("X")))).isdisjoint(keys(known))
    assert len(set(keys(canonical(off.get("X"))))) == 40
    assert off.get("F")[:, 0].tolist() == problem.tsp.cost(off.get("X")).tolist()


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20])
def test_no_run_stops_silently(n: int, diary: type[Diary]) -> None:
    problem = TSPProblem(gls.TSP(cities(n), "EUC_2D"))
    result = minimize(problem, MemeticGA(20, search=diary()), ("n_gen", 15), seed=1)
    assert result.algorithm.n_gen - 1 == 15
    assert len(diary.calls) == 15 or (n < 6 and diary.calls)  # until all tours are known
    assert result.F[0] == gls.LocalSearch()(problem.tsp, rows(n, 500)).best_cost


def test_plain_ga_takes_it_as_its_mating(diary: type[Diary]) -> None:
    problem = TSPProblem(gls.TSP(cities(10), "EUC_2D"))
    algorithm = GA(20, sampling=PermutationRandomSampling(), mating=MemeticMating(diary()))
    result = minimize(problem, algorithm, ("n_gen", 12), seed=1)
    assert result.algorithm.n_gen - 1 == 12
    assert len(diary.calls) == 11  # the start population is not searched

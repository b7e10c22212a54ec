"""Problems of pymoo whose rows are sequences: pymoo's flow shop, and any other objective."""

from __future__ import annotations

import numpy as np
import pytest
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.problem import ElementwiseProblem, Problem
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize
from pymoo.problems.single.flowshop_scheduling import FlowshopScheduling

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_pymoo import (
    DomainProblem,
    LocalSearchMutation,
    MemeticGA,
    PerturbationMutation,
    as_sequence,
)

TIMES = np.random.default_rng(1).integers(1, 50, (4, 9))  # machines, jobs
SHOP = FlowshopScheduling(TIMES)
ROWS = np.random.default_rng(2).permuted(np.tile(np.arange(9), (12, 1)), axis=1)


class Costlier(FlowshopScheduling):
    """A flow shop whose first job costs extra."""

    def _evaluate(self, x, out, *args, **kwargs):
        out["F"] = self.makespan(x) + 100.0 * x[0]


class Several(Problem):
    """Two objectives and a constraint: item 0 must come before item 1."""

    def __init__(self, n=6):
        super().__init__(n_var=n, n_obj=2, n_ieq_constr=1, xl=0, xu=n - 1, vtype=int)

    def _evaluate(self, x, out, *args, **kwargs):
        places = np.argsort(x, axis=1)
        out["F"] = np.column_stack([places[:, 2], x[:, 0]])
        out["G"] = places[:, 0] - places[:, 1]


class OneByOne(ElementwiseProblem):
    """The number of items away from their places."""

    def __init__(self, n=5):
        super().__init__(n_var=n, n_obj=1, xl=0, xu=n - 1, vtype=int)

    def _evaluate(self, x, out, *args, **kwargs):
        out["F"] = float((x != np.arange(len(x))[::-1]).sum())


def test_a_flow_shop_of_pymoo_becomes_a_compiled_one():
    problem = as_sequence(SHOP)
    assert isinstance(problem, gls.FlowShop)
    assert problem.cost(ROWS).tolist() == [SHOP.makespan(row) for row in ROWS]


@pytest.mark.parametrize("shop", [SHOP, FlowshopScheduling(TIMES + 0.25)], ids=["integer", "real"])
def test_operators_improve_an_unchanged_flow_shop(shop):
    for mutation in (LocalSearchMutation(backend="cpu"), PerturbationMutation()):
        algorithm = GA(
            8, PermutationRandomSampling(), crossover=OrderCrossover(), mutation=mutation
        )
        found = minimize(shop, algorithm, ("n_gen", 3), seed=1)
        assert np.isclose(found.F[0], shop.makespan(found.X))
    searched = minimize(shop, MemeticGA(8, backend="cpu"), ("n_gen", 3), seed=1)
    assert searched.F[0] <= found.F[0]


def test_a_subclass_is_evaluated_as_it_says():
    problem = as_sequence(Costlier(TIMES))
    assert not isinstance(problem, gls.FlowShop)
    assert problem.cost(ROWS).tolist() == [SHOP.makespan(row) + 100 * row[0] for row in ROWS]
    changed = FlowshopScheduling(TIMES)
    changed.makespan = lambda x: 7.0
    assert as_sequence(changed).cost(ROWS).tolist() == [7.0] * len(ROWS)


def test_objectives_get_weights_and_constraints_a_price():
    problem = as_sequence(Several(), weights=[2, 1], price=50)
    row = np.array([[3, 1, 0, 2, 4, 5]])
    assert problem.cost(row).tolist() == [2 * 3 + 3]
    assert problem.excess(row).tolist() == [1]
    assert problem.compared(row).tolist() == [9 + 50]
    assert as_sequence(Several(), weights=[2, 1]).objective.price >= 1


def test_elementwise_problems_are_sequences():
    assert as_sequence(OneByOne()).cost([[4, 3, 2, 1, 0], [0, 3, 2, 1, 4]]).tolist() == [0, 2]


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: as_sequence(3), InvalidTypeError, "not a problem of pymoo"),
        (lambda: as_sequence(Several()), InvalidParameterError, "weight for each"),
        (lambda: as_sequence(Several(), weights=[1]), InvalidParameterError, "2 finite numbers"),
        (lambda: as_sequence(Several(), [1, 2], price=-1), InvalidParameterError, "price"),
    ],
)
def test_bad_arguments_are_named(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_a_sequence_with_a_fixed_front_is_a_problem_of_pymoo():
    cities = gls.TSP(np.random.default_rng(3).random((7, 2)), "EUC")
    problem = DomainProblem(gls.Latency(cities, start=2))
    found = minimize(problem, MemeticGA(6, backend="cpu"), ("n_gen", 2), seed=1)
    assert found.X[0] == 2

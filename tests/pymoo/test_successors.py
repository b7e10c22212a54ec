"""Successor generation in pymoo: sampling, mutation, random keys."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.soo.nonconvex.brkga import BRKGA
from pymoo.algorithms.soo.nonconvex.de import DE
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.evaluator import Evaluator
from pymoo.core.population import Population
from pymoo.core.problem import Problem
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM
from pymoo.operators.repair.rounding import RoundingRepair
from pymoo.operators.sampling.rnd import IntegerRandomSampling, PermutationRandomSampling
from pymoo.optimize import minimize
from pymoo.problems.single.knapsack import create_random_knapsack_problem

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_pymoo import (
    AssignmentProblem,
    SuccessorKeysProblem,
    SuccessorMutation,
    SuccessorSampling,
)

LOW, HIGH = np.array([3, -2, 5, 0, 1, 7]), np.array([9, 4, 11, 6, 1, 9])
EVEN = gls.WeightTable(np.tile([1, 0], (6, 4))[:, :7])  # values LOW, LOW + 2, ...
PLACES = AssignmentProblem(gls.QuadraticAssignment.generated(7))
COLOURING = AssignmentProblem(gls.GraphColouring.random(12, 0.5, 4))
CROSSOVER = SBX(repair=RoundingRepair(), vtype=int)


class Plain(Problem):
    """A problem as a user of pymoo writes it: lower bounds are not 0, rows index tables."""

    def __init__(self, n_obj: int = 1) -> None:
        super().__init__(n_var=6, n_obj=n_obj, xl=LOW, xu=HIGH, vtype=int)

    def _evaluate(self, x: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        squares = np.arange(-20, 20) ** 2
        out["F"] = np.stack([squares[x].sum(axis=1), -x.sum(axis=1)][: self.n_obj], axis=1)


def start(size: int = 40, seed: int = 0) -> Population:
    """Return evaluated rows between the bounds."""
    rows = np.random.default_rng(seed).integers(LOW, HIGH, (size, 6), endpoint=True)
    return Evaluator().eval(Plain(), Population.new("X", rows))


def mutated(mutation: SuccessorMutation, pop: Population, seed: int = 5) -> Any:
    """Return the rows after a mutation of a copy."""
    return mutation(Plain(), pop, False, seed=seed).get("X")


def test_samples_count_values_from_the_lower_bound():
    rows = SuccessorSampling(EVEN)(Plain(), 50, seed=1).get("X")
    assert rows.dtype == np.int64
    assert ((rows >= LOW) & (rows <= HIGH)).all()
    assert not ((rows - LOW) % 2).any()
    assert (rows == SuccessorSampling(EVEN)(Plain(), 50, seed=1).get("X")).all()
    assert (rows != SuccessorSampling(EVEN)(Plain(), 50, seed=2).get("X")).any()
    assert (SuccessorSampling()(Plain(), 50, seed=1).get("X").max(axis=0) == HIGH).all()


@pytest.mark.parametrize(("share", "count"), [(0, 1), (0.1, 1), (0.5, 3), (1, 6)])
def test_a_share_of_the_variables_is_reassigned(share, count):
    pop = start(400)
    before = pop.get("X")
    after = mutated(SuccessorMutation(EVEN, share), pop)
    changed = after != before
    assert changed.sum(axis=1).max() <= count and changed.any(axis=0).sum() == 5  # one is fixed
    assert ((after >= LOW) & (after <= HIGH)).all()
    assert not ((after - LOW) % 2)[changed].any()
    if share == 1:
        assert not ((after - LOW) % 2).any()
    assert (pop.get("X") == before).all()
    assert (mutated(SuccessorMutation(EVEN, share), pop) == after).all()
    assert (mutated(SuccessorMutation(EVEN, share), pop, seed=6) != after).any()


def test_what_the_heuristic_leaves_out_keeps_its_value():
    nothing = gls.WeightTable(np.zeros((6, 7), int))
    assert (mutated(SuccessorMutation(nothing, 1), start()) == start().get("X")).all()
    rows = SuccessorSampling(nothing)(Plain(), 200, seed=1).get("X")
    assert (rows.max(axis=0) == HIGH).all() and (rows.min(axis=0) == LOW).all()


def test_whole_floats_are_taken_and_others_named():
    pop = start()
    floats = Population.new("X", pop.get("X").astype(float))
    assert (mutated(SuccessorMutation(), floats) == mutated(SuccessorMutation(), pop)).all()
    assert mutated(SuccessorMutation(), floats).dtype == np.int64
    floats[3].X[2] = 6.25
    with pytest.raises(
        InvalidTourError, match=r"pop: row 3 has 6\.25 as its variable 2, .*5\.\.11"
    ):
        mutated(SuccessorMutation(), floats)
    floats[3].X[2] = 12
    with pytest.raises(InvalidTourError, match=r"pop: row 3 has 12\.0"):
        mutated(SuccessorMutation(), floats)


def test_wrong_parameters_and_problems_are_named():
    for wrong, error, text in (
        (lambda: SuccessorMutation(share=1.5), InvalidParameterError, "share: 1.5"),
        (lambda: SuccessorMutation(prob="x"), InvalidTypeError, "prob: 'x'"),
        (lambda: SuccessorMutation(0.1), InvalidTypeError, "heuristic: 0.1 is not a Heuristic"),
        (lambda: SuccessorMutation(order="last"), InvalidParameterError, "order: 'last'"),
        (lambda: SuccessorSampling(sampler="x"), InvalidParameterError, "sampler: 'x'"),
        (lambda: SuccessorSampling(backend="x"), InvalidParameterError, "backend: 'x'"),
        (lambda: SuccessorKeysProblem(Plain(), sampler="best"), InvalidParameterError, "sampler"),
        (lambda: SuccessorKeysProblem(3), InvalidTypeError, "int is not a pymoo problem"),
        (lambda: SuccessorSampling()(Plain(), 0), InvalidParameterError, "n_samples: 0"),
        (
            lambda: SuccessorSampling(gls.WeightTable(np.ones((6, 5), int)))(Plain(), 3),
            UnsupportedProblemError,
            "weights are for 5 values, but variable 0 has 7",
        ),
        (
            lambda: SuccessorMutation(EVEN)(COLOURING, start()),
            InvalidTourError,
            r"shape \(40, 6\), but rows of 12 variables",
        ),
    ):
        with pytest.raises(error, match=text):
            wrong()


ALGORITHMS = {
    "ours": lambda: GA(20, SuccessorSampling(), crossover=CROSSOVER, mutation=SuccessorMutation()),
    "mutation": lambda: GA(
        20,
        IntegerRandomSampling(),
        crossover=CROSSOVER,
        mutation=SuccessorMutation(EVEN, 0.3, prob=0.7, sampler="stored"),
    ),
    "beside PM": lambda: GA(
        20,
        SuccessorSampling(EVEN, order="given"),
        crossover=CROSSOVER,
        mutation=PM(repair=RoundingRepair(), vtype=float),
        repair=RoundingRepair(),
    ),
    "NSGA2": lambda: NSGA2(
        20, SuccessorSampling(), crossover=CROSSOVER, mutation=SuccessorMutation()
    ),
}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_runs_of_plain_problems(name):
    problem = Plain(2 if name == "NSGA2" else 1)
    runs = [
        minimize(problem, ALGORITHMS[name](), ("n_gen", 3), seed=1, save_history=True)
        for _ in range(2)
    ]
    pop = runs[0].pop
    rows = pop.get("X")
    assert ((rows >= LOW) & (rows <= HIGH) & (rows == np.rint(rows))).all()
    assert (problem.evaluate(rows.astype(int)) == pop.get("F")).all()
    assert len(np.unique(rows, axis=0)) == len(rows) == 20
    assert (runs[1].pop.get("X") == rows).all()
    assert len(runs[0].history) == 3


def test_runs_of_permutations():
    algorithm = GA(
        30, SuccessorSampling(), crossover=OrderCrossover(), mutation=SuccessorMutation(share=0.3)
    )
    result = minimize(PLACES, algorithm, ("n_gen", 3), seed=1)
    assert (np.sort(result.pop.get("X"), axis=1) == np.arange(7)).all()
    pop = PermutationRandomSampling()(PLACES, 200, seed=1)
    after = SuccessorMutation(share=0)(PLACES, deepcopy(pop), seed=1).get("X")
    moved = (after != pop.get("X")).sum(axis=1)
    assert set(moved) == {0, 2}


def test_binary_problems_keep_their_type():
    problem = create_random_knapsack_problem(15, seed=1)
    rows = SuccessorSampling()(problem, 20, seed=1).get("X")
    assert rows.dtype == bool
    assert SuccessorMutation()(problem, Population.new("X", rows), seed=1).get("X").dtype == bool


@pytest.mark.parametrize("algorithm", [BRKGA(4, 8, 2), DE(10)], ids=["BRKGA", "DE"])
@pytest.mark.parametrize("inner", [Plain(), COLOURING, PLACES], ids=["plain", "states", "distinct"])
def test_random_keys(algorithm, inner):
    problem = SuccessorKeysProblem(inner)
    assert problem.n_var == 2 * inner.n_var and problem.name() == inner.name()
    result = minimize(problem, algorithm, ("n_gen", 3), seed=1)
    rows = problem.decode(result.pop.get("X"))
    assert (inner.evaluate(rows) == result.pop.get("F")).all()
    assert ((rows >= inner.xl) & (rows <= inner.xu)).all()
    assert (problem.decode(result.X) == rows[result.pop.get("F")[:, 0].argmin()]).all()


def test_keys_choose_by_the_weights_and_errors_name_the_row():
    problem = SuccessorKeysProblem(Plain(), EVEN)
    keys = np.zeros((2, 12))
    keys[1] = 1
    assert problem.decode(keys).tolist() == [LOW.tolist(), (HIGH - (HIGH - LOW) % 2).tolist()]
    assert deepcopy(problem) is problem
    with pytest.raises(InvalidParameterError, match=r"row 1 has key 2\.0"):
        problem.decode(keys * 2)
    wrapped = SuccessorKeysProblem(COLOURING.problem)
    assert wrapped.pareto_front().tolist() == [[0]] and isinstance(wrapped.inner, AssignmentProblem)


OPERATORS = [SuccessorMutation(EVEN, share=0.5), SuccessorSampling(EVEN)]


@pytest.mark.parametrize("operator", OPERATORS, ids=["mutation", "sampling"])
def test_operators_are_small_and_stateless(operator):
    def rows(part: Any) -> Any:
        given = start() if isinstance(part, SuccessorMutation) else 40
        return part(Plain(), given, seed=1).get("X")

    before = pickle.dumps(operator)
    operator.prepare(Plain(), 40)
    found = rows(operator)
    assert pickle.dumps(operator) == before and len(before) < 2000
    for copy in (deepcopy(operator), pickle.loads(before)):
        assert (rows(copy) == found).all()

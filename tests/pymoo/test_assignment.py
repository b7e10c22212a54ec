"""Assignment problems in pymoo: costs, constraints, rows, and `MemeticGA`."""

from __future__ import annotations

import gc
import pickle
import weakref
from copy import deepcopy
from typing import Any

import cloudpickle
import numpy as np
import pytest
from pymoo.core.problem import Problem
from pymoo.core.variable import Integer
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.optimize import minimize
from pymoo.problems import get_problem

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_pymoo import AssignmentProblem, MemeticGA, SuccessorSampling, assignment

RNG = np.random.default_rng(3)
COLOURING = gls.GraphColouring.random(12, 0.5, 4)
TASKS = gls.GeneralisedAssignment.generated("D", 15, 3)
PLACES = gls.QuadraticAssignment.generated(7)


class Odd(gls.Assignment):
    """Only rows with an odd sum are feasible."""

    integer = False

    def cost(self, rows: Any, /) -> Any:
        return self.check(rows) @ (np.arange(self.n) / 4)

    def feasible(self, rows: Any, /) -> Any:
        return self.check(rows).sum(axis=1) % 2 == 1


def integers(low: Any, high: Any, vtype: Any = int) -> Problem:
    """Return a problem of pymoo's own with these bounds."""
    return Problem(n_var=len(low), n_obj=1, xl=np.array(low), xu=np.array(high), vtype=vtype)


@pytest.mark.parametrize(
    "problem", [COLOURING, TASKS, PLACES, Odd([2, 3, 4])], ids=lambda p: type(p).__name__
)
def test_costs_and_bounds(problem):
    wrapped = AssignmentProblem(problem)
    assert (wrapped.n_var, wrapped.n_obj, wrapped.vtype) == (problem.n, 1, int)
    assert (wrapped.xl == 0).all() and (wrapped.xu == problem.sizes - 1).all()
    rows = SuccessorSampling()(wrapped, 20, seed=1).get("X")
    for same in (rows, rows.astype(float), rows.astype(object)):
        found = wrapped.evaluate(same, return_as_dictionary=True)
        assert found["F"][:, 0].tolist() == problem.cost(rows).tolist()
        assert (wrapped.states(same) == rows).all()
    broken = found.get("G", np.zeros((20, 0)))
    assert ((broken > 0).any(axis=1) == ~problem.feasible(rows)).all()


def test_constraints_are_amounts():
    rows = RNG.integers(0, 3, (20, 15))
    over = np.maximum(TASKS.loads(rows) - TASKS.capacities, 0).sum(axis=1)
    assert (AssignmentProblem(TASKS).evaluate(rows, return_values_of=["G"])[:, 0] == over).all()
    odd = AssignmentProblem(Odd([4, 4]))
    found = odd.evaluate(np.array([[1, 2], [1, 1]]), return_values_of=["G"])
    assert found.tolist() == [[0], [1]]
    assert AssignmentProblem(COLOURING).n_constr == AssignmentProblem(PLACES).n_constr == 0


def test_names_optimum_and_copies():
    problem = AssignmentProblem(gls.GraphColouring(2, [(0, 1)], 2, name="edge"))
    assert problem.name() == "edge"
    assert problem.pareto_front().tolist() == [[0]]
    assert AssignmentProblem(TASKS).pareto_front() is None
    assert deepcopy(problem) is problem
    copy = cloudpickle.loads(cloudpickle.dumps(problem))
    assert copy.evaluate(np.array([[1, 1]])).tolist() == [[1]]


def test_wrong_problems_and_rows_are_named():
    with pytest.raises(InvalidTypeError, match=r"TSP is not a gpu_ls_plugin\.Assignment"):
        AssignmentProblem(gls.TSP([(0, 0)]))
    with pytest.raises(InvalidTourError, match="row 1 has 4 as its variable 2"):
        AssignmentProblem(COLOURING).evaluate(np.array([[0] * 12, [0, 0, 4] + [0] * 9]))
    with pytest.raises(InvalidTourError, match="operators of permutations"):
        AssignmentProblem(PLACES).evaluate(np.zeros((2, 7), int))
    for problem, error, text in (
        (COLOURING, InvalidTypeError, r"wrap a gpu_ls_plugin\.Assignment as AssignmentProblem"),
        (get_problem("zdt1"), InvalidTypeError, "ZDT1 has vtype <class 'float'>.*vtype=int"),
        (integers([0], [1], None), InvalidTypeError, "Problem has vtype None"),
        (Problem(n_var=2, vtype=int), InvalidTypeError, "no lower and upper bounds"),
        (Problem(vars={"x": Integer(bounds=(0, 2))}), InvalidTypeError, "no lower and upper"),
        (integers([0, 0.5], [1, 1]), InvalidProblemError, "variable 1 are 0.5 to 1"),
    ):
        with pytest.raises(error, match=text):
            assignment.domains_of(problem)


def test_domains_are_kept_as_long_as_the_problem_lives():
    problem = integers([2, 0], [5, 3])
    domains = assignment.domains_of(problem)
    assert assignment.domains_of(problem) is domains
    assert domains.lowest.tolist() == [2, 0] and domains.problem.sizes.tolist() == [4, 4]
    kept = weakref.ref(domains)
    del problem, domains
    gc.collect()
    assert kept() is None


GENERALISED = gls.GeneralisedAssignment.generated("C", 20, 4, 1)
PROBLEMS = {
    "colouring": gls.GraphColouring.queen(5, 5, 5),
    "generalised": GENERALISED,
    "quadratic": gls.QuadraticAssignment.generated(10, 1),
}


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_a_run_without_options(problem):
    result = minimize(AssignmentProblem(problem), MemeticGA(), ("n_gen", 3), seed=1, verbose=False)
    assert problem.feasible(result.X).all() and (problem.cost(result.X) == result.F).all()
    assert len(np.unique(result.pop.get("X"), axis=0)) == len(result.pop)
    counted = result.algorithm.data["local_search"]
    assert counted.moves > 0 and counted.evaluations >= counted.moves
    again = minimize(AssignmentProblem(problem), MemeticGA(), ("n_gen", 3), seed=1)
    assert (again.X == result.X).all()


def test_a_run_from_given_states_is_shown(capsys):
    problem = AssignmentProblem(GENERALISED)
    best = minimize(problem, MemeticGA(8), ("n_gen", 4), seed=1).X
    search = gls.SuccessorSearch(accept=gls.Better(), sample=10, steps=1)
    start = MemeticGA(4, search=search, sampling=np.tile(best, (3, 1)))
    result = minimize(problem, start, ("n_gen", 2), seed=1, verbose=True)
    assert GENERALISED.cost(best) >= result.F
    assert "distinct" in capsys.readouterr().out


def test_a_copy_continues():
    algorithm = MemeticGA(4, search=gls.SuccessorSearch(steps=20))
    algorithm.setup(AssignmentProblem(GENERALISED), termination=("n_gen", 6), seed=1)
    for _ in range(2):
        algorithm.next()
    other = pickle.loads(pickle.dumps(deepcopy(algorithm)))
    before = float(other.opt.get("F").min())
    other.next()
    assert float(other.opt.get("F").min()) <= before


def test_wrong_options():
    problem = AssignmentProblem(GENERALISED)
    with pytest.raises(UnsupportedProblemError, match="leave out crossover"):
        MemeticGA(crossover=UniformCrossover()).setup(problem)
    with pytest.raises(UnsupportedProblemError, match="search: it searches tours"):
        MemeticGA(search="two_opt").setup(problem)
    with pytest.raises(InvalidTourError, match="sampling: row 0"):
        MemeticGA(sampling=np.full((1, 20), 9)).setup(problem)

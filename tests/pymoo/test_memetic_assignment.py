"""`MemeticGA` on assignment problems: the population of a `SuccessorSearch`, with nothing said."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidTourError, UnsupportedProblemError

pytest.importorskip("pymoo")
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.optimize import minimize

from gpu_ls_pymoo import AssignmentProblem, MemeticGA

GENERALISED = gls.GeneralisedAssignment.generated("C", 20, 4, 1)
PROBLEMS = {
    "colouring": gls.GraphColouring.queen(5, 5, 5),
    "generalised": GENERALISED,
    "quadratic": gls.QuadraticAssignment.generated(10, 1),
}


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_it_runs_with_nothing_said(problem):
    result = minimize(AssignmentProblem(problem), MemeticGA(), ("n_gen", 3), seed=1, verbose=False)
    assert problem.feasible(result.X).all() and (problem.cost(result.X) == result.F).all()
    assert len(np.unique(result.pop.get("X"), axis=0)) == len(result.pop)
    counted = result.algorithm.data["local_search"]
    assert counted.moves > 0 and counted.evaluations >= counted.moves
    again = minimize(AssignmentProblem(problem), MemeticGA(), ("n_gen", 3), seed=1)
    assert (again.X == result.X).all()


def test_it_goes_on_from_given_states_and_shows_what_it_does(capsys):
    problem = AssignmentProblem(GENERALISED)
    best = minimize(problem, MemeticGA(8), ("n_gen", 4), seed=1).X
    search = gls.SuccessorSearch(accept=gls.Better(), sample=10, steps=1)
    start = MemeticGA(4, search=search, sampling=np.tile(best, (3, 1)))
    result = minimize(problem, start, ("n_gen", 2), seed=1, verbose=True)
    assert GENERALISED.cost(best) >= result.F
    assert "distinct" in capsys.readouterr().out


def test_a_copy_goes_on():
    algorithm = MemeticGA(4, search=gls.SuccessorSearch(steps=20))
    algorithm.setup(AssignmentProblem(GENERALISED), termination=("n_gen", 6), seed=1)
    for _ in range(2):
        algorithm.next()
    other = pickle.loads(pickle.dumps(copy.deepcopy(algorithm)))
    before = float(other.opt.get("F").min())
    other.next()
    assert float(other.opt.get("F").min()) <= before


def test_what_does_not_fit():
    problem = AssignmentProblem(GENERALISED)
    with pytest.raises(UnsupportedProblemError, match="leave out crossover"):
        MemeticGA(crossover=UniformCrossover()).setup(problem)
    with pytest.raises(UnsupportedProblemError, match="search: it searches tours"):
        MemeticGA(search="two_opt").setup(problem)
    with pytest.raises(InvalidTourError, match="sampling: row 0"):
        MemeticGA(sampling=np.full((1, 20), 9)).setup(problem)

"""Memetic algorithms whose time is over at once: complete rows, never an exception."""

from __future__ import annotations

import numpy as np
import pytest
from pymoo.optimize import minimize

import gpu_ls_plugin as gls
from gpu_ls_pymoo import CVRPProblem, MemeticGA, TSPProblem

RANDOM = np.random.default_rng(0)


def problems():
    for n in (1, 2, 3, 12):
        yield gls.TSP(RANDOM.random((n, 2)) * 100)
        yield gls.TSP.from_matrix(RANDOM.integers(1, 99, (n + 1, n + 1)))
    for customers in (1, 2, 12):
        points, demands = RANDOM.random((customers + 1, 2)) * 100, np.ones(customers, int)
        yield gls.CVRP(points, np.r_[0, demands], 4)


@pytest.mark.parametrize("seconds", [1e-6, 0.01])
def test_the_end_comes_with_a_complete_row(seconds):
    for problem in problems():
        kind = CVRPProblem if isinstance(problem, gls.CVRP) else TSPProblem
        found = minimize(kind(problem), MemeticGA(), ("time", seconds), seed=1)
        row = np.asarray(found.X, np.int32).reshape(1, -1)
        assert problem.feasible(row)[0]
        assert found.F[0] == problem.cost(row)[0]

"""`MemeticGA(crossover=EdgeAssembly())`: seeds, different tours, and runs that do not end early."""

from __future__ import annotations

import numpy as np
import pytest
from pymoo.optimize import minimize
from pymoo.problems.single.traveling_salesman import create_random_tsp_problem

from gpu_ls_plugin.evolution.edge_keys import edge_keys
from gpu_ls_plugin.exceptions import InvalidParameterError
from gpu_ls_plugin.searches import EdgeAssembly
from gpu_ls_pymoo import MemeticGA


@pytest.mark.parametrize("n", [8, 50])
def test_a_run_has_all_its_generations_and_the_same_result_for_the_same_seed(n):
    problem = create_random_tsp_problem(n, 100, seed=1)
    one, same = (
        minimize(
            problem,
            MemeticGA(12, crossover=EdgeAssembly(), backend="cpu"),
            ("n_gen", 8),
            seed=3,
        )
        for _ in range(2)
    )
    assert one.algorithm.n_iter - 1 == 8
    assert np.array_equal(one.X, same.X)
    assert np.array_equal(one.F, problem.evaluate(one.X[np.newaxis])[0])
    assert len(np.unique(edge_keys(np, one.pop.get("X").astype(int)))) == len(one.pop) or n == 8


@pytest.mark.parametrize("operator", ["selection", "mutation"])
def test_operators_that_would_not_be_used_are_refused(operator):
    with pytest.raises(InvalidParameterError, match="leave them out"):
        MemeticGA(crossover=EdgeAssembly(), **{operator: object()})

"""`MemeticGA` on a GPU: the population stays there."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from tests.evolution.samples import cities

pytestmark = pytest.mark.gpu


def test_the_population_stays_on_the_device() -> None:
    from gpu_ls_evotorch import DomainProblem, MemeticGA

    problem = gls.TSP(cities(60), "EUC_2D")
    ga = MemeticGA(DomainProblem(problem, backend="cuda", seed=1), 64)
    ga.run(5)
    found = ga.population
    assert found.values.is_cuda and found.evals.is_cuda
    costs = problem.cost(problem.check(np.asarray(found.values.cpu())))
    assert found.evals[:, 0].tolist() == costs.tolist()
    assert ga.status["best_eval"] == gls.solve(problem, seconds=1, backend="cpu").best_cost

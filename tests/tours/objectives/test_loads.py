"""An objective that is not a sum over edges, through every engine that takes one."""

from __future__ import annotations

from dataclasses import replace

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.tours.engines.chains.start import Start
from tests.helpers.random_problems import random_problem, random_tours
from tests.tours.objectives.loads import some_loads

BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])


def loaded(n, seed=0, span=100):
    return random_problem("EUC_2D", n, seed, span).under(some_loads(n, seed))


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("perturbation", [gls.DoubleBridge(), gls.DoubleBridge(30), gls.Restart()])
def test_chains_claim_what_tours_cost(perturbation, backend):
    n = 60
    problem, starts = loaded(n, 5), random_tours(n, 5, 5)
    for local in (gls.LocalSearch(), gls.LocalSearch([gls.LinKernighan(6)])):
        search = gls.IteratedLocalSearch(local, perturbation, gls.Annealing(1.0))
        found = search(problem, starts, budget=gls.Budget(kicks=60), backend=backend)
        assert found.costs.tolist() == problem.cost(found.tours).tolist()
        assert problem.objective.feasible(problem, found.tours).any()


@BOTH
def test_each_kick_adds_what_the_referee_says(backend):
    n, where = 40, get_backend(backend)
    problem = loaded(n, 6)
    for local in (gls.LocalSearch(), gls.LocalSearch([gls.LinKernighan(6)])):
        search = gls.IteratedLocalSearch(local, gls.DoubleBridge(), gls.Always())
        tours = where.xp.asarray(random_tours(n, 6, 6))
        chains = search.chains(Start(where, problem, tours, 3))
        for kicks in range(1, 9):
            chains.advance(kicks, 1.0, 0.0, 60.0)
            said, tours = (where.to_numpy(array) for array in (chains.costs, chains.tours))
            assert said.tolist() == problem.cost(tours).tolist()


def test_what_adds_up_parts_is_refused():
    problem, starts = loaded(200), random_tours(200, 4)
    chains = gls.IteratedLocalSearch()
    for search in (
        gls.LocalSearch(pivoting=gls.Multi()),
        replace(chains, part=32),
        replace(chains, cooperation=gls.EdgeAssembly()),
    ):
        with pytest.raises(UnsupportedProblemError):
            search(problem, starts, budget=gls.Budget(kicks=5), backend="cpu")

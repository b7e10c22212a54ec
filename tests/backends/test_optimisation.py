"""Kernels of the CPU backend return the same at all levels of optimisation."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends.cpu import CpuBackend
from tests.helpers.configurations import FILTERED, QUEUES, two_opt_climb
from tests.helpers.quick_compiles import quick_flags
from tests.helpers.random_problems import random_problem, random_tours
from tests.helpers.routing import renamed

SEARCHES = {
    "default": gls.LocalSearch(),
    "Lin-Kernighan": QUEUES["Lin-Kernighan"],
    "exhaustive 2-opt": two_opt_climb(8),
    "openings": FILTERED["3-opt, openings"],
    "chains": gls.IteratedLocalSearch(cooperation=gls.EdgeAssembly(0.05, 2, 8)),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "metric"), [*((name, "EUC") for name in SEARCHES), ("chains", "EUC_2D")]
)
def test_optimisation_changes_no_tour(name, metric, monkeypatch):
    search = SEARCHES[name]
    problem, tours = random_problem(metric, 40), random_tours(40, 4)
    found = []
    for flags in (quick_flags(), ""):
        backend = CpuBackend()  # without loaded kernels
        monkeypatch.setattr("gpu_ls_plugin.backends.cpu_backend", lambda backend=backend: backend)
        monkeypatch.setenv("GPU_LS_CXXFLAGS", flags)
        budget = gls.Budget(kicks=30) if isinstance(search, gls.IteratedLocalSearch) else None
        result = search(problem, tours, seed=1, budget=budget, backend="cpu")
        found.append((result.tours.tolist(), result.costs.tolist()))
    assert found[0] == found[1]


@pytest.mark.slow
def test_optimised_kernels_find_the_end_of_a_wrapped_route(monkeypatch):
    """GCC 12 once took another depot than the last one of a loop, which broke linked lists."""
    monkeypatch.setattr("gpu_ls_plugin.backends.cpu_backend", CpuBackend)
    monkeypatch.setenv("GPU_LS_CXXFLAGS", "")
    problem = gls.CVRP.generated(199, seed=3)
    search = gls.LocalSearch([gls.RouteMoves()], gls.Nearest(8))
    tours = gls.savings(problem, 8, seed=1, backend="cpu")
    found = problem.canonical(search(problem, tours, backend="cpu").tours)
    random = np.random.default_rng(1)
    for _ in range(20):
        again = search(problem, renamed(problem, tours, random), backend="cpu")
        assert (problem.canonical(again.tours) == found).all()

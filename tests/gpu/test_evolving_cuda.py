"""Runs of `MemeticGA` on a GPU: populations as on the CPU; copies are on the host."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("pymoo.core.problem", reason='needs pip install "gpu-ls-plugin[pymoo]"')

from pymoo.optimize import minimize

import gpu_ls_plugin as gls
from gpu_ls_pymoo import CVRPProblem, MemeticGA, TSPProblem
from tests.evolution.samples import cities

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.gpu
ASSEMBLY = gls.EdgeAssembly(0.05, 3)
POPULATIONS: dict[str, Callable[..., MemeticGA]] = {
    "chains": lambda backend: MemeticGA(40, crossover=ASSEMBLY, backend=backend),
    "children": lambda backend: MemeticGA(40, crossover=gls.EdgeRecombination(), backend=backend),
}
of_each = pytest.mark.parametrize("make", POPULATIONS.values(), ids=POPULATIONS)


@pytest.fixture(scope="module")
def problem() -> TSPProblem:
    return TSPProblem(gls.TSP(cities(400), "EUC_2D"))


@of_each
def test_both_backends_breed_the_same_population(problem: TSPProblem, make: Any) -> None:
    ours, theirs = (
        minimize(problem, make(backend), ("n_gen", 5), seed=1) for backend in ("cuda", "cpu")
    )
    assert np.array_equal(ours.pop.get("X"), theirs.pop.get("X"))
    assert np.array_equal(ours.pop.get("F")[:, 0], problem.tsp.cost(ours.pop.get("X")))


@of_each
def test_copies_are_on_the_host_and_continue_alike(problem: TSPProblem, make: Any) -> None:
    algorithm = make("cuda").setup(problem, termination=("n_gen", 6), seed=1, save_history=True)
    for _ in range(3):
        algorithm.next()
    copy = deepcopy(algorithm)
    assert isinstance(vars(copy)["pop"].population.tours, np.ndarray)
    runs = [run.run() for run in (algorithm, copy)]
    assert np.array_equal(*(run.pop.get("X") for run in runs))
    values = [entry.pop.get("F").min() for entry in runs[0].history]
    assert values == sorted(values, reverse=True)


def test_routes_are_the_same_on_both_backends() -> None:
    cvrp = gls.CVRP.generated(100, route_size=6, seed=1)
    local = gls.LocalSearch([gls.RouteMoves()], candidates=gls.Nearest(8))
    # By default, the speed of the backend decides how often chains migrate.
    search = gls.IteratedLocalSearch(
        local, gls.StringRemoval(), cooperation=gls.PricedMigration(0.5)
    )
    ours, theirs = (
        minimize(
            CVRPProblem(cvrp), MemeticGA(8, search=search, backend=backend), ("n_gen", 5), seed=1
        )
        for backend in ("cuda", "cpu")
    )
    assert np.array_equal(ours.pop.get("X"), theirs.pop.get("X"))
    assert np.array_equal(ours.pop.get("F")[:, 0], cvrp.tsp.cost(ours.pop.get("X")))

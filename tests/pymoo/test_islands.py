"""MemeticGA with generations on the workers of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pymoo.optimize import minimize

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_pymoo import AssignmentProblem, CVRPProblem, MemeticGA, TSPProblem
from tests.distributed.conftest import CHAINS, PROBLEM, cluster_of
from tests.helpers.routing import random_cvrp, scarce_cvrp

if TYPE_CHECKING:
    from collections.abc import Iterator

COSTS = TSPProblem(PROBLEM)


@pytest.fixture(scope="module")
def islands() -> Iterator[gls.Islands]:
    with cluster_of(2) as client:
        yield gls.Islands(client=client)


def run(islands: gls.Islands, seed: int, *termination: Any) -> Any:
    algorithm = MemeticGA(6, CHAINS, islands=islands, backend="cpu")
    return minimize(COSTS, algorithm, termination or ("n_gen", 3), seed=seed)


def test_generations_are_made_by_islands_and_depend_on_the_seed_alone(islands):
    one, same, other = (run(islands, seed) for seed in (1, 1, 2))
    assert np.array_equal(one.X, same.X) and PROBLEM.cost(one.X) == one.F
    assert one.algorithm.n_gen - 1 == 3 and one.algorithm.pop_size == 6
    assert one.algorithm.data["local_search"].kicks == 3 * 6 * round(0.5 * PROBLEM.n)
    costs = np.sort(one.pop.get("F")[:, 0])
    assert len(costs) >= 1 and costs[0] == one.F[0]
    assert other.F is not None


def test_a_time_limit_holds(islands):
    found = run(islands, 1, "time", 0.5)
    assert found.algorithm.termination.perc >= 1 and PROBLEM.cost(found.X) == found.F


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["capacity", "scarce"])
def test_routes_are_searched_as_by_solve(islands, kind):
    cvrp = scarce_cvrp() if kind == "scarce" else random_cvrp(kind, 30)
    problem = CVRPProblem(cvrp)
    one, same = (
        minimize(problem, MemeticGA(4, islands=islands, backend="cpu"), ("n_gen", 3), seed=1)
        for _ in range(2)
    )
    assert np.array_equal(one.X, same.X) and cvrp.cost(one.X) == one.F
    assert cvrp.feasible(one.X)[0] and one.algorithm.pop_size == 4
    start = cvrp.cost(gls.savings(cvrp, 1, backend="cpu"))[0]
    assert one.F[0] <= start


def test_problems_that_islands_do_not_breed(islands):
    class Valued(TSPProblem):
        """A subclass, which may have other costs."""

    states = AssignmentProblem(gls.QuadraticAssignment.generated(6, 1))
    for problem in (Valued(PROBLEM), states):
        with pytest.raises(UnsupportedProblemError, match="islands"):
            minimize(problem, MemeticGA(4, islands=islands), ("n_gen", 1))


def test_wrong_parameters(islands):
    with pytest.raises(InvalidParameterError, match="opened"):
        MemeticGA(islands=gls.Islands())
    with pytest.raises(InvalidTypeError, match="islands"):
        MemeticGA(islands=3)
    with pytest.raises(InvalidParameterError, match="leave out operators"):
        MemeticGA(islands=islands, crossover=gls.OrderRecombination())

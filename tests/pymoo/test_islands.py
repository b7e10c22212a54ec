"""MemeticGA whose generations are made on the workers of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pymoo.optimize import minimize

import gpu_ls_plugin as gls
from gpu_ls_plugin.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_pymoo import MemeticGA, TSPProblem
from tests.distributed.conftest import CHAINS, PROBLEM, cluster_of

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


def test_generations_are_made_by_islands_and_depend_on_the_seed_alone(islands: gls.Islands) -> None:
    one, same, other = (run(islands, seed) for seed in (1, 1, 2))
    assert np.array_equal(one.X, same.X) and PROBLEM.cost(one.X) == one.F
    assert one.algorithm.n_gen - 1 == 3 and one.algorithm.pop_size == 6
    assert one.algorithm.data["local_search"].kicks == 3 * 6 * round(0.5 * PROBLEM.n)
    costs = np.sort(one.pop.get("F")[:, 0])
    assert len(costs) >= 1 and costs[0] == one.F[0]
    assert other.F is not None


def test_a_time_limit_holds(islands: gls.Islands) -> None:
    found = run(islands, 1, "time", 0.5)
    assert found.exec_time < 5.0 and PROBLEM.cost(found.X) == found.F


def test_wrong_parameters(islands: gls.Islands) -> None:
    with pytest.raises(InvalidParameterError, match="opened"):
        MemeticGA(islands=gls.Islands())
    with pytest.raises(InvalidTypeError, match="islands"):
        MemeticGA(islands=3)
    with pytest.raises(InvalidParameterError, match="leave out operators"):
        MemeticGA(islands=islands, crossover=gls.OrderCrossover())

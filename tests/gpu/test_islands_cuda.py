"""Islands on GPUs: the same rows as on CPUs, mixed clusters, a worker for each device."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("distributed", reason='needs pip install "gpu-ls-plugin[dask]"')

import gpu_ls_plugin as gls
from gpu_ls_plugin.distributed import Exchange, local_cluster
from gpu_ls_plugin.distributed.cluster import gpu_count
from tests.distributed.conftest import CHAINS, PROBLEM, N, cluster_of
from tests.helpers.both_backends import assert_same_result
from tests.helpers.random_problems import random_tours

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.gpu
TOURS = random_tours(N, 9)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with cluster_of(2) as client:
        yield client


@pytest.mark.parametrize("topology", ["ring", "complete"])
def test_islands_of_tours_are_the_same_on_both_backends(client: Any, topology: str) -> None:
    islands = gls.Islands(CHAINS, client, Exchange(kicks=10), topology)
    assert_same_result(islands, PROBLEM, TOURS, seed=1, budget=gls.Budget(kicks=60))


def test_islands_of_states_are_the_same_on_both_backends(client: Any) -> None:
    problem = gls.QuadraticAssignment.generated(12, 1)
    states = np.tile(np.arange(12), (6, 1))
    islands = gls.Islands(gls.SuccessorSearch(), client)
    assert_same_result(islands, problem, states, seed=1, budget=gls.Budget(kicks=5))


@pytest.mark.slow
def test_each_gpu_has_a_worker_and_the_cores_have_one() -> None:
    gpus = gpu_count()
    with local_cluster(1, gpus="all", threads=1) as client:
        # A method of os.environ would be pickled with this process's environment.
        devices = client.run(lambda: os.environ.get("CUDA_VISIBLE_DEVICES")).values()
        assert len(set(devices)) == gpus + 1
        islands = gls.Islands(client=client)
        reported: list[Any] = []
        found = gls.solve(PROBLEM, 3.0, islands=islands, callback=reported.append)
    backends = [line.backend for line in reported[-1].islands]
    assert sorted(backends) == ["cpu", *["cuda"] * gpus]
    assert all(line.stretches for line in reported[-1].islands)
    assert found.best_cost == PROBLEM.cost(found.best_tour)[0]

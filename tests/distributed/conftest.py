"""A cluster whose workers are threads of this process, so that it starts fast."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from distributed import Client, LocalCluster

import gpu_ls_plugin as gls
from gpu_ls_plugin.distributed import coordinator, tasks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.helpers.clock import Clock

N = 60
PROBLEM = gls.TSP(np.random.default_rng(5).integers(0, 500, (N, 2)), "EUC_2D", name="cities")
CHAINS = gls.IteratedLocalSearch(gls.LocalSearch([gls.TwoOpt()], gls.Nearest(6)))
LINKED = gls.IteratedLocalSearch(gls.LocalSearch([gls.RouteMoves()], gls.Nearest(6)))


@contextmanager
def cluster_of(workers: int) -> Iterator[Client]:
    """Yield the client of workers in this process, each with one core."""
    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=False,
            protocol="tcp://",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def client() -> Iterator[Client]:
    with cluster_of(2) as client:
        yield client


@pytest.fixture
def islands(client: Any) -> gls.Islands:
    return gls.Islands(CHAINS, client)


@pytest.fixture
def clock(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return the clock of budgets, which islands in this process and their coordinator read."""
    clock.govern(monkeypatch, coordinator, tasks)
    return clock

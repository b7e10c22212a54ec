"""Workers that die, restart or cannot search; schedulers that do not answer."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    BackendUnavailableError,
    ClusterError,
    ClusterWarning,
    InvalidParameterError,
    MissingExtraError,
)
from gpu_ls_plugin.distributed import Exchange, cluster, tasks
from gpu_ls_plugin.distributed.workers import Failures, Placement
from gpu_ls_plugin.runs.elites import Elites
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.solver.plans import default_settings, plan_of_search
from gpu_ls_plugin.tours.searches.chain_population import ChainPopulation
from tests.distributed.conftest import CHAINS, PROBLEM, N, cluster_of
from tests.helpers.random_problems import random_tours

TOURS = random_tours(N, 8)
KICKS = gls.Budget(kicks=60)


def test_an_island_continues_on_another_worker():
    """A worker leaves after the first exchange, and a new one gets its island."""
    told: list[float] = []
    with cluster_of(2) as client:
        local, lost = client.cluster, threading.Event()

        def watch(progress: Any) -> None:
            told.append(progress.best_cost)
            if min(line.stretches for line in progress.islands) >= 1 and not lost.is_set():
                lost.set()
                local.sync(local.workers[1].close)
                local.scale(3)  # adds two workers

        islands = gls.Islands(CHAINS, client, Exchange(kicks=20))
        with pytest.warns(ClusterWarning, match=r"is lost; island \d continues on another worker"):
            found = islands(PROBLEM, TOURS, seed=1, budget=gls.Budget(kicks=300), callback=watch)
    assert lost.is_set() and found.statistics.stopped_by == "kicks"
    assert found.best_cost <= min(told)
    assert np.array_equal(found.costs, PROBLEM.cost(found.tours))
    assert len(found.costs) == len(TOURS)  # lost rows are replaced


def test_a_worker_that_has_lost_its_islands_makes_new_ones(client):
    forgotten = threading.Event()

    def forget(progress: Any) -> None:
        if not forgotten.is_set():
            forgotten.set()
            tasks.seats.clear()

    found = gls.Islands(CHAINS, client)(PROBLEM, TOURS, seed=1, budget=KICKS, callback=forget)
    assert forgotten.is_set() and len(found.costs) == len(TOURS)
    assert found.statistics.stopped_by == "kicks"


def test_each_life_of_an_island_has_its_own_seed(monkeypatch):
    seen: list[tuple[int, int]] = []

    def noted(*_: Any, seed: int, first_row: int, **__: Any) -> None:
        seen.append((seed, first_row))

    monkeypatch.setattr(tasks, "population_of", noted)
    job = tasks.Job(PROBLEM, CHAINS, Settings(), 0, None, 1, 1, islands=3)
    settings = default_settings(PROBLEM, job.settings)
    seat = tasks.Seat(job, settings, plan_of_search(PROBLEM, settings))
    guests = Elites.none(PROBLEM)
    for island in range(3):
        for life in range(3):
            order = tasks.Order("r", island, life, 0, 5, Stretch(), 1.0, TOURS, 8, guests)
            tasks.make_population(seat, order)
    assert len(set(seen)) == 9
    assert len({seed for seed, _ in seen}) == 3


def test_a_worker_that_cannot_search_is_left_out(client, monkeypatch):
    settle = tasks.settle

    def broken(packed: bytes, run: str, island: int) -> Any:
        if island == 1:
            raise BackendUnavailableError("backend: cuda cannot be used: no CUDA device")
        return settle(packed, run, island)

    monkeypatch.setattr(tasks, "settle", broken)
    with pytest.warns(ClusterWarning, match="cannot search and is left out: .*no CUDA device"):
        found = gls.Islands(CHAINS, client)(PROBLEM, TOURS, seed=1, budget=KICKS)
    assert len(found.costs) == len(TOURS[:4])


def test_the_reason_is_raised_if_no_worker_can_search(client):
    islands = gls.Islands(CHAINS, client)
    with (
        pytest.warns(ClusterWarning, match="is left out"),
        pytest.raises(BackendUnavailableError, match="cuda cannot be used"),
    ):
        islands(PROBLEM, TOURS, budget=KICKS, backend="cuda")


def test_a_worker_that_fails_during_the_run_is_left_out(client, monkeypatch):
    advance, stretches = ChainPopulation.advance, []

    def broken(self: Any, *given: Any) -> Any:
        if self.first_row == 0 and self.seed == 1:
            stretches.append(self)
            if len(stretches) == 4:
                raise MemoryError("no memory")
        return advance(self, *given)

    monkeypatch.setattr(ChainPopulation, "advance", broken)
    monkeypatch.setattr("gpu_ls_plugin.distributed.coordinator.PATIENCE", 0.0)
    with pytest.warns(ClusterWarning, match="is left out: no memory"):
        found = gls.Islands(CHAINS, client)(PROBLEM, TOURS, seed=1, budget=KICKS)
    assert found.statistics.stopped_by == "kicks" and len(found.costs) == len(TOURS)


def test_a_worker_that_was_left_out_does_not_come_back():
    placement = Placement(5.0, ["a", "b"], {0: "a", 1: "b"})
    failures = Failures(placement, fleet=None)
    with pytest.warns(ClusterWarning, match="worker a cannot search"):
        assert failures.exclude("a", MemoryError(), others=True) == [0]
    assert failures.look(["a", "b", "c"]) == [] and placement.workers == ["b", "c"]
    with pytest.raises(MemoryError):
        failures.exclude("b", MemoryError(), others=False)


def test_a_run_ends_if_all_workers_leave(monkeypatch):
    monkeypatch.setattr("gpu_ls_plugin.distributed.coordinator.UNMANNED", 0.5)
    told: list[float] = []
    with cluster_of(2) as client:

        def watch(progress: Any) -> None:
            told.append(progress.best_cost)
            if len(told) == 2:
                client.cluster.scale(0)

        islands = gls.Islands(CHAINS, client, Exchange(kicks=20))
        with pytest.warns(ClusterWarning) as said:
            found = islands(PROBLEM, TOURS, budget=gls.Budget(kicks=10**6), callback=watch)
    assert "no worker is left" in str(said[-1].message)
    assert found.statistics.stopped_by == "lost" and found.best_cost <= min(told)


def test_workers_of_other_versions_are_left_out(client, monkeypatch):
    one, other = list(client.nthreads())
    monkeypatch.setattr(client, "run", lambda *_, **__: {one: "0.0.1", other: OSError("none")})
    with (
        pytest.warns(ClusterWarning, match=r"has (version 0.0.1|no gpu-ls-plugin), not"),
        pytest.raises(ClusterError, match="has no worker with gpu-ls-plugin"),
    ):
        cluster.usable_workers(client)


def test_a_cluster_without_workers_is_refused():
    with cluster_of(0) as client, pytest.raises(ClusterError, match="has no workers"):
        gls.Islands(CHAINS, client)(PROBLEM, TOURS)


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECTING", 0.3)
    with pytest.raises(ClusterError, match=r"no scheduler answers at .tcp://127\.0\.0\.1:9"):
        gls.Islands(CHAINS, "tcp://127.0.0.1:9")(PROBLEM, TOURS)


def test_a_missing_dask_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r'pip install "gpu-ls-plugin\[dask\]"'):
        gls.Islands(CHAINS)(PROBLEM, TOURS)


def test_interrupts_return_the_best_rows(client):
    told: list[float] = []

    def press(progress: Any) -> None:
        told.append(progress.best_cost)
        if len(told) == 3:
            raise KeyboardInterrupt

    islands = gls.Islands(CHAINS, client, Exchange(every=0.2))
    budget = gls.Budget(seconds=600)
    found = islands(PROBLEM, TOURS, seed=1, budget=budget, callback=press)
    assert found.statistics.interrupted
    assert found.best_cost <= min(told) and len(found.costs) == len(TOURS)


def test_workers_forget_a_run_that_is_over(client):
    tasks.seats.clear()  # those of earlier clusters
    gls.Islands(CHAINS, client)(PROBLEM, TOURS, seed=1, budget=KICKS)
    gone = threading.Event()
    for _ in range(600):
        if not tasks.seats:
            break
        gone.wait(0.1)
    assert not tasks.seats


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"workers": 0}, InvalidParameterError, "workers"),
        ({"gpus": 9}, BackendUnavailableError, "this machine shows 1"),
        ({"gpus": "some"}, InvalidParameterError, "gpus"),
        ({"workers": 1, "threads": 0}, InvalidParameterError, "threads"),
    ],
)
def test_wrong_clusters(given, error, message, monkeypatch):
    monkeypatch.setattr(cluster, "gpu_count", lambda: 1)
    with pytest.raises(error, match=message):
        cluster.worker_options(given.get("workers"), given.get("gpus"), given.get("threads"))


def test_options_of_gpu_and_cpu_workers(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3, 5")
    assert cluster.gpu_count() == 2
    found = cluster.worker_options(1, "all", 4)
    assert list(found) == ["gpu-0", "gpu-1", "cpu-0"]
    devices = [options["env"]["CUDA_VISIBLE_DEVICES"] for options in found.values()]
    assert devices == ["3", "5", ""] and found["cpu-0"]["nthreads"] == 4
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert cluster.gpu_count() == 0
    assert all(
        options["nthreads"] >= 1 for options in cluster.worker_options(2, None, None).values()
    )


def placed(*workers: str) -> Placement:
    placement = Placement(patience=5.0)
    placement.update(list(workers))
    return placement


def test_each_island_keeps_its_own_worker():
    placement = placed("a", "b")
    assert [placement.place(island, 0.0) for island in (0, 1, 0, 1)] == ["a", "b", "a", "b"]


def test_an_island_that_has_lost_its_worker_waits_for_a_free_one():
    placement = placed("a", "b")
    for island in (0, 1):
        placement.place(island, 0.0)
    assert placement.update(["b"]) == [0]
    assert placement.place(0, 4.9) is None
    placement.update(["b", "c"])
    assert placement.place(0, 4.9) == "c"


def test_an_island_that_has_waited_shares_a_worker_until_one_is_free():
    placement = placed("a", "b")
    for island in (0, 1):
        placement.place(island, 0.0)
    placement.update(["b"])
    assert placement.place(0, 5.0) == "b"
    placement.update(["b", "c"])
    assert [placement.place(1, 0.0), placement.place(0, 0.0)] == ["c", "b"]


def test_without_workers_islands_wait():
    placement = placed()
    assert placement.place(0, 100.0) is None


def test_a_worker_that_is_dropped_has_no_islands():
    placement = placed("a", "b")
    placement.place(0, 0.0)
    assert placement.drop("a") == [0]
    assert placement.place(0, 0.0) == "b"

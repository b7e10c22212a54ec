"""Killed and interrupted processes: the best rows are returned, and no process is left."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import psutil
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import ClusterWarning
from gpu_ls_plugin.distributed import Exchange, local_cluster
from tests.distributed.conftest import CHAINS, PROBLEM
from tests.distributed.test_command import file

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow
__all__ = ["file"]  # a fixture

WORKERS = 3
SECONDS, BETWEEN = 25.0, 3.0  # duration of the run; least time between two kills
COMMAND = [sys.executable, "-m", "gpu_ls_plugin", "solve"]


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Return the processes that do not end within a minute."""
    _, left = psutil.wait_procs(processes, timeout=60)
    return [process for process in left if process.status() != psutil.STATUS_ZOMBIE]


def children(pid: int) -> list[psutil.Process]:
    """Return all descendants of a process, without Python's resource tracker."""
    found = psutil.Process(pid).children(recursive=True)
    return [process for process in found if "resource_tracker" not in " ".join(process.cmdline())]


def test_rows_of_a_local_cluster_do_not_pass_through_the_scheduler(monkeypatch):
    def detour(**_: Any) -> None:
        raise AssertionError

    with local_cluster(1, threads=1) as client:
        monkeypatch.setattr(client.scheduler, "gather", detour, raising=False)
        islands = gls.Islands(CHAINS, client, Exchange(kicks=2))
        assert len(islands(PROBLEM, seed=1, budget=gls.Budget(kicks=4)).tours)


def test_killed_workers_lose_no_exchanged_rows():
    told: list[float] = []
    kills, over, rng = 0, threading.Event(), random.Random(1)
    with warnings.catch_warnings(), local_cluster(WORKERS, threads=1) as client:
        warnings.simplefilter("ignore", ClusterWarning)

        def kill() -> None:
            nonlocal kills
            while not over.wait(BETWEEN):
                if len(client.cluster.scheduler.workers) < WORKERS:
                    continue  # on a busy machine, all of them would be gone at once
                nannies = list(client.cluster.workers.values())
                pids = [nanny.process.pid for nanny in nannies if nanny.process is not None]
                pids = [pid for pid in pids if pid is not None]
                with suppress(ProcessLookupError, IndexError):  # the process may have ended
                    os.kill(rng.choice(pids), signal.SIGKILL)
                    kills += 1

        killer = threading.Thread(target=kill)

        def watch(progress: Any) -> None:
            if not told:
                killer.start()
            told.append(progress.best_cost)

        islands = gls.Islands(CHAINS, client, Exchange(every=0.5), "random")
        budget = gls.Budget(seconds=SECONDS)
        found = islands(PROBLEM, seed=1, budget=budget, callback=watch)
        over.set()
        killer.join()
    assert kills >= 2 and found.statistics.stopped_by == "seconds"
    assert found.statistics.seconds >= SECONDS
    assert found.best_cost <= min(told) == PROBLEM.cost(found.best_tour)[0]
    assert alive(children(os.getpid())) == []


def test_the_error_of_a_script_without_a_main_guard(tmp_path):
    script = tmp_path / "unguarded.py"
    call = "gls.Islands()(gls.TSP([[0, 0], [3, 4], [6, 0]]))"
    script.write_text(f"import gpu_ls_plugin as gls\n{call}\n")
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 1 and "below `if __name__ ==" in done.stderr


@pytest.fixture
def command(file: str) -> Iterator[subprocess.Popen[str]]:
    """Start a solve with two workers in its own process group, as a terminal does."""
    process = subprocess.Popen(
        [*COMMAND, file, "--workers", "2", "--seconds", "300", "--json", "--every", "0.5"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    yield process
    process.kill()
    process.communicate()


def wait_until_told(process: subprocess.Popen[str]) -> None:
    """Wait for the first line of progress."""
    assert process.stderr is not None
    for line in process.stderr:
        if "islands searching" in line:
            return
    raise AssertionError("the search has ended")


def test_an_interrupt_returns_the_best_and_leaves_no_process(command):
    wait_until_told(command)
    below = children(command.pid)
    os.killpg(command.pid, signal.SIGINT)
    out, _ = command.communicate(timeout=120)
    found = json.loads(out)
    assert command.returncode == 130 and found["interrupted"]
    assert found["best_cost"] == PROBLEM.cost(found["best_tour"])[0]
    assert len(below) >= 2 and alive(below) == []


def test_workers_end_with_the_process_that_has_started_them(command):
    wait_until_told(command)
    below = children(command.pid)
    command.kill()
    assert len(below) >= 2 and alive(below) == []


def test_a_lost_scheduler_ends_the_run_with_the_best_rows(file, tmp_path):
    where = tmp_path / "scheduler.json"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "dask"]
    at = ["--scheduler-file", str(where)]
    begun = [
        subprocess.Popen(
            [*dask, "scheduler", *at, "--port", "0", "--dashboard-address", ":0"], **quiet
        ),
        subprocess.Popen([*dask, "worker", *at, "--nthreads", "1"], **quiet),
    ]
    try:
        while not where.exists():
            time.sleep(0.1)
        address = json.loads(where.read_text())["address"]
        from distributed import Client

        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(1)
        options = ["--dask", address, "--seconds", "300", "--json", "--every", "0.5"]
        process = subprocess.Popen(
            [*COMMAND, file, *options, "--checkpoint", str(tmp_path / "c")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_until_told(process)
        begun[0].kill()
        out, error = process.communicate(timeout=300)
    finally:
        for each in begun:
            below = children(each.pid) if each.poll() is None else []
            each.kill()
            each.wait()
            for process_below in below:
                process_below.kill()
    found = json.loads(out)
    assert process.returncode == 1 and found["stopped_by"] == "lost"
    assert "the scheduler is lost; the best so far is returned" in error
    assert found["best_cost"] == PROBLEM.cost(found["best_tour"])[0]
    assert (tmp_path / "c").exists()

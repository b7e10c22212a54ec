"""Local clusters, connections to running clusters, and the workers that a run can use."""

from __future__ import annotations

import logging
import os
import subprocess
import warnings
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    BackendUnavailableError,
    ClusterError,
    ClusterWarning,
    InvalidParameterError,
    MissingExtraError,
)
from gpu_ls_plugin.distributed.local_processes import started

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client

# Workers evaluate this expression; they may lack this module, or have another version of it.
VERSION = "__import__('importlib.metadata').metadata.version('gpu-ls-plugin')"
CONNECTING = 10  # seconds within which a scheduler must answer
PRELOAD = "gpu_ls_plugin.distributed.local_processes"  # workers load it and call `dask_setup`
ALL = "all"


def require_dask() -> None:
    """Raise MissingExtraError if Dask is not installed."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            'islands: Dask is not installed: pip install "gpu-ls-plugin[dask]"'
        ) from error


@contextmanager
def local_cluster(
    workers: int | None = None, *, gpus: int | str | None = None, threads: int | None = None
) -> Iterator[Client]:
    """Start a cluster on this machine, and stop it at the end of the block.

    Ctrl-C ends the cluster at once, even while it starts.

    Parameters
    ----------
    workers : int, optional
        Number of processes that search on the CPU. The default is one for every two cores, or none
        if `gpus` is given.
    gpus : int or "all", optional
        Number of GPUs to search on, with a process for each; by default none.
    threads : int, optional
        Number of threads of each CPU worker; by default the workers share all cores evenly.

    Yields
    ------
    distributed.Client

    Raises
    ------
    MissingExtraError
        Dask is not installed.
    BackendUnavailableError
        The machine has fewer GPUs than `gpus`.
    ClusterError
        Workers cannot be started.
    InvalidParameterError, InvalidTypeError
        A number is not positive.
    """
    require_dask()
    from distributed import Nanny, Scheduler

    specs = {
        name: {"cls": Nanny, "options": options}
        for name, options in worker_options(workers, gpus, threads).items()
    }
    scheduler = {
        "cls": Scheduler,
        "options": {"host": "127.0.0.1", "port": 0, "dashboard_address": "127.0.0.1:0"},
    }
    with ExitStack() as stack:
        try:
            client = stack.enter_context(started(specs, scheduler))
        except (RuntimeError, OSError) as error:
            raise ClusterError(
                f"islands: workers cannot be started ({error}); put the code of a script below "
                '`if __name__ == "__main__":`, since each worker imports the script, and check '
                "that the folder of temporary files has free space"
            ) from error
        yield client


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """Connect to the scheduler of a cluster until the end of the block."""
    require_dask()
    from distributed import Client

    try:
        client = Client(address, timeout=CONNECTING, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"dask: no scheduler answers at {address!r} ({error}); start one with "
            "`dask scheduler`, and pass the address that it prints"
        ) from error
    with client:
        yield client


def client_of(given: Any, stack: ExitStack) -> Client:
    """Return the client of a cluster; the stack closes a cluster or connection opened here.

    `given` is a client, the address of a scheduler, or None for a new cluster on this machine.
    """
    require_dask()
    from distributed import Client

    if given is None:
        return stack.enter_context(local_cluster(gpus=gpu_count() or None))
    if isinstance(given, str):
        return stack.enter_context(connected(given))
    return checks.instance("client", given, kind=Client, wanted="Client of Dask, or an address")


def usable_workers(client: Client) -> list[str]:
    """Return the addresses of workers with this version of the library; warn about others."""
    ours = version("gpu-ls-plugin")
    found: dict[str, Any] = client.run(eval, VERSION, on_error="return")
    usable = [worker for worker, theirs in found.items() if theirs == ours]
    for worker, theirs in found.items():
        if worker not in usable:
            has = f"version {theirs}" if isinstance(theirs, str) else "no gpu-ls-plugin"
            warnings.warn(
                f"worker {worker} has {has}, not {ours}, and is left out; install the same "
                "version everywhere",
                ClusterWarning,
                stacklevel=2,
            )
    if not usable:
        why = "has no workers" if not found else f"has no worker with gpu-ls-plugin {ours}"
        raise ClusterError(f"dask: the cluster at {client.scheduler.address} {why}")
    return usable


def gpu_count() -> int:
    """Return the number of visible GPUs without initialising CUDA in this process."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        return len([name for name in visible.split(",") if name.strip() not in ("", "-1")])
    try:
        done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return 0
    return sum(line.startswith("GPU ") for line in done.stdout.splitlines())


def worker_options(
    workers: int | None, gpus: int | str | None, threads: int | None
) -> dict[str, dict[str, Any]]:
    """Return the options of each worker of a local cluster, by worker name."""
    common = {
        "memory_limit": 0,
        "preload": [PRELOAD],
        "host": "127.0.0.1",
        "silence_logs": logging.CRITICAL,
    }
    found = {
        f"gpu-{number}": common | {"nthreads": 1, "env": {"CUDA_VISIBLE_DEVICES": device}}
        for number, device in enumerate(_devices(gpus))
    }
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    cores = cores or 1
    if workers is None:
        workers = 0 if found else max(1, cores // 2)
    else:
        workers = checks.integer("workers", workers, least=0 if found else 1, most=4096)
    if threads is None:
        threads = max(1, cores // max(1, workers))
    threads = checks.integer("threads", threads, least=1, most=4096)
    for number in range(workers):
        hidden = {"CUDA_VISIBLE_DEVICES": ""}
        found[f"cpu-{number}"] = common | {"nthreads": threads, "env": hidden}
    return found


def _devices(gpus: int | str | None) -> list[str]:
    """Return the device of each GPU worker, named as in CUDA_VISIBLE_DEVICES."""
    if gpus is None:
        return []
    there = gpu_count()
    if isinstance(gpus, str):
        if gpus != ALL:
            raise InvalidParameterError(f"gpus: {gpus!r} is neither a number nor {ALL!r}")
        wanted = max(1, there)
    else:
        wanted = checks.integer("gpus", gpus, least=1, most=4096)
    if wanted > there:
        raise BackendUnavailableError(
            f"gpus: {wanted} requested, but this machine shows {there}; to search on the CPU, "
            "pass workers instead"
        )
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    names = visible.split(",") if visible else [str(number) for number in range(there)]
    return [name.strip() for name in names][:wanted]

"""A Dask cluster of processes on this machine, which Ctrl-C ends at once and silently.

Workers load this module first, and Dask then calls `dask_setup`.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.compilations import compilations

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from distributed import Client
    from distributed.utils import LoopRunner

ENDING = 5.0  # maximum number of seconds that an interrupted cluster takes to end
STARTING = 2.0  # maximum number of seconds that a process takes to start


def dask_setup(worker: object) -> None:
    """Leave Ctrl-C, which terminals send to all processes, and messages to the client."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    compilations.displays += 1


@contextmanager
def started(workers: dict[str, Any], scheduler: dict[str, Any]) -> Iterator[Client]:
    """Start a scheduler and workers, yield their client, and stop them at the end of the block.

    Both arguments are specifications for `SpecCluster`. A KeyboardInterrupt kills all processes,
    even if some are just starting.
    """
    from distributed import Client, SpecCluster

    runner = _loop()
    try:
        cluster = SpecCluster(
            workers, scheduler, loop=runner.loop, name="gpu-ls", silence_logs=logging.CRITICAL
        )
        # All workers can be reached from here, so rows need not pass through the scheduler.
        with cluster, Client(cluster, set_as_default=False, direct_to_workers=True) as client:
            try:
                yield client
            except KeyboardInterrupt:
                _drop(runner, {cluster, client})
                raise
    except KeyboardInterrupt:
        opened = [*SpecCluster._instances, *Client._instances]
        _drop(runner, [one for one in opened if _loop_of(one) is _loop_of(runner)])
        raise
    finally:
        runner.stop(ENDING)


def _loop() -> LoopRunner:
    """Start an event loop in a thread that blocks SIGINT, and return the runner of the loop.

    Processes that the loop starts also block SIGINT.
    """
    from distributed.utils import LoopRunner

    runner = LoopRunner()
    if not hasattr(signal, "pthread_sigmask"):
        runner.start()
        return runner
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # a later start would unblock SIGINT in the loop's thread
    former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        runner.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)
    return runner


def _loop_of(one: Any) -> Any:
    """Return the event loop of a runner, a cluster or a client; None before it has a loop."""
    return getattr(getattr(one, "_loop_runner", one), "_loop", None)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ignore Ctrl-C in the block, if this is the thread that receives it."""
    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGINT) is None:
        yield
        return
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)


def _drop(runner: LoopRunner, opened: Collection[Any]) -> None:
    """Kill all workers, and stop the loop of these clusters and clients."""
    if runner.is_started():
        with _undisturbed():
            _drop_now(runner, opened)


def _drop_now(runner: LoopRunner, opened: Collection[Any]) -> None:
    from distributed import Client
    from distributed.core import Status

    loop = runner.loop
    processes = _processes(loop)
    _kill(processes)
    loop.add_callback(_silence)
    for one in opened:  # Dask must not try to close it, now or at exit
        one.status = "closed" if isinstance(one, Client) else Status.closed
        with suppress(AttributeError):
            one._loop_runner.stop(ENDING)
    runner.stop(ENDING)
    processes |= _processes(loop)
    end = time.monotonic() + STARTING
    while any(process.pid is None for process in processes) and time.monotonic() < end:
        time.sleep(0.01)  # another thread is starting the process
    _kill(processes)


def _processes(loop: Any) -> set[Any]:
    """Return the processes that a loop has started or is starting, with or without a nanny."""
    from distributed.process import AsyncProcess

    known = [one for one in gc.get_objects() if isinstance(one, AsyncProcess)]
    return {process for process in known if getattr(process, "_loop", None) is loop}


def _kill(processes: Collection[Any]) -> None:
    for process in processes:
        if process.pid is not None:
            with suppress(OSError):
                os.kill(process.pid, signal.SIGKILL)


def _silence() -> None:
    """Let the running loop ignore the errors of tasks whose processes were killed."""
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)

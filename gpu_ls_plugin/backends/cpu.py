"""CPU backend: composed programs built by the system's C++ compiler, tours spread over threads."""

from __future__ import annotations

import ctypes
import math
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin import checks
from gpu_ls_plugin.backends import compiler, library_cache
from gpu_ls_plugin.backends.base import Backend
from gpu_ls_plugin.exceptions import GpuLsError, InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from gpu_ls_plugin.backends.composition import Kernel, Parameter

MOST_THREADS = 4096  # more than a machine has; far more cannot be started

C_TYPES = {
    "int": ctypes.c_int,
    "gls::int64": ctypes.c_longlong,
    "gls::uint64": ctypes.c_ulonglong,
    "float": ctypes.c_float,
}


class CpuBackend(Backend):
    """Runs kernels on CPU threads; the GIL is released while they run.

    The number of threads is that of the usable cores, or ``GPU_LS_THREADS``.
    """

    name = "cpu"
    xp = np

    def __init__(self) -> None:
        super().__init__()
        self._functions: dict[Kernel, Any] = {}
        self._renew_lock()
        if hasattr(os, "register_at_fork"):  # the thread that compiles is none of the child's
            os.register_at_fork(after_in_child=self._renew_lock)

    @property
    def processors(self) -> int:
        """Number of threads."""
        return thread_count()

    def block(self, threads: int) -> str:
        """Return the team of one thread."""
        return "gls::Host"

    def warp(self, count: int = 4) -> str:
        """Return the team of one thread."""
        return "gls::Host"

    def launch(
        self,
        kernel: Kernel,
        count: int,
        arguments: Mapping[str, Any],
        *,
        shared_bytes: int = 0,
        seconds: float = math.inf,
    ) -> None:
        """Run a kernel on all items; returns when it is done."""
        function = self._function(kernel)
        converted = [_convert(p, arguments[p.name]) for p in kernel.parameters]
        following = ctypes.c_int(0)  # the next item, taken by whichever thread is free

        def work() -> None:
            function(count, ctypes.byref(following), *converted)

        threads = min(self.processors, count)
        with interrupts_held(), ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(work) for _ in range(threads)]
            wait(futures, timeout=min(seconds, threading.TIMEOUT_MAX))
            following.value = count  # out of time: nobody takes another item
            for future in futures:
                future.result()

    def address(self, array: Any) -> int:
        """Return where an array begins in memory."""
        return int(array.ctypes.data)

    def available_memory(self) -> int:
        """Return the physical memory in bytes that is free or only holds files."""
        try:
            with open("/proc/meminfo", encoding="ascii") as file:
                sizes = dict(line.split(":") for line in file)
            return int(sizes["MemAvailable"].split()[0]) << 10
        except (OSError, KeyError):  # not Linux
            pass
        try:
            return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, OSError, ValueError):  # not on this system: assume enough
            return 1 << 40

    def _function(self, kernel: Kernel) -> Any:
        with self._lock:
            function = self._functions.get(kernel)
            if function is None:
                loader = partial(_function_of, name=kernel.name)
                function = library_cache.load(kernel.source, loader)
                self._functions[kernel] = function
            return function

    def _renew_lock(self) -> None:
        self._lock = threading.Lock()


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back until the block is left: running threads write into the caller's arrays.

    `KeyboardInterrupt` is raised in the main thread only, and may be raised between the start of
    a thread and the moment the pool knows of it; nobody would wait for that thread then.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    held: list[tuple[int, Any]] = []
    signal.signal(signal.SIGINT, lambda number, frame: held.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if held:
            handler(*held[0])


def _convert(parameter: Parameter, value: Any) -> Any:
    if parameter.type.endswith("*"):
        return ctypes.c_void_p(None if value is None else value.ctypes.data)
    return C_TYPES[parameter.type](value)


def _function_of(library: Path, name: str) -> Any:
    """Return a function of a shared library, which stays loaded; `OSError` if there is none."""
    try:
        function = getattr(ctypes.CDLL(str(library)), name)
    except AttributeError as error:
        raise OSError(f"{library} has no function {name}") from error
    function.restype = None
    return function


def thread_count() -> int:
    """Return the number of threads: ``GPU_LS_THREADS`` or that of the usable cores.

    Raises
    ------
    InvalidParameterError
        ``GPU_LS_THREADS`` is no number of threads.
    """
    if text := os.environ.get("GPU_LS_THREADS", "").strip():
        return _threads_from(text)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _threads_from(text: str) -> int:
    try:
        return checks.integer("GPU_LS_THREADS", int(text), least=1, most=MOST_THREADS)
    except ValueError:
        raise InvalidParameterError(
            f"GPU_LS_THREADS: {text!r} is no number of threads; set it to an integer between 1 "
            f"and {MOST_THREADS}, or unset it"
        ) from None


def unavailable_reason() -> str | None:
    """Return None where programs can be compiled and run, else what is wrong and the remedy."""
    try:
        compiler.check_compiler()
        thread_count()
    except GpuLsError as error:
        return str(error).removeprefix(compiler.PREFIX)
    return None

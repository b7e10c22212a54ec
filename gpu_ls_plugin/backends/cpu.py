"""CPU backend: the system's C++ compiler compiles kernels, and threads share their items."""

from __future__ import annotations

import ctypes
import math
import os
import signal
import threading
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import compiler, library_cache, ready_made
from gpu_ls_plugin.backends.base import Backend
from gpu_ls_plugin.backends.builds import Builds, hurries
from gpu_ls_plugin.backends.composition import FAULT, TEAM
from gpu_ls_plugin.backends.structs import Packed, Struct, constant
from gpu_ls_plugin.backends.workers import Workers
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import GpuLsError, InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from gpu_ls_plugin.backends.composition import Kernel, Parameter

MOST_THREADS = 4096  # maximum of GPU_LS_THREADS; no machine can use more

# Calls of a quickly compiled function, one per thread of a launch, before it is compiled once more,
# which takes a core from the searches for up to 2 s. Ten launches on two cores last up to 0.5 s.
OFTEN = 20

CUT = constant(TEAM, "kCut")  # a thread that reads this number as its next item stops

C_TYPES = {
    "int": ctypes.c_int,
    "gls::int64": ctypes.c_longlong,
    "gls::uint64": ctypes.c_ulonglong,
    "float": ctypes.c_float,
}


class CpuBackend(Backend):
    """Runs kernels on `thread_count()` threads; the GIL is released while they run."""

    name = "cpu"
    xp = np

    def __init__(self) -> None:
        super().__init__()
        self._functions = Builds(self._build)
        self._renew_threads()
        if hasattr(os, "register_at_fork"):  # a forked child has none of the threads
            os.register_at_fork(after_in_child=self._renew_threads)

    def lane(self, number: int, processors: int) -> AbstractContextManager[None]:
        """Limit the cores of this thread to `processors`; the number of the lane is ignored."""
        return threads_at_most(processors)

    @property
    def processors(self) -> int:
        return thread_count()

    def block(self, threads: int) -> str:
        return "gls::Host"

    def warp(self, count: int = 4) -> str:
        return "gls::Host"

    def launch(
        self,
        kernel: Kernel,
        count: int,
        arguments: Mapping[str, Any] | Packed,
        *,
        shared_bytes: int = 0,
        seconds: float = math.inf,
    ) -> bool:
        """Run a kernel on all items; return when it is done, or soon after Ctrl-C."""
        function, fault = self._functions.get(kernel)
        converted = _converted(kernel, arguments)
        following = ctypes.c_int(0)  # the next item; a free thread takes it

        def work() -> None:
            function(count, ctypes.byref(following), *converted)

        def cut() -> None:  # no thread takes another item
            following.value = CUT

        threads = min(self.processors, count)
        with interrupts_held(cut), self._lent() as workers:
            workers.do(work, threads, seconds, cut)
        kernel.refuse_fault(fault)
        return following.value < CUT

    def begin(self, kernel: Kernel) -> None:
        self._functions.begin(kernel)

    def address(self, array: Any) -> int:
        return int(array.ctypes.data)

    def available_memory(self) -> int:
        """Return how many bytes of physical memory are free or hold cached files."""
        try:
            with open("/proc/meminfo", encoding="ascii") as file:
                sizes = dict(line.split(":") for line in file)
            return int(sizes["MemAvailable"].split()[0]) << 10
        except (OSError, KeyError):  # not Linux
            pass
        try:
            return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, OSError, ValueError):  # unknown: assume enough memory
            return 1 << 40

    def _build(self, kernel: Kernel) -> tuple[Any, Any]:
        """Return a kernel's function and fault variable; optimise a long one if it is used often.

        Results are the same, and a search begins in half the time.
        """
        source, loader = kernel.source, partial(function_of, kernel=kernel)
        if not (compiler.is_long(source) and hurries()):
            return library_cache.load(source, loader)
        if (kept := library_cache.kept(source, loader)) is not None:
            return kept
        function, fault = library_cache.load(source, loader, flags=compiler.QUICK)
        return _Counted(function, partial(self._functions.replace_later, kernel, optimised)), fault

    @contextmanager
    def _lent(self) -> Iterator[Workers]:
        """Yield threads that no other launch uses."""
        try:
            workers = self._idle.pop()
        except IndexError:  # no threads are idle
            workers = Workers()
        try:
            yield workers
        except BaseException:
            workers.dismiss()
            raise
        self._idle.append(workers)

    def _renew_threads(self) -> None:
        self._idle: list[Workers] = []


@contextmanager
def interrupts_held(pressed: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Delay Ctrl-C until the end of the block, in which threads write into the caller's arrays.

    A Ctrl-C calls `pressed` at once. Without the delay, KeyboardInterrupt could be raised in the
    main thread just after it has started a thread, and that thread would never be joined.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    held: list[tuple[int, Any]] = []

    def hold(number: int, frame: Any) -> None:
        held.append((number, frame))
        pressed()

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if held:
            handler(*held[0])


def _converted(kernel: Kernel, arguments: Mapping[str, Any] | Packed) -> Sequence[Any]:
    if isinstance(arguments, Packed):
        return arguments  # ctypes passes the address of bytes
    return [_convert(parameter, arguments) for parameter in kernel.parameters]


def _convert(parameter: Parameter, arguments: Mapping[str, Any]) -> Any:
    """Return the argument for a parameter in the form that ctypes takes."""
    if isinstance(parameter, Struct):
        return parameter.pack(arguments, _address)  # ctypes passes the address of bytes
    value = arguments[parameter.name]
    if parameter.is_pointer:
        return ctypes.c_void_p(_address(parameter, value))
    return C_TYPES[parameter.type](value)


def _address(parameter: Parameter, array: Any) -> int:
    """Return the address of an array for a parameter, 0 for None."""
    if array is None:
        return 0
    parameter.check(array, array.flags.c_contiguous)
    return int(array.ctypes.data)


class _Counted:
    """A function that asks for its replacement once it was called `OFTEN`."""

    def __init__(self, function: Callable[..., None], replace: Callable[[], object]) -> None:
        self._function, self._replace = function, replace
        self._calls = count(1)

    def __call__(self, *given: Any) -> None:
        if next(self._calls) == OFTEN:
            self._replace()
        self._function(*given)


def optimised(kernel: Kernel) -> tuple[Any, Any]:
    """Return a kernel's function and fault variable, from the cache or after compiling it."""
    return library_cache.load(kernel.source, partial(function_of, kernel=kernel))


def function_of(library: Path, kernel: Kernel) -> tuple[Any, Any]:
    """Return a kernel's function and fault variable from a shared library, which stays loaded.

    Raise OSError if the library cannot be loaded or has no such function.
    """
    try:
        loaded = ctypes.CDLL(str(library))
        function = getattr(loaded, kernel.name)
        fault = ctypes.c_int.in_dll(loaded, FAULT) if kernel.checked else None
    except (AttributeError, ValueError) as error:
        raise OSError(f"{library} has no function {kernel.name}") from error
    function.restype = None
    return function, fault


def loads(library: str | None) -> bool:
    """Return whether a shared library can be loaded; None is the program itself."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


_allowed = threading.local()


@contextmanager
def threads_at_most(count: int) -> Iterator[None]:
    """Limit the number of cores that searches of this thread use during a ``with`` block."""
    before = getattr(_allowed, "count", MOST_THREADS)
    _allowed.count = count
    try:
        yield
    finally:
        _allowed.count = before


def thread_count() -> int:
    """Return ``GPU_LS_THREADS`` or the number of usable cores, limited by `threads_at_most`."""
    most: int = getattr(_allowed, "count", MOST_THREADS)
    if text := os.environ.get("GPU_LS_THREADS", "").strip():
        return min(most, _threads_from(text))
    if hasattr(os, "sched_getaffinity"):
        return min(most, len(os.sched_getaffinity(0)))
    return min(most, os.cpu_count() or 1)


def _threads_from(text: str) -> int:
    try:
        return checks.integer("GPU_LS_THREADS", int(text), least=1, most=MOST_THREADS)
    except ValueError:
        raise InvalidParameterError(
            f"GPU_LS_THREADS: {text!r} is not a number of threads; set it to an integer between 1 "
            f"and {MOST_THREADS}, or unset it"
        ) from None


def unavailable_reason() -> str | None:
    """Return None if kernels can be run, ready-made or compiled; else the reason and the remedy."""
    try:
        if not ready_made.serve_here():
            compiler.check_compiler()
        thread_count()
    except GpuLsError as error:
        return str(error).removeprefix(compiler.PREFIX)
    return None

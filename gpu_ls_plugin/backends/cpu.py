"""CPU backend: composed programs built by the system's C++ compiler, tours spread over threads."""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import logging
import math
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.base import Backend
from gpu_ls_plugin.backends.composition import FAULT
from gpu_ls_plugin.budget import compiling
from gpu_ls_plugin.exceptions import CompilationError, CompilerNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gpu_ls_plugin.backends.composition import Kernel, Parameter

logger = logging.getLogger("gpu_ls_plugin")

# Errors of mathematical functions are never read, so roots may be vector instructions; results
# stay IEEE. Contraction would make the exact lengths differ from the referee's.
FLAGS = (
    "-std=c++17",
    "-O3",
    "-march=native",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fPIC",
    "-shared",
    "-pthread",
)

CUT = 1 << 30  # gls::kCut

C_TYPES = {
    "int": ctypes.c_int,
    "gls::int64": ctypes.c_longlong,
    "gls::uint64": ctypes.c_ulonglong,
    "float": ctypes.c_float,
}

REMEDY = 'install g++ or clang++, point CXX to a compiler, or pip install "gpu-ls-plugin[cpu]"'


class CpuBackend(Backend):
    """Runs kernels on CPU threads; the GIL is released while they run.

    The number of threads is that of the usable cores, or ``GPU_LS_THREADS``.
    """

    name = "cpu"
    xp = np

    def __init__(self) -> None:
        super().__init__()
        self._functions: dict[Kernel, Any] = {}
        self._faults: dict[Kernel, Any] = {}
        self._lock = threading.Lock()

    @property
    def processors(self) -> int:
        """Number of threads."""
        wanted = os.environ.get("GPU_LS_THREADS", "")
        if wanted.isdigit() and int(wanted) > 0:
            return int(wanted)
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1

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
    ) -> bool:
        """Run a kernel on all items; returns when it is done, and soon after Ctrl-C."""
        function = self._function(kernel)
        converted = [_convert(p, arguments[p.name]) for p in kernel.parameters]
        following = ctypes.c_int(0)  # the next item, taken by whichever thread is free

        def work() -> None:
            function(count, ctypes.byref(following), *converted)

        def cut() -> None:  # nobody takes another item
            following.value = CUT

        threads = min(self.processors, count)
        with interrupts_held(cut), ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(work) for _ in range(threads)]
            if wait(futures, timeout=min(seconds, threading.TIMEOUT_MAX)).not_done:
                cut()
            for future in futures:
                future.result()
        kernel.refuse_fault(self._faults.get(kernel))
        return following.value < CUT

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
        function = self._functions.get(kernel)
        if function is not None:
            return function
        with compiling(), self._lock:
            if kernel not in self._functions:
                library = ctypes.CDLL(str(build(kernel.source)))
                function = getattr(library, kernel.name)
                function.restype = None
                if kernel.checked:
                    self._faults[kernel] = ctypes.c_int.in_dll(library, FAULT)
                self._functions[kernel] = function
            return self._functions[kernel]


@contextmanager
def interrupts_held(pressed: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Hold Ctrl-C back until the block is left: running threads write into the caller's arrays.

    `pressed` is called at once.

    `KeyboardInterrupt` is raised in the main thread only, and may be raised between the start of
    a thread and the moment the pool knows of it; nobody would wait for that thread then.
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


def _convert(parameter: Parameter, value: Any) -> Any:
    if parameter.type.endswith("*"):
        parameter.check(value)
        return ctypes.c_void_p(None if value is None else value.ctypes.data)
    return C_TYPES[parameter.type](value)


def cache_folder() -> Path:
    """Return where compiled programs are kept: ``GPU_LS_CACHE_DIR`` or the user's cache folder."""
    if own := os.environ.get("GPU_LS_CACHE_DIR"):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "gpu-ls-plugin"


def find_compiler() -> list[str] | None:
    """Return the command of a C++ compiler: $CXX, c++, g++, clang++ or the ziglang wheel."""
    if own := os.environ.get("CXX"):
        command = shlex.split(own)
        return command if shutil.which(command[0]) else None
    for name in ("c++", "g++", "clang++"):
        if path := shutil.which(name):
            return [path]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "c++"]
    return None


def unavailable_reason() -> str | None:
    """Return None where a compiler is present, else what is missing and how to get it."""
    if find_compiler() is not None:
        return None
    if own := os.environ.get("CXX"):
        return f"CXX names {own!r}, which was not found; {REMEDY}"
    return f"no C++17 compiler was found (c++, g++, clang++ or ziglang); {REMEDY}"


def build(source: str) -> Path:
    """Compile a translation unit to a shared library, or find it in the disk cache.

    Files are named by a hash of source, flags, compiler and processor and appear atomically, so
    that processes may build the same program at the same time.

    Raises
    ------
    CompilerNotFoundError
        There is no compiler; the message says how to get one.
    CompilationError
        The program does not compile.
    """
    compiler = find_compiler()
    if compiler is None:
        raise CompilerNotFoundError(f"backend: cpu: {unavailable_reason()}")
    flags = [*FLAGS, *shlex.split(os.environ.get("GPU_LS_CXXFLAGS", ""))]
    identity = "\0".join([source, *flags, _version(tuple(compiler)), _processor()])
    folder = cache_folder()
    library = folder / f"{hashlib.sha256(identity.encode()).hexdigest()[:32]}.so"
    if library.exists():
        return library
    folder.mkdir(parents=True, exist_ok=True)
    _announce(shlex.join(compiler), folder)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        code, target = Path(scratch) / "program.cpp", Path(scratch) / "program.so"
        code.write_text(source, encoding="utf-8")
        command = [*compiler, *flags, "-o", str(target), str(code)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise CompilationError(f"{' '.join(command)} failed:\n{done.stderr[-4000:]}")
        os.replace(target, library)
    return library


@cache
def _announce(compiler: str, folder: Path) -> None:
    """Say, once in a process, why the first call takes longer."""
    patience = "about 40 s the first time" if "ziglang" in compiler else "a few seconds"
    logger.warning("compiling search kernels with %s (%s; kept in %s)", compiler, patience, folder)


@cache
def _version(compiler: tuple[str, ...]) -> str:
    """Return what the compiler says of itself, which changes when it is updated."""
    done = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=False)
    return f"{compiler}\n{done.stdout}"


@cache
def _processor() -> str:
    """Return the processor's model and features: -march=native code runs on no lesser one."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    wanted = ("model name", "flags", "Features")
    return "\n".join(sorted({line for line in lines if line.startswith(wanted)}))

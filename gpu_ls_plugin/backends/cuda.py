"""CUDA backend: kernels compiled by NVRTC and launched on streams, both through CuPy."""

from __future__ import annotations

import atexit
import importlib.util
import itertools
import math
import os
import threading
from contextlib import contextmanager
from functools import cache, wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import library_cache, ready_made
from gpu_ls_plugin.backends.base import Backend, repeated
from gpu_ls_plugin.backends.beside import finish
from gpu_ls_plugin.backends.builds import Builds
from gpu_ls_plugin.backends.composition import FAULT, NVRTC_OPTIONS
from gpu_ls_plugin.backends.cpu import loads, threads_at_most
from gpu_ls_plugin.backends.cupy_kernels import KernelUnits, prepare
from gpu_ls_plugin.backends.cupy_operations import default_operations
from gpu_ls_plugin.backends.structs import Packed, Struct
from gpu_ls_plugin.backends.tuning import largest_cluster
from gpu_ls_plugin.core.budget import compiling
from gpu_ls_plugin.core.compilations import compilations
from gpu_ls_plugin.core.exceptions import CompilationError, InvalidParameterError
from gpu_ls_plugin.core.origins import error_first

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from gpu_ls_plugin.backends.composition import Kernel, Parameter

DRIVER = "libcuda.so.1"  # the library of NVIDIA's driver
NO_DEVICE = "no CUDA device or driver was found; install NVIDIA's driver or use backend='cpu'"
OLDEST_CAPABILITY = 75  # minimum compute capability, times ten
HEADERS_KEPT = "CUPY_NVRTC_USE_PCH"  # CuPy's variable for precompiled headers
PRIVATE = "_compile_using_nvrtc_no_warning"  # function of cupy.cuda.compiler in version 14
SCALARS = {"int": np.int32, "gls::int64": np.int64, "gls::uint64": np.uint64, "float": np.float32}
WAY = "with NVRTC (a few seconds; kept in CuPy's cache)"
NOTHING = np.uint64(0)  # a null pointer
INSTALL = 'pip install "gpu-ls-plugin[cuda13]" (CUDA 13) or "gpu-ls-plugin[cuda12]" (CUDA 12)'


class _Handle:
    """Another library's stream, in the form that CuPy takes over."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._handle  # version of the protocol, and the stream


class CudaBackend(Backend):
    """Runs kernels on one GPU, on CuPy's current stream."""

    name = "cuda"

    def __init__(self, device: int) -> None:
        super().__init__()
        import cupy

        self._kernels = stop_clocks_for_cupy()
        self.xp = cupy
        self.device = device
        self._functions = Builds(self._compile)
        atexit.register(self._forget)  # unloads modules before the driver is gone
        self._attributes = cupy.cuda.Device(device).attributes
        self._preparing = threading.Lock()  # threads share the functions
        self._lanes: dict[int, Any] = {}
        self._allowed = threading.local()
        self._expected: set[Any] = set()
        self.expect(default_operations)

    def current(self) -> AbstractContextManager[Any]:
        """Make the device the current one of this thread; kernels use CuPy's current stream."""
        device: AbstractContextManager[Any] = self.xp.cuda.Device(self.device)
        return device

    def on_stream(self, handle: int) -> AbstractContextManager[Any]:
        with self.current():
            stream: AbstractContextManager[Any] = self.xp.cuda.Stream.from_external(_Handle(handle))
        return stream

    @contextmanager
    def lane(self, number: int, processors: int) -> Iterator[None]:
        """Make a non-blocking stream the current one of this thread.

        Lanes keep their streams, since CuPy's pool keeps freed memory for the stream that used it.
        """
        with self.current():
            if number not in self._lanes:
                self._lanes[number] = self.xp.cuda.Stream(non_blocking=True)
            before = getattr(self._allowed, "processors", math.inf)
            self._allowed.processors = min(before, processors)
            try:
                # Lanes share the cores of the host, so each uses a single thread there.
                with self._lanes[number] as stream, threads_at_most(1):
                    yield
                    stream.synchronize()
            finally:
                self._allowed.processors = before

    @property
    def processors(self) -> int:
        """Number of multiprocessors, at most the limit of the current lane."""
        count = int(self._attributes["MultiProcessorCount"])
        return int(min(count, getattr(self._allowed, "processors", count)))

    @property
    def shared_memory(self) -> int:
        return int(self._attributes["MaxSharedMemoryPerBlockOptin"])

    @property
    def cache(self) -> int:
        return int(self._attributes["L2CacheSize"])

    @property
    def largest_cluster(self) -> int:
        return largest_cluster(int(self.xp.cuda.Device(self.device).compute_capability))

    def block(self, threads: int) -> str:
        return f"gls::Block<{threads}>"

    def warp(self, count: int = 4) -> str:
        return f"gls::Warp<{count}>"

    def launch(
        self,
        kernel: Kernel,
        count: int,
        arguments: Mapping[str, Any] | Packed,
        *,
        shared_bytes: int = 0,
        seconds: float = math.inf,
    ) -> bool:
        """Queue a kernel on the current stream; wait for it only if parts are checked."""
        with self.current():
            self.starter(kernel, count, shared_bytes)(arguments)
        return True

    def bound(
        self, kernel: Kernel, count: int, arguments: Mapping[str, Any], *, shared_bytes: int = 0
    ) -> Callable[[], Any]:
        """Convert the arguments once, and return a function that queues a launch with them."""
        with self.current():
            queue = self._queue_of(kernel, count, shared_bytes)
        converted = _converted(kernel, arguments)

        def start(_kept: Any = arguments) -> None:  # keeps the arrays at these addresses
            with self.current():
                queue(converted)

        return start

    def begin(self, kernel: Kernel) -> None:
        self._functions.begin(kernel)

    def wait(self) -> None:
        with self.current():
            self.xp.cuda.get_current_stream().synchronize()

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def recorded(self, work: Callable[[], None], times: int) -> Callable[[], None]:
        """Return a function that repeats launches, from its second call on as a CUDA graph."""
        repeat, calls = repeated(work, times), itertools.count()
        graphs: list[Any] = []

        def replay() -> None:
            if next(calls) == 0:  # compiles kernels, which is impossible during a capture
                repeat()
                return
            if not graphs:
                stream = self.xp.cuda.Stream(non_blocking=True)
                with stream:
                    stream.begin_capture()
                    repeat()
                    graphs.append(stream.end_capture())
            graphs[0].launch()

        return replay

    def expect(self, operations: Callable[[Any], list[Callable[[], Any]]]) -> None:
        """Compile CuPy's kernels for operations on arrays in the background."""
        if self._kernels is not None and operations not in self._expected:
            self._expected.add(operations)
            prepare(self.xp, self.device, self._kernels, operations)

    def available_memory(self) -> int:
        """Return how many bytes are free on the device, including those in CuPy's pool."""
        with self.xp.cuda.Device(self.device) as device:
            pool = self.xp.get_default_memory_pool()
            return int(device.mem_info[0]) + int(pool.free_bytes())

    def sure_memory(self) -> int:
        """Return a lower bound on the available bytes, including those in CuPy's pool."""
        return max(super().sure_memory(), int(self.xp.get_default_memory_pool().free_bytes()))

    def adopt(self, array: Any) -> Any:
        there = device_of(array)
        with self.xp.cuda.Device(there):  # asarray copies to the current device
            taken = self.xp.asarray(array)
            if there == self.device:
                return taken
            taken = self.xp.ascontiguousarray(taken)
            self.xp.cuda.get_current_stream().synchronize()  # the copy below does not wait
        with self.current():
            return taken.copy()

    def to_numpy(self, array: Any) -> Any:
        """Copy an array to the host, after the work that computes it."""
        return self.xp.asnumpy(array)

    def starter(self, kernel: Kernel, count: int, shared_bytes: int) -> Callable[..., object]:
        queue = self._queue_of(kernel, count, shared_bytes)

        def start(arguments: Mapping[str, Any] | Packed, seconds: float = math.inf) -> None:
            queue(_converted(kernel, arguments))

        return start

    def _queue_of(
        self, kernel: Kernel, count: int, shared_bytes: int
    ) -> Callable[[list[Any]], None]:
        """Return a function that queues launches on the current device, with converted arguments.

        It waits for a launch only if parts of the kernel are checked.
        """
        function, fault = self._functions.get(kernel)
        if shared_bytes:
            with self._preparing:
                if shared_bytes > function.max_dynamic_shared_size_bytes:
                    function.max_dynamic_shared_size_bytes = shared_bytes
        threads, teams, shared_by = _team_shape(kernel.team)
        grid, block, number = (-(-count // teams) * shared_by,), (threads,), np.int32(count)

        def queue(converted: list[Any]) -> None:
            function(grid, block, (number, *converted), shared_mem=shared_bytes)
            kernel.refuse_fault(fault)

        return queue

    def _forget(self) -> None:
        finish()
        with self.current():
            self.starters.clear()
            self._functions.clear()

    def _compile(self, kernel: Kernel) -> tuple[Any, _Fault | None]:
        source = kernel.source
        with self.current():
            module = self._ready_made(kernel.name, source)
            if module is None:
                module = self._built(kernel, source)
            function = module.get_function(kernel.name)
            if not kernel.checked:
                return function, None
            return function, _Fault(self.xp.ndarray((), "int32", module.get_global(FAULT)))

    def _built(self, kernel: Kernel, source: str) -> Any:
        """Return the module of a kernel, from CuPy's cache or compiled now."""
        with library_cache.alone_with(source):
            module = self.xp.RawModule(code=source, options=NVRTC_OPTIONS, backend="nvrtc")
            try:
                module.get_function(kernel.name)
            except self.xp.cuda.compiler.CompileException as error:
                first = error_first(str(error), source)
                text = f"{first}{kernel.body} does not compile:\n{error}"
                raise CompilationError(text) from error
            return module

    def _ready_made(self, name: str, source: str) -> Any | None:
        """Return the ready-made module of a kernel, or None if it must be compiled."""
        path = ready_made.cubin(source, int(self.xp.cuda.Device(self.device).compute_capability))
        if path is None:
            return None
        module = self.xp.RawModule(path=str(path))
        try:
            module.get_function(name)
        except self.xp.cuda.driver.CUDADriverError:  # it may need a newer driver
            return None
        return module


@cache
def stop_clocks_for_cupy() -> KernelUnits | None:
    """Stop clocks while CuPy compiles kernels, its own ones in units, and say that it does.

    There is no public hook; return None if CuPy has changed.
    """
    from cupy.cuda import compiler

    compile_kernel = getattr(compiler, PRIVATE, None)
    if compile_kernel is None:  # another version of CuPy: clocks run while it compiles
        return None
    if HEADERS_KEPT not in os.environ:
        compiler._use_pch = True  # NVRTC reads CuPy's headers once, from version 12.8 on
    kernels = KernelUnits(compilations.running(WAY, "CuPy's kernels")(compile_kernel))

    @wraps(compile_kernel)
    def uncounted(*given: Any, **options: Any) -> Any:
        with compiling():
            return kernels(*given, **options)

    setattr(compiler, PRIVATE, uncounted)
    return kernels


class _Fault:
    """The fault variable of a kernel in the device's memory."""

    def __init__(self, number: Any) -> None:
        self._number = number

    @property
    def value(self) -> int:
        """The number of the faulty part, or 0; waits for the launch."""
        return int(self._number)

    @value.setter
    def value(self, number: int) -> None:
        self._number.fill(number)


def _converted(kernel: Kernel, arguments: Mapping[str, Any] | Packed) -> list[Any]:
    """Return the arguments in the form that CuPy takes: it passes arrays of one item by value."""
    if isinstance(arguments, Packed):
        return [np.frombuffer(struct, _bytes_type(len(struct))) for struct in arguments]
    return [_convert(parameter, arguments) for parameter in kernel.parameters]


def _convert(parameter: Parameter, arguments: Mapping[str, Any]) -> Any:
    """Return the argument for a parameter in the form that CuPy takes."""
    if isinstance(parameter, Struct):  # CuPy passes NumPy arrays of one item by value
        return np.frombuffer(parameter.pack(arguments, _address), parameter.record)
    value = arguments[parameter.name]
    if not parameter.is_pointer:
        return SCALARS[parameter.type](value)
    return value if _address(parameter, value) else NOTHING


def _address(parameter: Parameter, array: Any) -> int:
    """Return the address of an array for a parameter, 0 for None."""
    if array is None:
        return 0
    parameter.check(array, array._c_contiguous)  # `flags` would take a microsecond longer
    address: int = array.data.ptr
    return address


@cache
def _bytes_type(size: int) -> np.dtype[np.void]:
    return np.dtype((np.void, size))


@cache
def _team_shape(team: str) -> tuple[int, int, int]:
    """Return the threads and teams per block, and the blocks per team, for a team's C++ type."""
    kind, _, sizes = team.rstrip(">").partition("<")
    count, *more = map(int, sizes.split(","))
    return {
        "gls::Block": (count, 1, 1),
        "gls::Cluster": (count, 1, sum(more)),
        "gls::Warp": (32 * count, count, 1),
        "gls::Thread": (count, count, 1),
    }[kind]


@cache
def _backend(device: int) -> CudaBackend:
    return CudaBackend(device)


def backend_of(device: int | None) -> CudaBackend:
    """Return the backend of a device, by default that of the current device."""
    import cupy

    count = cupy.cuda.runtime.getDeviceCount()
    if device is None:
        device = int(cupy.cuda.Device().id)
    if not 0 <= device < count:
        raise InvalidParameterError(f"device: {device} is not one of the {count} CUDA devices")
    return _backend(device)


def device_of(array: Any) -> int | None:
    """Return the number of the device of an array; None if there is no array."""
    if array is None:
        return None
    from cupy.cuda import Device, runtime

    address = array.__cuda_array_interface__["data"][0]
    return int(runtime.pointerGetAttributes(address).device if address else Device().id)


@contextmanager
def allocating_by(
    allocate: Callable[[int, int], int], free: Callable[[int], object]
) -> Iterator[None]:
    """Take the memory of CuPy's arrays in this thread from another allocator.

    A CUDA graph of torch needs this: CuPy's pool would give the memory of captured work to others.

    Parameters
    ----------
    allocate : callable
        Takes a number of bytes and of a device; returns an address.
    free : callable
        Takes an address.
    """
    import cupy

    allocator = cupy.cuda.PythonFunctionAllocator(allocate, lambda address, device: free(address))
    with cupy.cuda.using_allocator(allocator.malloc):
        yield


def unavailable_reason() -> str | None:
    """Return None if a usable GPU is present, otherwise the reason and the remedy."""
    if importlib.util.find_spec("cupy") is None:
        return f"CuPy is not installed; {INSTALL}"
    if not loads(DRIVER):  # it takes a third of a second to import CuPy
        return NO_DEVICE
    try:
        import cupy
    except ImportError as error:
        return f"CuPy cannot be imported ({error}); reinstall it: {INSTALL}"
    if not cupy.cuda.is_available():
        return NO_DEVICE
    capability = int(cupy.cuda.Device().compute_capability)
    if capability < OLDEST_CAPABILITY:
        return f"the GPU has compute capability {capability / 10}; at least 7.5 is needed"
    return None

"""CUDA backend: composed programs compiled by NVRTC through CuPy and launched on its stream."""

from __future__ import annotations

import atexit
import importlib.util
import itertools
import math
import threading
from contextlib import contextmanager
from functools import cache, partial, wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.base import Backend, repeated
from gpu_ls_plugin.backends.composition import FAULT, NVRTC_OPTIONS
from gpu_ls_plugin.backends.cpu import threads_at_most
from gpu_ls_plugin.backends.structs import Struct
from gpu_ls_plugin.core.budget import compiling
from gpu_ls_plugin.core.exceptions import CompilationError, InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from gpu_ls_plugin.backends.composition import Kernel, Parameter

OLDEST_CAPABILITY = 75
PRIVATE = "_compile_using_nvrtc_no_warning"  # of cupy.cuda.compiler, as of version 14
SCALARS = {"int": np.int32, "gls::int64": np.int64, "gls::uint64": np.uint64, "float": np.float32}
NOTHING = np.uint64(0)
INSTALL = 'pip install "gpu-ls-plugin[cuda13]" (CUDA 13) or "gpu-ls-plugin[cuda12]" (CUDA 12)'


class CudaBackend(Backend):
    """Runs kernels on one GPU, on CuPy's current stream."""

    name = "cuda"

    def __init__(self, device: int) -> None:
        super().__init__()
        import cupy

        _leave_compiling_out()
        self.xp = cupy
        self.device = device
        self._functions: dict[Kernel, tuple[Any, _Fault | None]] = {}
        atexit.register(self._forget)  # modules unload while the driver is still there
        self._attributes = cupy.cuda.Device(device).attributes
        self._preparing = threading.Lock()  # of functions, which all threads share
        self._lanes: dict[int, Any] = {}
        self._allowed = threading.local()

    def current(self) -> AbstractContextManager[Any]:
        """Make the device current in this thread, whose current stream there is then used."""
        device: AbstractContextManager[Any] = self.xp.cuda.Device(self.device)
        return device

    @contextmanager
    def lane(self, number: int, processors: int) -> Iterator[None]:
        """Make a stream the current one of this thread that waits for no other, nor others for it.

        CuPy's pool keeps freed memory for the stream that it was made on: lanes are kept as well.
        """
        with self.current():
            if number not in self._lanes:
                self._lanes[number] = self.xp.cuda.Stream(non_blocking=True)
            before = getattr(self._allowed, "processors", math.inf)
            self._allowed.processors = min(before, processors)
            try:
                # On the host, too, there are others: one of its threads is enough.
                with self._lanes[number] as stream, threads_at_most(1):
                    yield
                    stream.synchronize()
            finally:
                self._allowed.processors = before

    @property
    def processors(self) -> int:
        """Number of multiprocessors, or as many of them as a lane has."""
        count = int(self._attributes["MultiProcessorCount"])
        return int(min(count, getattr(self._allowed, "processors", count)))

    @property
    def shared_memory(self) -> int:
        """Bytes of shared memory that one block may have."""
        return int(self._attributes["MaxSharedMemoryPerBlockOptin"])

    def block(self, threads: int) -> str:
        """Return a team of one block."""
        return f"gls::Block<{threads}>"

    def warp(self, count: int = 4) -> str:
        """Return a team of one warp, `count` to a block."""
        return f"gls::Warp<{count}>"

    def launch(
        self,
        kernel: Kernel,
        count: int,
        arguments: Mapping[str, Any],
        *,
        shared_bytes: int = 0,
        seconds: float = math.inf,
    ) -> bool:
        """Queue a kernel on the current stream; returns at once, unless parts are checked."""
        self.bound(kernel, count, arguments, shared_bytes=shared_bytes)()
        return True

    def bound(
        self, kernel: Kernel, count: int, arguments: Mapping[str, Any], *, shared_bytes: int = 0
    ) -> Callable[[], Any]:
        """Return a function that queues a launch, whose arguments are converted now."""
        with self.current(), self._preparing:
            function, fault = self._function(kernel)
            if shared_bytes > function.max_dynamic_shared_size_bytes:
                function.max_dynamic_shared_size_bytes = shared_bytes
        converted = [_convert(p, arguments) for p in kernel.parameters]
        threads, teams = _team_shape(kernel.team)
        blocks = -(-count // teams)

        numbered = (np.int32(count), *converted)
        launch = partial(function, (blocks,), (threads,), numbered, shared_mem=shared_bytes)
        return partial(self._queue, kernel, launch, fault, arguments)

    def wait(self) -> None:
        """Wait until all work on the device's current stream is done."""
        with self.current():
            self.xp.cuda.get_current_stream().synchronize()

    def address(self, array: Any) -> int:
        """Return where an array begins in the device's memory."""
        return int(array.data.ptr)

    def recorded(self, work: Callable[[], None], times: int) -> Callable[[], None]:
        """Return a function that repeats launches: as a graph, from the second call on."""
        repeat, calls = repeated(work, times), itertools.count()
        graphs: list[Any] = []

        def replay() -> None:
            if next(calls) == 0:  # compiles what a graph cannot
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

    def ahead(self, arrays: Iterable[Any]) -> Iterator[Any]:
        """Copy each array while work on the one before is done, into one of two buffers."""
        cuda, here = self.xp.cuda, self.xp.cuda.get_current_stream()
        copying = cuda.Stream(non_blocking=True)
        buffers: list[Any] = [None, None]
        worked = [here.record(), here.record()]  # on what a buffer holds
        for turn, array in enumerate(arrays):
            if buffers[turn % 2] is None or len(buffers[turn % 2]) < len(array):
                buffers[turn % 2] = self.xp.empty(array.shape, array.dtype)
            copying.wait_event(worked[turn % 2])
            buffer = buffers[turn % 2][: len(array)]
            buffer.set(array, stream=copying)
            here.wait_event(copying.record())
            yield buffer
            worked[turn % 2] = here.record()

    def available_memory(self) -> int:
        """Return the bytes free on the device, those kept by CuPy's pool included."""
        with self.xp.cuda.Device(self.device) as device:
            pool = self.xp.get_default_memory_pool()
            return int(device.mem_info[0]) + int(pool.free_bytes())

    def sure_memory(self) -> int:
        """Return bytes that are there without asking: those that CuPy's pool keeps, for example."""
        return max(super().sure_memory(), int(self.xp.get_default_memory_pool().free_bytes()))

    def adopt(self, array: Any) -> Any:
        """Return an array on a GPU as one of this device, copied if it lies on another."""
        there = device_of(array)
        with self.xp.cuda.Device(there):  # asarray would copy it to the current one
            taken = self.xp.asarray(array)
            if there == self.device:
                return taken
            taken = self.xp.ascontiguousarray(taken)
            self.xp.cuda.get_current_stream().synchronize()  # for which the copy would not wait
        with self.current():
            return taken.copy()

    def to_numpy(self, array: Any) -> Any:
        """Copy an array to the host; waits for the work that makes it."""
        return self.xp.asnumpy(array)

    def _queue(
        self, kernel: Kernel, launch: Callable[[], None], fault: _Fault | None, _kept: Any
    ) -> None:
        """Queue a launch; what its addresses lead to is kept until then."""
        with self.current():
            launch()
            kernel.refuse_fault(fault)

    def _function(self, kernel: Kernel) -> tuple[Any, _Fault | None]:
        """Return a kernel's function, and where its parts leave faults if they are checked."""
        found = self._functions.get(kernel)
        if found is None:
            with compiling():
                found = self._functions[kernel] = self._compile(kernel)
        return found

    def _forget(self) -> None:
        with self.current():
            self._functions.clear()

    def _compile(self, kernel: Kernel) -> tuple[Any, _Fault | None]:
        module = self.xp.RawModule(code=kernel.source, options=NVRTC_OPTIONS, backend="nvrtc")
        try:
            function = module.get_function(kernel.name)
        except self.xp.cuda.compiler.CompileException as error:
            raise CompilationError(f"{kernel.body} does not compile:\n{error}") from error
        if not kernel.checked:
            return function, None
        return function, _Fault(self.xp.ndarray((), "int32", module.get_global(FAULT)))


@cache
def _leave_compiling_out() -> None:
    """Let no clock run while CuPy compiles kernels of its own (no public function can)."""
    from cupy.cuda import compiler

    compile_kernel = getattr(compiler, PRIVATE, None)
    if compile_kernel is None:  # another CuPy: then the first call counts it
        return

    @wraps(compile_kernel)
    def uncounted(*given: Any, **options: Any) -> Any:
        with compiling():
            return compile_kernel(*given, **options)

    setattr(compiler, PRIVATE, uncounted)


class _Fault:
    """The number that a kernel's checked parts leave in the device's memory."""

    def __init__(self, number: Any) -> None:
        self._number = number

    @property
    def value(self) -> int:
        """Waits for the launch."""
        return int(self._number)

    @value.setter
    def value(self, number: int) -> None:
        self._number.fill(number)


def _convert(parameter: Parameter, arguments: Mapping[str, Any]) -> Any:
    """Return what CuPy passes for a parameter."""
    if isinstance(parameter, Struct):  # by value, as all NumPy arrays of one item are
        return np.frombuffer(parameter.pack(arguments, _address), parameter.record)
    value = arguments[parameter.name]
    if not parameter.is_pointer:
        return SCALARS[parameter.type](value)
    return value if _address(parameter, value) else NOTHING


def _address(parameter: Parameter, array: Any) -> int:
    """Return where an array begins that a parameter points to, 0 where there is none."""
    if array is None:
        return 0
    parameter.check(array, array._c_contiguous)  # as its flags say, which take a microsecond
    address: int = array.data.ptr
    return address


@cache
def _team_shape(team: str) -> tuple[int, int]:
    """Return threads per block and teams per block of a team's C++ type."""
    kind, _, size = team.rstrip(">").partition("<")
    count = int(size)
    return {
        "gls::Block": (count, 1),
        "gls::Warp": (32 * count, count),
        "gls::Thread": (count, count),
    }[kind]


@cache
def _backend(device: int) -> CudaBackend:
    return CudaBackend(device)


def backend_of(device: int | None) -> CudaBackend:
    """Return the backend of a device, by default of the current one."""
    import cupy

    count = cupy.cuda.runtime.getDeviceCount()
    if device is None:
        device = int(cupy.cuda.Device().id)
    if not 0 <= device < count:
        raise InvalidParameterError(f"device: {device} is not one of the {count} CUDA devices")
    return _backend(device)


def device_of(array: Any) -> int | None:
    """Return the number of the device that an array on a GPU is on; None for no array."""
    if array is None:
        return None
    from cupy.cuda import Device, runtime

    address = array.__cuda_array_interface__["data"][0]
    return int(runtime.pointerGetAttributes(address).device if address else Device().id)


def unavailable_reason() -> str | None:
    """Return None where a usable GPU is present, else what is missing and how to get it."""
    if importlib.util.find_spec("cupy") is None:
        return f"CuPy is not installed; {INSTALL}"
    try:
        import cupy
    except ImportError as error:
        return f"CuPy cannot be imported ({error}); reinstall it: {INSTALL}"
    if not cupy.cuda.is_available():
        return "no CUDA device or driver was found; install NVIDIA's driver or use backend='cpu'"
    capability = int(cupy.cuda.Device().compute_capability)
    if capability < OLDEST_CAPABILITY:
        return f"the GPU has compute capability {capability / 10}, at least 7.5 is needed"
    return None

"""The compile check: compiles kernels with NVRTC and reads the output of the assembler.

NVRTC and its assembler need no driver, so the check runs without a GPU. For each architecture, it
reports the registers, the shared memory and the spills of each kernel.
"""

from __future__ import annotations

import functools
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.composition import NVRTC_OPTIONS
from gpu_ls_plugin.core.exceptions import (
    BackendUnavailableError,
    CompilationError,
    InvalidParameterError,
    MissingExtraError,
    UnknownPartError,
)
from gpu_ls_plugin.core.origins import error_first
from gpu_ls_plugin.core.registry import near_matches, registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpu_ls_plugin.backends.composition import Kernel

ARCHITECTURES = (75, 80, 90, 100)  # compute capabilities times ten: Turing to Blackwell
# All kernels are compiled for this architecture; for the others, only enough to cover all parts.
MAIN_ARCHITECTURE = 90


@dataclass(frozen=True)
class KernelReport:
    """Resources that a kernel uses on an architecture; sizes are in bytes."""

    kernel: str  # the function's name
    body: str  # its composed C++ type
    arch: int  # compute capability times ten
    registers: int = 0  # per thread
    shared: int = 0  # static, per block
    stack: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    error: str = ""  # why there is no kernel, such as the compiler's output

    @property
    def passed(self) -> bool:
        """Whether the kernel compiles without a spill."""
        return not (self.error or self.spill_stores or self.spill_loads)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a plain dictionary, ready for JSON."""
        return asdict(self) | {"passed": self.passed}


def check(
    kernels: Sequence[Kernel],
    architectures: Iterable[int] = ARCHITECTURES,
    *,
    everything: bool = False,
    workers: int | None = None,
) -> list[KernelReport]:
    """Compile kernels, composed for CUDA, for architectures such as 90, in parallel.

    With `everything`, each kernel is compiled for each architecture. Otherwise, each kernel is
    compiled for sm_90, or for the first architecture if sm_90 is not among them. For the others,
    the check compiles a few kernels that together contain each part at least once. `workers` is the
    number of threads, by default the number of cores.
    """
    archs = tuple(dict.fromkeys(architectures))
    _require_architectures(archs)
    complete = MAIN_ARCHITECTURE if MAIN_ARCHITECTURE in archs else next(iter(archs), None)
    jobs = [
        (kernel, arch)
        for arch in archs
        for kernel in (kernels if everything or arch == complete else cover(kernels))
    ]
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        return list(pool.map(lambda job: compile_kernel(*job), jobs))


def parts(kernel: Kernel) -> set[str]:
    """Return the names of a kernel's parts and of all C++ types in it."""
    return {
        *kernel.parts,
        kernel.name,
        *re.findall(r"[A-Za-z_]\w*", f"{kernel.body} {kernel.team}"),
    }


def holding(kernels: Sequence[Kernel], part: str) -> list[Kernel]:
    """Return the kernels that contain a part; raise, with similar names, if there are none."""
    found = [kernel for kernel in kernels if part in parts(kernel)]
    if found:
        return found
    registered = {known.name for known in registry.parts()}
    if part in registered:
        raise InvalidParameterError(f"part: {part!r} has no kernel of its own")
    known = sorted(registered.union(*map(parts, kernels)))
    raise UnknownPartError(
        f"part: nothing is called {part!r}; {registry.failures()}{near_matches(part, known)}"
        "gpu-ls operators lists the parts of installed packages"
    )


def cover(kernels: Sequence[Kernel]) -> list[Kernel]:
    """Choose kernels greedily until each part is in at least one of them."""
    missing = {part for kernel in kernels for part in parts(kernel)}
    chosen: list[Kernel] = []
    while missing:
        best = max(kernels, key=lambda kernel: len(missing & parts(kernel)))
        chosen.append(best)
        missing -= parts(best)
    return chosen


def compile_kernel(kernel: Kernel, arch: int) -> KernelReport:
    """Compile a kernel for an architecture; return its resources."""
    nvrtc = load_nvrtc()
    failed = KernelReport(kernel.name, kernel.body, arch)
    try:
        source = kernel.source
    except Exception as error:  # raised by a plugin
        return replace(failed, error=repr(error))
    handle = nvrtc.createProgram(source, f"{kernel.name}.cu", [], [])
    options = (f"-arch=sm_{arch}", "--ptxas-options=-v", *NVRTC_OPTIONS, *header_options())
    try:
        nvrtc.compileProgram(handle, options)
        log = nvrtc.getProgramLog(handle)
    except nvrtc.NVRTCError as error:
        text = nvrtc.getProgramLog(handle).strip("\x00 \n") or str(error)
        return replace(failed, error=error_first(text, kernel.source) + text)
    finally:
        nvrtc.destroyProgram(handle)
    usage = parse_log(log).get(kernel.name)
    if usage is None:
        return replace(failed, error="it compiles, but contains no kernel of this name")
    return replace(failed, **usage)


def cubin_of(kernel: Kernel, arch: int) -> bytes:
    """Return the CUDA binary of a kernel for an architecture, as CuPy would compile it."""
    nvrtc = load_nvrtc()
    _require_architectures((arch,))
    handle = nvrtc.createProgram(kernel.source, f"{kernel.name}.cu", [], [])
    try:
        nvrtc.compileProgram(handle, (f"-arch=sm_{arch}", *NVRTC_OPTIONS, *header_options()))
        binary: bytes = nvrtc.getCUBIN(handle)
        return binary
    except nvrtc.NVRTCError as error:
        text = nvrtc.getProgramLog(handle).strip("\x00 \n") or str(error)
        first = error_first(text, kernel.source)
        text = f"{first}{kernel.body} does not compile for sm_{arch}:\n{text}"
        raise CompilationError(text) from error
    finally:
        nvrtc.destroyProgram(handle)


_ENTRY = re.compile(r"Compiling entry function '([^']+)'")
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")


def parse_log(log: str) -> dict[str, dict[str, Any]]:
    """Return the resources of each entry function, from the verbose output of the assembler.

    Functions that are not inlined follow their entry function; their frames and spills are added to
    those of the entry function.
    """
    sections = _ENTRY.split(log)[1:]
    usage = {}
    for kernel, text in zip(sections[::2], sections[1::2], strict=True):
        frames = [[int(number) for number in frame] for frame in _FRAME.findall(text)]
        stack, stores, loads = (sum(frame[column] for frame in frames) for column in range(3))
        usage[kernel] = {
            "registers": max(map(int, _REGISTERS.findall(text)), default=0),
            "shared": max(map(int, _SHARED.findall(text)), default=0),
            "stack": stack,
            "spill_stores": stores,
            "spill_loads": loads,
        }
    return usage


def _require_architectures(architectures: Sequence[int]) -> None:
    supported = load_nvrtc().getSupportedArchs()
    for arch in architectures:
        if arch not in supported:
            known = ", ".join(map(str, supported))
            raise InvalidParameterError(f"arch: this NVRTC does not know sm_{arch}; known: {known}")


@functools.cache
def load_nvrtc() -> Any:
    """Return CuPy's bindings of NVRTC; raise if the library is missing."""
    remedy = 'pip install "gpu-ls-plugin[cuda13]"'
    try:
        from cupy.cuda import nvrtc
    except ImportError as error:
        raise MissingExtraError(f"the compile check needs CuPy and NVRTC: {remedy}") from error
    try:
        nvrtc.getVersion()
    except Exception as error:
        raise BackendUnavailableError(f"CuPy finds no NVRTC ({error}): {remedy}") from error
    return nvrtc


@functools.cache
def header_options() -> tuple[str, ...]:
    """Return the options that name CuPy's CUDA headers (there is no public function)."""
    from cupy._core.core import assemble_cupy_compiler_options

    return tuple(assemble_cupy_compiler_options(()))

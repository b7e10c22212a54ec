"""Compile every listed program with NVRTC, without a GPU, and read what the assembler says.

NVRTC and its assembler need no driver, so that a machine without a GPU can tell for every
architecture whether a kernel compiles, and with how many registers, how much shared memory and
how many spills.
"""

from __future__ import annotations

import functools
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.exceptions import (
    BackendUnavailableError,
    InvalidParameterError,
    MissingExtraError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpu_ls_plugin.backends.composition import Instantiation

ARCHITECTURES = (75, 80, 90, 100)
MAIN_ARCHITECTURE = 90


@dataclass(frozen=True)
class KernelReport:
    """What one kernel of one program needs on one architecture.

    `registers` are per thread; `shared` (static, per block), `stack`, `spill_stores` and
    `spill_loads` are bytes. `error` is the compiler's output where there is no kernel.
    """

    program: str
    kernel: str
    arch: int
    registers: int = 0
    shared: int = 0
    stack: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    error: str = ""

    @property
    def passed(self) -> bool:
        """Whether the kernel compiles without a spill."""
        return not (self.error or self.spill_stores or self.spill_loads)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a plain dictionary, ready for JSON."""
        return asdict(self) | {"passed": self.passed}


def check(
    programs: Sequence[Instantiation],
    architectures: Iterable[int] = ARCHITECTURES,
    *,
    everything: bool = False,
    workers: int | None = None,
) -> list[KernelReport]:
    """Compile programs for several architectures, in parallel.

    Parameters
    ----------
    programs : sequence of Instantiation
        What to compile; names must differ.
    architectures : iterable of int
        Compute capabilities times ten, such as 90.
    everything : bool
        Compile every program for every architecture. By default every program is compiled for
        sm_90 (for the first architecture, where sm_90 is not among them) and the others get as
        few programs as hold every part at least once.
    workers : int, optional
        Threads; the number of processors by default (NVRTC works outside the interpreter lock).

    Returns
    -------
    list of KernelReport
        One row for each kernel and architecture, or for each program that does not compile.

    Raises
    ------
    InvalidParameterError
        The installed NVRTC does not know an architecture.
    MissingExtraError, BackendUnavailableError
        CuPy is not installed, or finds no NVRTC library.
    """
    archs = tuple(dict.fromkeys(architectures))
    _require_architectures(archs)
    complete = MAIN_ARCHITECTURE if MAIN_ARCHITECTURE in archs else next(iter(archs), None)
    jobs = [
        (program, arch)
        for arch in archs
        for program in (programs if everything or arch == complete else cover(programs))
    ]
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        rows = pool.map(lambda job: compile_program(*job), jobs)
        return [row for program_rows in rows for row in program_rows]


def cover(programs: Sequence[Instantiation]) -> list[Instantiation]:
    """Choose programs, greedily, until every part is in at least one of them."""
    missing = {part for program in programs for part in program.parts}
    chosen: list[Instantiation] = []
    while missing:
        best = max(programs, key=lambda program: len(missing.intersection(program.parts)))
        chosen.append(best)
        missing.difference_update(best.parts)
    return chosen


def compile_program(program: Instantiation, arch: int) -> list[KernelReport]:
    """Compile one program for one architecture and report on each of its kernels."""
    nvrtc = _nvrtc()
    source = program.source("cuda")
    handle = nvrtc.createProgram(source, f"{program.name}.cu", [], [])
    options = (f"-arch=sm_{arch}", "--ptxas-options=-v", *program.options, *_header_options())
    try:
        nvrtc.compileProgram(handle, options)
        log = nvrtc.getProgramLog(handle)
    except nvrtc.NVRTCError as error:
        text = nvrtc.getProgramLog(handle).strip("\x00 \n") or str(error)
        return [KernelReport(program.name, "", arch, error=text)]
    finally:
        nvrtc.destroyProgram(handle)
    found = {row.kernel: row for row in parse_log(log, program.name, arch)}
    absent = "the program compiles, but holds no kernel of this name"
    lost = [name for name in program.kernels if name not in found]
    return [*found.values(), *(KernelReport(program.name, k, arch, error=absent) for k in lost)]


_ENTRY = re.compile(r"Compiling entry function '([^']+)'")
_FRAME = re.compile(
    r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads",
)
_REGISTERS = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")


def parse_log(log: str, program: str, arch: int) -> list[KernelReport]:
    """Read the verbose output of the assembler: one row for each entry function.

    Functions that were not inlined are listed below the entry that was compiled before them;
    their frames and spills are counted as its own.
    """
    sections = _ENTRY.split(log)[1:]
    rows = []
    for kernel, text in zip(sections[::2], sections[1::2], strict=True):
        frames = [[int(number) for number in frame] for frame in _FRAME.findall(text)]
        stack, stores, loads = (sum(frame[column] for frame in frames) for column in range(3))
        registers = max(map(int, _REGISTERS.findall(text)), default=0)
        shared = max(map(int, _SHARED.findall(text)), default=0)
        rows.append(KernelReport(program, kernel, arch, registers, shared, stack, stores, loads))
    return rows


def _require_architectures(architectures: Sequence[int]) -> None:
    supported = _nvrtc().getSupportedArchs()
    for arch in architectures:
        if arch not in supported:
            known = ", ".join(map(str, supported))
            raise InvalidParameterError(f"arch: this NVRTC does not compile for sm_{arch}; {known}")


@functools.cache
def _nvrtc() -> Any:
    """CuPy's NVRTC bindings, checked to find the library."""
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
def _header_options() -> tuple[str, ...]:
    """Where CuPy keeps the CUDA headers (no public function says so)."""
    from cupy._core.core import assemble_cupy_compiler_options

    return tuple(assemble_cupy_compiler_options(()))

"""The compile check: what it reads, what it chooses, and that spills and errors fail it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from gpu_ls_plugin.backends import compile_check
from gpu_ls_plugin.backends.compile_check import KernelReport, check, cover, parse_log
from gpu_ls_plugin.exceptions import GpuLsError, InvalidParameterError

LOG = """
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'climb' for 'sm_75'
ptxas info    : Function properties for climb
ptxas         .     2416 bytes stack frame, 2436 bytes spill stores, 2504 bytes spill loads
ptxas info    : Function properties for helper
ptxas         .     16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 64 registers, used 0 barriers, 2416 bytes cumulative stack size
ptxas info    : Compiling entry function 'kick' for 'sm_75'
ptxas info    : Function properties for kick
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 1 barriers, 1024 bytes smem, 364 bytes cmem[0]
"""


@dataclass(frozen=True)
class Program:
    """A program given by its text."""

    name: str
    parts: tuple[str, ...] = ()
    text: str = ""
    kernels: tuple[str, ...] = ("kernel",)
    options: tuple[str, ...] = ()

    def source(self, backend: str = "cuda") -> str:
        assert backend == "cuda"
        return self.text


SHARED = Program(
    "shared",
    ("metric",),
    text="""extern "C" __global__ void kernel(float* x) {
      __shared__ float s[256];
      s[threadIdx.x] = x[threadIdx.x];
      __syncthreads();
      x[threadIdx.x] = s[255 - threadIdx.x];
    }""",
)
SPILLS = Program(
    "spills",
    text="""extern "C" __global__ void __launch_bounds__(1024, 2) kernel(double* x) {
      double v[64];
      #pragma unroll
      for (int i = 0; i < 64; ++i) v[i] = x[i * 1024 + threadIdx.x];
      __syncthreads();
      #pragma unroll
      for (int i = 0; i < 64; ++i) x[i * 1024 + threadIdx.x] = v[i] * v[(i * 7 + 3) % 64];
    }""",
)
WRONG = Program("wrong", text='extern "C" __global__ void kernel() { no_such_name(); }')
ABSENT = Program("absent", text=SHARED.text, kernels=("kernel", "other"))


@pytest.fixture
def nvrtc() -> None:
    """Skip where CuPy or its NVRTC is not installed."""
    try:
        compile_check._nvrtc()
    except GpuLsError as error:
        pytest.skip(str(error))


def test_the_log_of_the_assembler() -> None:
    assert parse_log(LOG, "program", 75) == [
        KernelReport("program", "climb", 75, 64, 0, 2432, 2440, 2512),
        KernelReport("program", "kick", 75, 12, 1024),
    ]
    assert [row.passed for row in parse_log(LOG, "program", 75)] == [False, True]
    assert parse_log("", "program", 75) == []
    short = "Compiling entry function 'kick' for 'sm_75'\nUsed 12 registers"
    assert parse_log(short, "program", 75) == [KernelReport("program", "kick", 75, 12)]


def test_cover_holds_every_part() -> None:
    programs = [
        Program("a", ("x", "u")),
        Program("b", ("x", "v", "w")),
        Program("c", ("y", "v")),
        Program("d", ("y", "u")),
    ]
    chosen = cover(programs)
    assert {part for program in chosen for part in program.parts} == set("xyuvw")
    assert len(chosen) == 2
    assert cover([]) == []


@pytest.mark.usefixtures("nvrtc")
def test_registers_and_shared_memory_of_every_architecture() -> None:
    rows = check([SHARED])
    assert [row.arch for row in rows] == list(compile_check.ARCHITECTURES)
    assert all(row.passed and row.kernel == "kernel" for row in rows)
    assert all(row.registers > 0 and row.shared == 1024 for row in rows)


@pytest.mark.usefixtures("nvrtc")
def test_spills_errors_and_absent_kernels_fail() -> None:
    (spills,) = check([SPILLS], [90])
    assert spills.spill_stores > 0 and not spills.passed
    (wrong,) = check([WRONG], [90])
    assert "no_such_name" in wrong.error and not wrong.passed
    present, absent = check([ABSENT], [90])
    assert present.passed and not absent.passed
    assert absent.kernel == "other"


@pytest.mark.usefixtures("nvrtc")
def test_other_architectures_get_every_part_once() -> None:
    other = Program("other", ("p",), SHARED.text)
    both = Program("both", ("p", "q"), SHARED.text)
    rows = check([other, both], (75, 90))
    assert [(row.program, row.arch) for row in rows] == [("both", 75), ("other", 90), ("both", 90)]
    assert len(check([other, both], (75, 90), everything=True)) == 4


@pytest.mark.usefixtures("nvrtc")
def test_unknown_architecture() -> None:
    with pytest.raises(InvalidParameterError, match="sm_70"):
        check([SHARED], [70])

"""The compile check: the log of the assembler, the choice of kernels, and failures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import compile_check
from gpu_ls_plugin.backends.compile_check import (
    KernelReport,
    check,
    cover,
    holding,
    parse_log,
    parts,
)
from gpu_ls_plugin.cli import reports
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnknownPartError
from gpu_ls_plugin.core.registry import Part, registry
from gpu_ls_plugin.plugins.instantiations import ENGINES, instantiations

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
    """A kernel with a given source."""

    source: str = ""
    body: str = "Body"
    parts: tuple[str, ...] = ()
    name: str = "kernel"
    team: str = ""


SHARED = Program(
    """extern "C" __global__ void kernel(float* x) {
      __shared__ float s[256];
      s[threadIdx.x] = x[threadIdx.x];
      __syncthreads();
      x[threadIdx.x] = s[255 - threadIdx.x];
    }"""
)
SPILLS = Program(
    """extern "C" __global__ void __launch_bounds__(1024, 2) kernel(double* x) {
      double v[64];
      #pragma unroll
      for (int i = 0; i < 64; ++i) v[i] = x[i * 1024 + threadIdx.x];
      __syncthreads();
      #pragma unroll
      for (int i = 0; i < 64; ++i) x[i * 1024 + threadIdx.x] = v[i] * v[(i * 7 + 3) % 64];
    }"""
)
WRONG = Program('extern "C" __global__ void kernel() { no_such_name(); }')


def test_the_log_of_the_assembler() -> None:
    usage = parse_log(LOG)
    assert list(usage) == ["climb", "kick"]
    assert list(usage["climb"].values()) == [64, 0, 2432, 2440, 2512]
    assert list(usage["kick"].values()) == [12, 1024, 0, 0, 0]
    assert parse_log("") == {}
    short = "Compiling entry function 'kick' for 'sm_75'\nUsed 12 registers"
    assert parse_log(short)["kick"]["registers"] == 12


@pytest.mark.parametrize("wrong", [{"spill_stores": 4}, {"spill_loads": 4}, {"error": "no"}])
def test_spills_and_errors_fail(wrong: dict[str, Any]) -> None:
    fine = KernelReport("kernel", "Body", 90, registers=200, shared=5, stack=8)
    assert fine.passed and not replace(fine, **wrong).passed


def test_cover_holds_every_part() -> None:
    kernels = [
        Program(body="A<X, U>"),
        Program(body="A<X, V, W>", team="Block<64>"),
        Program(body="A<Y, V>"),
        Program(body="A<Y, U>", parts=("extra",)),
    ]
    chosen = cover(kernels)
    assert chosen == [kernels[1], kernels[3]]
    everything = {"A", "X", "U", "V", "W", "Y", "Block", "extra", "kernel"}
    assert set().union(*map(parts, chosen)) == everything
    assert cover([]) == []


LISTED = instantiations()
# Parts that work on the host, or consist of other parts.
NO_KERNEL = {
    *(f"candidates:{name}" for name in ("all", "nearest", "quadrant", "alpha", "detour")),
    *(f"candidates:{name}" for name in ("union", "closure")),
    "construction:one_route_each",
    "construction:random_sequences",
    "construction:space_filling_curve",
    "cooperation:merging",
    *(f"domain:{name}" for name in ("tours", "routes", "assignment", "sequences")),
    "cooperation:migration",
    "cooperation:priced_migration",
    "heuristic:expression",
    "objective:length",
    "search:decomposed",
    "search:hybrid_genetic_search",
    "search:symmetrised",
}


@pytest.mark.parametrize("part", list(registry.parts()), ids=lambda p: f"{p.kind}:{p.name}")
def test_each_part_is_found_or_has_no_kernel(part: Part) -> None:
    if f"{part.kind}:{part.name}" in NO_KERNEL:
        with pytest.raises(InvalidParameterError, match=f"'{part.name}' has no kernel of its own"):
            holding(LISTED, part.name)
    else:
        assert holding(LISTED, part.name)


@pytest.mark.parametrize(
    ("name", "near"),
    [("nonsense", ""), ("double_brige", "did you mean 'double_bridge'"), ("Euc2d", "'Euc2D'")],
)
def test_a_part_that_does_not_exist_is_an_error(name: str, near: str) -> None:
    with pytest.raises(UnknownPartError, match=f"part: nothing is called '{name}'; .*{near}"):
        holding(LISTED, name)


def test_the_listing_contains_each_part_and_is_short() -> None:
    listed = LISTED
    # Each crossover of pairs has a kernel. Eight kernels are for rows with their own weights,
    # eleven for constructions of routes, two for their kicks, two for chains on linked lists, four
    # for descents on them, four for resources of routes, eighteen for moves of routes, with and
    # without SWAP*, four for crossovers of routes, two for stretches of giant tours that are
    # computed ahead, three for samplers of successors, three for their heuristics, seven for
    # searches on states, and fourteen for many problems of routes at once. A metric has five,
    # sequences have 33, tensors fourteen, crossings of many instances two, and long tours one.
    assert 50 < len(listed) <= 265
    assert len(set(listed)) == len(listed)
    assert set(ENGINES) <= {kernel.name for kernel in listed}
    functors = {part.factory().functor for part in registry.parts("acceptance")}
    cuts = {gls.DoubleBridge().cuts, gls.DoubleBridge(walk=5).cuts}
    bodies = " ".join(kernel.body for kernel in listed if kernel.name == "chain")
    scopes = {"gls::WholeTour", "gls::TourPart", "gls::OwnInstance"}
    for wanted in functors | cuts | scopes | {"gls::GlobalMemory", "OnGrid<gls::Euc2D, true>"}:
        assert wanted in bodies, wanted
    assert {"chain", "make_part", "multi_descent", "unroll_part", "write_piece"} <= {
        k.name for k in listed
    }
    blocks = {kernel.blocks_per_multiprocessor for kernel in listed if kernel.name == "chain"}
    assert blocks == {1, 2}


@pytest.mark.usefixtures("nvrtc")
def test_registers_and_shared_memory_of_every_architecture() -> None:
    rows = check([SHARED])
    assert [row.arch for row in rows] == list(compile_check.ARCHITECTURES)
    assert all(row.passed and row.kernel == "kernel" for row in rows)
    assert all(row.registers > 0 and row.shared == 1024 for row in rows)


@pytest.mark.usefixtures("nvrtc")
def test_errors_spills_and_missing_kernels_fail() -> None:
    spills, wrong, absent = check([SPILLS, WRONG, replace(SHARED, name="other")], [90])
    assert spills.spill_stores > 0 and not spills.passed
    assert "no_such_name" in wrong.error and not wrong.passed
    assert absent.kernel == "other" and not absent.passed


@pytest.mark.usefixtures("nvrtc")
def test_other_architectures_get_each_part_once() -> None:
    kernels = [replace(SHARED, body="A<P>"), replace(SHARED, body="A<P, Q>")]
    rows = check(kernels, (75, 90))
    assert [(row.body, row.arch) for row in rows] == [
        ("A<P, Q>", 75),
        ("A<P>", 90),
        ("A<P, Q>", 90),
    ]
    assert len(check(kernels, (75, 90), everything=True)) == 4


@pytest.mark.usefixtures("nvrtc")
def test_unknown_architecture() -> None:
    with pytest.raises(InvalidParameterError, match="sm_70"):
        check([SHARED], [70])


def test_an_error_that_kernels_share_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    failed = KernelReport("climb", "Climb<Mine>", 75, error="mine.cuh(1): error: x\nin climb")
    other = KernelReport("kick", "Kick<Other>", 90, error="other.cuh(1): error: y\nin kick")
    reports.print_kernels([failed, replace(failed, arch=90, error="mine.cuh(1): error: x"), other])
    out = capsys.readouterr().out
    assert out.count("mine.cuh(1): error: x") == out.count("in climb") == out.count("in kick") == 1
    assert "The same error: climb for sm_90\n" in out and "3 kernels, 3 failed" in out

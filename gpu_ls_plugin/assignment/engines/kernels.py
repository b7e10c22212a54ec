"""Composition of the kernels that search states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.backends.composition import Kernel, Parameter, parse_parameters
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core.origins import sources_of

if TYPE_CHECKING:
    from gpu_ls_plugin.assignment.problem.assignment import Assignment

RELEASE = "assignment/engines/release.cuh"
RULES = {
    "random": "gls::RandomRelease",
    "worst": "gls::WorstRelease",
    "related": "gls::RelatedRelease",
}


def release_kernel(problem: Assignment, rule: str, team: str) -> Kernel:
    """Compose the kernel that releases variables; each team handles one state."""
    body = f"gls::ReleaseVariables<{problem.functor()}, {RULES[rule]}, {flag(problem.distinct)}>"
    batch = struct_of(RELEASE, "ReleaseBatch")
    return composed("release", RELEASE, (batch,), body, problem, team)


def flag(is_so: bool) -> str:
    """Return a Boolean as a C++ literal."""
    return str(is_so).lower()


def composed(
    name: str,
    header: str,
    batches: tuple[Parameter, ...],
    body: str,
    problem: Assignment,
    team: str,
) -> Kernel:
    """Compose a kernel with the problem's functor."""
    return Kernel(
        name=name,
        header=header,
        body=body,
        parameters=(*batches, *parse_parameters("const gls::uint64* problem_words")),
        team=team,
        functors=sources_of(problem),
        headers=tuple(filter(None, ["assignment/problem/assignment.cuh", problem.header])),
        parts=(type(problem).__name__, name, "successor_search"),
    )

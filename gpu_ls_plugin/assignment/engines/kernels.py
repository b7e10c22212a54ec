"""The kernels of a search on states of assignment problems, and how its memory is laid out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.assignment.successors.layouts import MEMORIES
from gpu_ls_plugin.backends.composition import Kernel, Parameter, parse_parameters
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.backends.tuning import BLOCK_OVERHEAD, padded
from gpu_ls_plugin.core.origins import sources_of

if TYPE_CHECKING:
    from gpu_ls_plugin.assignment.problem.assignment import Assignment
    from gpu_ls_plugin.backends.base import Backend

RELEASE = "assignment/engines/release.cuh"
RULES = {
    "random": "gls::RandomRelease",
    "worst": "gls::WorstRelease",
    "related": "gls::RelatedRelease",
}

LEAST_RESIDENT = 2  # states of a multiprocessor, or what is kept lies elsewhere


def release_kernel(problem: Assignment, rule: str, team: str) -> Kernel:
    """Compose the release of some variables of one state per team."""
    body = f"gls::ReleaseVariables<{problem.functor()}, {RULES[rule]}, {flag(problem.distinct)}>"
    return composed("release", RELEASE, struct_of(RELEASE, "ReleaseBatch"), body, problem, team)


def flag(is_so: bool) -> str:
    """Return a truth value as C++ writes it."""
    return str(is_so).lower()


def composed(
    name: str, header: str, batch: Parameter, body: str, problem: Assignment, team: str
) -> Kernel:
    """Compose a kernel of the problem's functor."""
    return Kernel(
        name=name,
        header=header,
        body=body,
        parameters=(batch, *parse_parameters("const gls::uint64* problem_words")),
        team=team,
        functors=sources_of(problem),
        headers=tuple(filter(None, ["assignment/problem/assignment.cuh", problem.header])),
        parts=(type(problem).__name__, name, "successor_search"),
    )


@dataclass(frozen=True)
class Layout:
    """Who searches a state, and where what the problem's functor keeps of it lies."""

    team: str  # C++ type
    kept_bytes: int  # of a state
    shared_bytes: int  # of a block; 0 where what is kept lies in the device's memory
    resident: int  # states that a multiprocessor has at a time

    @property
    def memory(self) -> str:
        """Where what is kept lies, as a C++ type."""
        return MEMORIES[self.shared_bytes > 0]

    @classmethod
    def of(cls, backend: Backend, problem: Assignment, team: str, resident: int) -> Layout:
        """Lay out the search of a problem; so many states share a multiprocessor, if they fit."""
        kept, room = padded(problem.kept_bytes()), backend.shared_memory
        shared = kept if kept <= room // LEAST_RESIDENT else 0
        if shared:
            resident = min(resident, room // (shared + BLOCK_OVERHEAD))
        return cls(team, kept, shared, resident)

    def bytes_per_state(self, m: int, most: int) -> int:
        """Return the memory of a state in bytes, with those that it is released into."""
        return 8 * m + 4 * most + 5 * 4 * m + self.kept_bytes + 128

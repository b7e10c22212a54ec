"""The kernels of a search on states of assignment problems, and how its memory is laid out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.tours.tour_layouts import padded

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.assignment import Assignment

TABU, RELEASE = "searches/successors/tabu.cuh", "searches/successors/release.cuh"
BATCHES = {TABU: struct_of(TABU, "TabuBatch"), RELEASE: struct_of(RELEASE, "ReleaseBatch")}
RULES = {
    "random": "gls::RandomRelease",
    "worst": "gls::WorstRelease",
    "related": "gls::RelatedRelease",
}
LANES = 256
RESIDENT = 2  # blocks of a multiprocessor between which shared memory is divided


def tabu_kernel(problem: Assignment, team: str) -> Kernel:
    """Compose the steps of one state per team."""
    moves = (_flag(kind in problem.moves) for kind in ("assign", "swap"))
    body = f"gls::TabuSearch<{', '.join((problem.functor(), _flag(problem.distinct), *moves))}>"
    return _kernel("tabu", TABU, body, problem, team)


def release_kernel(problem: Assignment, rule: str, team: str) -> Kernel:
    """Compose the release of some variables of one state per team."""
    parts = (problem.functor(), RULES[rule], _flag(problem.distinct))
    return _kernel("release", RELEASE, f"gls::ReleaseVariables<{', '.join(parts)}>", problem, team)


def _flag(is_so: bool) -> str:
    return str(is_so).lower()


def _kernel(name: str, header: str, body: str, problem: Assignment, team: str) -> Kernel:
    return Kernel(
        name=name,
        header=header,
        body=body,
        parameters=(BATCHES[header], *parse_parameters("const gls::uint64* problem_words")),
        team=team,
        functors=tuple(filter(None, [problem.source()])),
        headers=tuple(filter(None, ["problems/assignment.cuh", problem.header])),
        parts=(type(problem).__name__, name, "successor_search"),
    )


@dataclass(frozen=True)
class Layout:
    """Who searches a state, and where what the problem's functor keeps of it lies.

    Attributes
    ----------
    team : str
        C++ type.
    kept_bytes : int
        Of a state.
    shared_bytes : int
        Of a block; 0 where what is kept lies in the device's memory.
    """

    team: str
    kept_bytes: int
    shared_bytes: int

    @classmethod
    def of(cls, backend: Backend, problem: Assignment) -> Layout:
        """Lay out the search of a problem."""
        kept = padded(problem.kept_bytes())
        shared = kept if kept <= backend.shared_memory // RESIDENT else 0
        return cls(backend.block(LANES), kept, shared)

    def bytes_per_state(self, m: int, most: int) -> int:
        """Return the memory of a state in bytes, with those that it is released into."""
        return 4 * m * most + 8 * m + 4 * most + 6 * 4 * m + self.kept_bytes + 128

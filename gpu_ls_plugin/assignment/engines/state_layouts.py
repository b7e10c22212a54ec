"""The team that searches a state, and the memory of the state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.assignment.successors.layouts import MEMORIES
from gpu_ls_plugin.backends.tuning import BLOCK_OVERHEAD, padded

if TYPE_CHECKING:
    from gpu_ls_plugin.assignment.engines.improvements import Improvement
    from gpu_ls_plugin.assignment.problem.assignment import Assignment
    from gpu_ls_plugin.backends.base import Backend

# Shared memory is used only if it can hold the data of this many states, or of all states that a
# multiprocessor searches.
LEAST_RESIDENT = 2
OF_TEAM = 4096  # maximum number of bytes of shared memory that a team needs for itself


@dataclass(frozen=True)
class Layout:
    """The team that searches a state, and the memory of the functor's data."""

    team: str  # C++ type
    kept_bytes: int  # how many bytes of data the functor keeps for a state
    shared_bytes: int  # shared memory of a block in bytes; 0 if the data are in device memory
    resident: int  # how many states a multiprocessor searches at a time

    @property
    def memory(self) -> str:
        """The C++ type of the memory that holds the data."""
        return MEMORIES[self.shared_bytes > 0]

    @classmethod
    def of(cls, backend: Backend, problem: Assignment, improvement: Improvement) -> Layout:
        """Return the layout of a search.

        If steps read whole tables, a GPU searches as many states at a time as its cache holds:
        fewer states then make more steps in all.
        """
        kept, room = padded(problem.kept_bytes()), backend.shared_memory
        resident, few_fit = improvement.resident, kept <= room // LEAST_RESIDENT
        if backend.cache and improvement.reads_tables:
            own = improvement.state_bytes(problem.n, int(problem.sizes.max()))
            own += 0 if few_fit else kept
            resident = min(resident, max(1, backend.cache // (backend.processors * own)))
        shared = kept if few_fit or (resident == 1 and kept <= room - OF_TEAM) else 0
        if shared:
            resident = min(resident, max(1, room // (shared + BLOCK_OVERHEAD)))
        return cls(improvement.team(backend, resident), kept, shared, resident)

    def bytes_per_state(self, m: int, most: int) -> int:
        """Return how many bytes a state and its successor need."""
        return 8 * m + 4 * most + 5 * 4 * m + self.kept_bytes + 128

"""Who generates a successor, and how its memory is laid out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.backends.tuning import BLOCK_OVERHEAD, padded

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend

# Lanes of a team by the most values that it has to weigh for a variable; before, a warp.
BLOCKS = ((256, 64), (2048, 128), (2**14, 256), (2**18, 1024))
SIDE_BY_SIDE = 4  # blocks that a multiprocessor must have shared memory for, or none is used
LANES_HEADER = "assignment/successors/side_by_side.cuh"
MEMORIES = ("gls::ScratchMemory", "gls::BlockMemory")
LANES = constant(LANES_HEADER, "kSideBySide")
MOST_IN_LANES = constant(LANES_HEADER, "kMostInLanes")  # values
SUM_BYTES = constant(LANES_HEADER, "kSumBytes")  # of a lane for four values
SCRATCH = 2**31  # bytes of a launch: more successors at once are not generated faster


def team(backend: Backend, most: int) -> str:
    """Return the C++ type of the team of one successor whose variables have up to `most` values."""
    threads = [lanes for least, lanes in BLOCKS if most > least]
    return backend.block(threads[-1]) if threads else backend.warp()


def in_shared_memory(backend: Backend, team: str, own_bytes: int) -> bool:
    """Return whether what a sampler stores lies in the shared memory of its block."""
    whole = SIDE_BY_SIDE * (own_bytes + BLOCK_OVERHEAD)
    return team.startswith("gls::Block") and own_bytes > 0 and whole <= backend.shared_memory


@dataclass(frozen=True)
class Scratch:
    """Memory of a successor that is being generated, in bytes, behind what is kept of the state."""

    draws_begin: int  # random numbers
    order_begin: int
    sampler_begin: int
    size: int

    @classmethod
    def of(cls, kept: int, draws: int, order: int, sampler: int) -> Scratch:
        """Lay out what the heuristic keeps, and what draws, order and sampler need."""
        draws_begin = padded(kept)
        order_begin = draws_begin + padded(draws)
        sampler_begin = order_begin + padded(order)
        return cls(draws_begin, order_begin, sampler_begin, sampler_begin + padded(sampler))

    @classmethod
    def of_lanes(cls, kept: int, m: int, most: int) -> Scratch:
        """Lay out what states side by side need: values take the place of an order's memory."""
        return cls.of(LANES * kept, 0, (2 * LANES + 1) * m, LANES * SUM_BYTES * -(-most // 4))

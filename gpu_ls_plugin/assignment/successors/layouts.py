"""The team that generates a successor, and the layout of its memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.backends.tuning import BLOCK_OVERHEAD, padded

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend

# Pairs (values, lanes): if a variable has more than `values` values, the team is a block of `lanes`
# lanes. The last pair that applies counts; if none applies, the team is a warp. See
# docs/lab/kernels-states-and-sequences.md, "Successors of assignments".
BLOCKS = ((256, 64), (2048, 128), (2**14, 256), (2**18, 1024))
LEAST_BLOCKS = 4  # shared memory is used for ratings only if those of this many blocks fit in
LANES_HEADER = "assignment/successors/side_by_side.cuh"
MEMORIES = ("gls::ScratchMemory", "gls::BlockMemory")  # device memory, shared memory
LANES = constant(LANES_HEADER, "kSideBySide")
MOST_IN_LANES = constant(LANES_HEADER, "kMostInLanes")  # maximum number of values per variable
SUM_BYTES = constant(LANES_HEADER, "kSumBytes")  # size in bytes of one lane's sums for four values
SCRATCH = 2**31  # maximum number of bytes of scratch memory per launch


def team(backend: Backend, most: int) -> str:
    """Return the C++ type of the team if variables have up to `most` values."""
    threads = [lanes for least, lanes in BLOCKS if most > least]
    return backend.block(threads[-1]) if threads else backend.warp()


def in_shared_memory(backend: Backend, team: str, own_bytes: int) -> bool:
    """Return whether the `own_bytes` bytes of a team's sampler are kept in shared memory."""
    whole = LEAST_BLOCKS * (own_bytes + BLOCK_OVERHEAD)
    return team.startswith("gls::Block") and own_bytes > 0 and whole <= backend.shared_memory


@dataclass(frozen=True)
class Scratch:
    """Memory of an item, in bytes: the heuristic's data, then three parts at these offsets."""

    draws_begin: int  # random numbers
    order_begin: int  # the order of variables
    sampler_begin: int  # stored ratings
    size: int

    @classmethod
    def of(cls, kept: int, draws: int, order: int, sampler: int) -> Scratch:
        """Return a layout of parts with these sizes in bytes."""
        draws_begin = padded(kept)
        order_begin = draws_begin + padded(draws)
        sampler_begin = order_begin + padded(order)
        return cls(draws_begin, order_begin, sampler_begin, sampler_begin + padded(sampler))

    @classmethod
    def of_lanes(cls, kept: int, m: int, most: int) -> Scratch:
        """Return a layout for states side by side; the part for the order holds their values."""
        return cls.of(LANES * kept, 0, (2 * LANES + 1) * m, LANES * SUM_BYTES * -(-most // 4))

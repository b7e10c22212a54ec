"""Launch layouts of chains on whole tours, and of chains on parts of tours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.tuning import LARGEST_SHORT, padded
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.tours.kernels.tour_layouts import (
    LARGE_LANES,
    ONE_BLOCK,
    ChainNeeds,
    ChainShape,
    first_fitting,
    warp_bytes,
)

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend

LONGEST_WHOLE = 12_000  # maximum number of cities; longer tours are searched in parts
SECONDS_PER_KICK = {"cuda": 5e-6, "cpu": 5e-5}  # upper bounds on the time of a kick and its repair
# Warps per block and blocks per multiprocessor, by how many registers the moves need; the first
# pair that fits is used. Chains on parts need a few more registers than chains on whole tours.
PART_WARPS = {
    "few": ((12, 2), (10, 2), (18, 1), *ONE_BLOCK),
    "some": ONE_BLOCK,
    "many": ONE_BLOCK[2:],
    "most": ONE_BLOCK[5:],
}
CHAIN_WARPS = {**PART_WARPS, "few": ((16, 2), (14, 2), *PART_WARPS["few"])}


def first_kicks(backend: Backend, chains: int) -> int:
    """Return a number of kicks for the first launch, before the time of a kick is known."""
    turns = -(-chains // backend.processors)
    return max(1, int(tuning.LAUNCH_SECONDS / (SECONDS_PER_KICK[backend.name] * turns)))


def part_bytes(n: int, needs: ChainNeeds) -> int:
    """Return how many bytes of shared memory a chain on a part needs, including sites and mates."""
    return warp_bytes(n, needs) + padded(n * needs.site_bytes) + padded(2 * n)


@dataclass(frozen=True)
class PartShape(ChainShape):
    """The layout of chains on parts."""

    def shared_bytes(self, n: int) -> int:
        return self.teams * part_bytes(n, self.needs)


def chain_shape(n: int, tours: int, shared_memory: int, needs: ChainNeeds) -> ChainShape:
    """Return the layout of chains on n cities, with `tours` chains per multiprocessor."""
    layouts = [(w, b) for w, b in CHAIN_WARPS[needs.registers] if w * b <= max(1, tours)]
    fitting = first_fitting(layouts, warp_bytes(n, needs), shared_memory)
    if fitting is None or n > LARGEST_SHORT:
        return ChainShape(f"gls::Block<{LARGE_LANES}>", LARGE_LANES, 1, False, False)
    warps, blocks, left = fitting
    beside = padded(n * needs.site_bytes) <= left
    return ChainShape(f"gls::Warp<{warps}>", 32, warps, True, beside, blocks, needs)


def part_shape(n: int, shared_memory: int, needs: ChainNeeds) -> ChainShape:
    """Return the layout of many chains on parts of n cities."""
    own = part_bytes(n, needs)
    fitting = first_fitting(PART_WARPS[needs.registers], own, shared_memory)
    if fitting is None:
        raise InvalidParameterError(
            f"part: {n:,} cities do not fit into shared memory; choose fewer"
        )
    warps, blocks, _ = fitting
    return PartShape(f"gls::Warp<{warps}>", 32, warps, True, False, blocks, needs)

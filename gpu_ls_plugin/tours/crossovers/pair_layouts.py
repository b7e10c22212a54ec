"""Launch layouts of kernels that cross pairs of tours."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.backends.tuning import LARGEST_SHORT
from gpu_ls_plugin.tours.kernels.tour_layouts import ONE_BLOCK, ChainShape, first_fitting


@dataclass(frozen=True)
class PairShape(ChainShape):
    """The launch layout for pairs that need `own` bytes of shared memory each."""

    own: int = 0

    def shared_bytes(self, n: int) -> int:
        return self.teams * self.own


def pair_shape(
    n: int, own: int, pairs: int, shared_memory: int, static_bytes: int = 0
) -> ChainShape:
    """Return the layout for `pairs` pairs per multiprocessor, one warp each.

    A pair needs `own` bytes of dynamic and `static_bytes` of static shared memory; a
    multiprocessor has `shared_memory` bytes. A block has as many warps as fit, but no more than
    there are pairs. If one pair does not fit, or city numbers exceed 16 bits, pairs are in
    global memory, and each has its own block, so that a few long pairs use all multiprocessors.
    """
    layouts = [(warps, blocks) for warps, blocks in ONE_BLOCK if warps <= max(1, pairs)]
    fitting = first_fitting(layouts, own + static_bytes, shared_memory)
    if fitting is None or n > LARGEST_SHORT:
        return ChainShape("gls::Warp<1>", 32, 1, False, False)
    warps, blocks, _ = fitting
    return PairShape(f"gls::Warp<{warps}>", 32, warps, True, False, blocks, own=own)

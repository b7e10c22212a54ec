"""How kernels that cross pairs of tours are laid out."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.backends.tuning import LARGEST_SHORT
from gpu_ls_plugin.tours.kernels.tour_layouts import ONE_BLOCK, ChainShape, first_fitting

LARGE_WARPS = 8  # of a block whose pairs lie in global memory


@dataclass(frozen=True)
class PairShape(ChainShape):
    """How pairs in shared memory are laid out, of which each takes `own` bytes."""

    own: int = 0

    def shared_bytes(self, n: int) -> int:
        """Return the dynamic shared memory of a block."""
        return self.teams * self.own


def pair_shape(
    n: int, own: int, pairs: int, shared_memory: int, static_bytes: int = 0
) -> ChainShape:
    """Return who holds a pair: a warp, beside as many as fit or as a multiprocessor has pairs.

    A pair takes `own` bytes, and its warp `static_bytes` that the compiler lays out.
    """
    layouts = [(warps, blocks) for warps, blocks in ONE_BLOCK if warps <= max(1, pairs)]
    fitting = first_fitting(layouts, own + static_bytes, shared_memory)
    if fitting is None or n > LARGEST_SHORT:
        return ChainShape(f"gls::Warp<{LARGE_WARPS}>", 32, LARGE_WARPS, False, False)
    warps, blocks, _ = fitting
    return PairShape(f"gls::Warp<{warps}>", 32, warps, True, False, blocks, own=own)

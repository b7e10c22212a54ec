"""How crossovers are laid out."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.backends.tuning import LARGEST_SHORT
from gpu_ls_plugin.tours.tour_layouts import ONE_BLOCK, ChainShape, first_fitting, padded

MOST_CUTS, MOST_EDGES = 256, 512  # gls::kMostCuts and gls::kMostEdges
ASSEMBLY_STATIC_BYTES = 16  # of a warp
LARGE_WARPS = 8  # of a block whose tours lie in global memory


def assembly_bytes(n: int, city_bytes: int) -> int:
    """Return the memory of a tour that takes part in a crossover, as gls::EdgeAssembly has it."""
    pieces = (*3 * (n,), 2 * n, MOST_EDGES + 1, *2 * (MOST_CUTS,), *3 * (2 * MOST_CUTS,))
    words = 2 * padded((n + 31) // 32 * 4) + padded(4 * MOST_CUTS * 4)
    return words + sum(padded(count * city_bytes) for count in pieces)


@dataclass(frozen=True)
class AssemblyShape(ChainShape):
    """How crossovers are laid out."""

    def shared_bytes(self, n: int) -> int:
        """Return the dynamic shared memory of a block."""
        return self.teams * assembly_bytes(n, 2)


def assembly_shape(n: int, tours: int, shared_memory: int) -> ChainShape:
    """Return who holds a tour in a crossover, as `chain_shape` does for chains."""
    layouts = [(warps, blocks) for warps, blocks in ONE_BLOCK if warps <= max(1, tours)]
    own = assembly_bytes(n, 2) + ASSEMBLY_STATIC_BYTES
    fitting = first_fitting(layouts, own, shared_memory)
    if fitting is None or n > LARGEST_SHORT:
        return ChainShape(f"gls::Warp<{LARGE_WARPS}>", 32, LARGE_WARPS, False, False)
    warps, blocks, _ = fitting
    return AssemblyShape(f"gls::Warp<{warps}>", 32, warps, True, False, blocks)

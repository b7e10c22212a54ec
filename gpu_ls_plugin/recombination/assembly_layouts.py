"""How edge assembly is laid out."""

from __future__ import annotations

from gpu_ls_plugin.recombination.pair_layouts import pair_shape
from gpu_ls_plugin.tours.tour_layouts import ChainShape, padded

MOST_CUTS, MOST_EDGES = 256, 512  # gls::kMostCuts and gls::kMostEdges
ASSEMBLY_STATIC_BYTES = 16  # of a warp


def assembly_bytes(n: int, city_bytes: int) -> int:
    """Return the memory of a tour that takes part in a crossover, as gls::EdgeAssembly has it."""
    pieces = (*3 * (n,), 2 * n, MOST_EDGES + 1, *2 * (MOST_CUTS,), *3 * (2 * MOST_CUTS,))
    words = 2 * padded((n + 31) // 32 * 4) + padded(4 * MOST_CUTS * 4)
    return words + sum(padded(count * city_bytes) for count in pieces)


def assembly_shape(n: int, tours: int, shared_memory: int) -> ChainShape:
    """Return who holds a tour in a crossover, as `pair_shape` does."""
    return pair_shape(n, assembly_bytes(n, 2), tours, shared_memory, ASSEMBLY_STATIC_BYTES)

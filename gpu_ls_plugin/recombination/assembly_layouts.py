"""How edge assembly is laid out."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from gpu_ls_plugin.backends.tuning import LARGEST_SHORT
from gpu_ls_plugin.recombination.pair_layouts import pair_shape
from gpu_ls_plugin.recombination.strategies import MOST_EDGES, STRATEGIES, Strategy
from gpu_ls_plugin.tours.tour_layouts import ChainShape, HostShape, padded

MOST_CUTS = 256  # gls::kMostCuts
NUMBERS = 128  # gls::NumberWindow::kNumbers
ASSEMBLY_STATIC_BYTES = 16  # of a warp
SINGLE = STRATEGIES["single"]


@cache
def assembly_bytes(n: int, city_bytes: int, strategy: Strategy = SINGLE) -> int:
    """Return the memory of a tour that takes part in a crossover, as gls::EdgeAssembly has it."""

    def pieces(*counts: int) -> int:
        return sum(padded(count * city_bytes) for count in counts)

    words = (n + 31) // 32
    cycles = pieces(2 * n) + padded((2 * n + 31) // 32 * 4)
    walk = pieces(*2 * (2 * n,), MOST_EDGES + 1) + padded(words * 4) + padded(NUMBERS * 4)
    broken = pieces(*3 * (n,), *5 * (MOST_CUTS,), *3 * (2 * MOST_CUTS,), words)
    broken += padded(words * 4) + padded(3 * MOST_CUTS * 4)
    return cycles + max(walk, broken + strategy.pair_bytes(n, city_bytes))


def host_shape(n: int) -> HostShape:
    """Return the layout on a CPU: a number stands for a city, or for an edge of a walk."""
    return replace(HostShape.of(n), short=n + MOST_EDGES <= LARGEST_SHORT)


@cache
def assembly_shape(
    n: int, tours: int, shared_memory: int, strategy: Strategy = SINGLE
) -> ChainShape:
    """Return who holds a tour in a crossover, as `pair_shape` does."""
    own = assembly_bytes(n, 2, strategy)
    return pair_shape(n, own, tours, shared_memory, ASSEMBLY_STATIC_BYTES)

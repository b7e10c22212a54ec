"""How edge assembly is laid out, and which AB-cycles an offspring takes over together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar

from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.backends.tuning import LARGEST_SHORT, padded
from gpu_ls_plugin.tours.crossovers.pair_layouts import pair_shape
from gpu_ls_plugin.tours.kernels.tour_layouts import ChainShape, HostShape

MOST_EDGES = constant("tours/crossovers/ab_cycle.cuh", "kMostEdges")
KEPT_GAINS = constant("tours/crossovers/cycle_blocks.cuh", "kKept")


@dataclass(frozen=True)
class Strategy(ABC):
    """A functor in ``<name>.cuh``, a template that hands out the exchanges of a pair."""

    name: ClassVar[str]
    functor: ClassVar[str]

    @property
    def header(self) -> str:
        """File of the functor, by its path in the package."""
        return f"tours/crossovers/{self.name}.cuh"

    @abstractmethod
    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the memory that the functor has of a pair, with numbers of so many bytes."""


class SingleCycles(Strategy):
    """One cycle after the other, as they are found."""

    name = "single_cycles"
    functor = "gls::SingleCycles"

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the memory of a pair beside its cycles: none."""
        return 0


class CycleBlocks(Strategy):
    """A cycle and smaller ones beside it, the largest first."""

    name = "cycle_blocks"
    functor = "gls::CycleBlocks"

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the memory of a pair beside its cycles: where these lie, and a block of them."""
        most = n // 2 + 1
        cities = 2 * padded(n * city_bytes) + padded(MOST_EDGES * city_bytes)
        return cities + padded((most + 1) * 4) + 8 * KEPT_GAINS + padded((most + 31) // 32 * 4)


STRATEGIES: dict[str, Strategy] = {"single": SingleCycles(), "block": CycleBlocks()}


MOST_CUTS = constant("tours/crossovers/path_cycles.cuh", "kMostPaths")
NUMBERS = constant("tours/crossovers/number_window.cuh", "kNumbers")
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

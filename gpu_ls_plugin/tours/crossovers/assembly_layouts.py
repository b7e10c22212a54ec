"""Launch layouts of edge assembly, and the strategies that choose the AB-cycles to exchange."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.backends.tuning import LARGEST_SHORT, padded
from gpu_ls_plugin.tours.crossovers.pair_layouts import pair_shape
from gpu_ls_plugin.tours.kernels.tour_layouts import ChainShape, HostShape

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend

MOST_EDGES = constant("tours/crossovers/ab_cycle.cuh", "kMostEdges")
KEPT_GAINS = constant("tours/crossovers/cycle_blocks.cuh", "kKept")


@dataclass(frozen=True)
class Strategy(ABC):
    """A C++ template in ``<name>.cuh`` that yields the exchanges of a pair one by one."""

    name: ClassVar[str]
    functor: ClassVar[str]

    @property
    def header(self) -> str:
        """Path of the functor's header in the package."""
        return f"tours/crossovers/{self.name}.cuh"

    @abstractmethod
    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return how many bytes the functor needs per pair, with `city_bytes` per number."""


class SingleCycles(Strategy):
    """Exchanges single cycles, in the order in which they are found."""

    name = "single_cycles"
    functor = "gls::SingleCycles"

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return 0, since the functor needs only the cycles."""
        return 0


class CycleBlocks(Strategy):
    """Exchanges a cycle together with smaller adjacent ones; the largest cycles come first."""

    name = "cycle_blocks"
    functor = "gls::CycleBlocks"

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the size in bytes of the places and gains of the cycles, and of a block."""
        most = n // 2 + 1
        cities = 2 * padded(n * city_bytes) + padded(MOST_EDGES * city_bytes)
        return cities + padded((most + 1) * 4) + 8 * KEPT_GAINS + padded((most + 31) // 32 * 4)


STRATEGIES: dict[str, Strategy] = {"single": SingleCycles(), "block": CycleBlocks()}


MOST_CUTS = constant("tours/crossovers/path_cycles.cuh", "kMostPaths")
NUMBERS = constant("tours/crossovers/ab_walk.cuh", "kNumbers")
ASSEMBLY_STATIC_BYTES = 16  # bytes of static shared memory per warp
SINGLE = STRATEGIES["single"]


@cache
def assembly_bytes(n: int, city_bytes: int, strategy: Strategy = SINGLE) -> int:
    """Return how many bytes a pair needs, like ``gls::EdgeAssembly::team_bytes``."""

    def pieces(*counts: int) -> int:
        return sum(padded(count * city_bytes) for count in counts)

    words = (n + 31) // 32
    cycles = pieces(2 * n) + padded((2 * n + 31) // 32 * 4)
    walk = pieces(*2 * (2 * n,), MOST_EDGES + 1) + padded(words * 4) + padded(NUMBERS * 4)
    broken = pieces(*3 * (n,), *5 * (MOST_CUTS,), *3 * (2 * MOST_CUTS,), words)
    broken += padded(words * 4) + padded(3 * MOST_CUTS * 4)
    return cycles + max(walk, broken + strategy.pair_bytes(n, city_bytes))


def host_shape(n: int) -> HostShape:
    """Return the layout on a CPU; city numbers must also have room for the marks of a walk."""
    return replace(HostShape.of(n), short=n + MOST_EDGES <= LARGEST_SHORT)


@cache
def assembly_shape(
    n: int, tours: int, shared_memory: int, strategy: Strategy = SINGLE
) -> ChainShape:
    """Return the layout on a GPU, for `tours` pairs per multiprocessor; see `pair_shape`."""
    own = assembly_bytes(n, 2, strategy)
    return pair_shape(n, own, tours, shared_memory, ASSEMBLY_STATIC_BYTES)


def layout_on(backend: Backend, n: int, pairs: int, strategy: Strategy = SINGLE) -> ChainShape:
    """Return the layout on a backend for `pairs` pairs."""
    if backend.name == "cpu":
        return host_shape(n)
    per_processor = -(-pairs // backend.processors)
    return assembly_shape(n, per_processor, backend.shared_memory, strategy)

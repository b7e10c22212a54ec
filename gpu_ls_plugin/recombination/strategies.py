"""Which AB-cycles an offspring of edge assembly takes over together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from gpu_ls_plugin.tours.tour_layouts import padded

MOST_EDGES = 512  # gls::kMostEdges
KEPT_GAINS = 256  # gls::CycleBlocks::kKept


@dataclass(frozen=True)
class Strategy(ABC):
    """A functor in ``recombination/<name>.cuh``, a template that hands out a pair's exchanges."""

    name: ClassVar[str]
    functor: ClassVar[str]

    @property
    def header(self) -> str:
        """File of the functor, by its path in the package."""
        return f"recombination/{self.name}.cuh"

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

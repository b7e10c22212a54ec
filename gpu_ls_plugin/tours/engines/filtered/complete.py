"""Complete neighbourhoods as they are enumerated, as tours/moves/complete.cuh has them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gpu_ls_plugin.backends.structs import constant

# Of a square of pairs, by the bytes of a sum of lengths.
SQUARE_SIDES = {
    size: constant("tours/engines/filtered/whole_mode.cuh", name)
    for size, name in ((4, "kNarrowSide"), (8, "kWideSide"))
}


@dataclass(frozen=True)
class Complete:
    """All moves that take out so many edges, and put the paths together in so many ways."""

    functor: str  # C++ type
    edges: int
    ways: int
    largest: int  # cities

    def moves(self, n: int) -> int:
        """Return how many moves a tour of n cities has."""
        return n * (n - 3) // 2 if self.edges == 2 else self.ways * math.comb(n, 3)

    def numbers(self, n: int) -> int:
        """Return how many numbers a mapping turns into positions."""
        return math.comb(n - 1, 2) if self.edges == 2 else math.comb(n, 3)

    def squares(self, n: int, sum_bytes: int) -> int:
        """Return how many squares of pairs gls::PairSquares has."""
        return math.comb(-(-n // SQUARE_SIDES[sum_bytes]) + 1, 2)

    def openings(self, n: int) -> int:
        """Return how many openings there are in each way and rotation."""
        return n - 2 if self.edges == 2 else math.comb(n, 2)


PAIRS = Complete("gls::Pairs", edges=2, ways=1, largest=2**31 - 1)
PURE_RECONNECTIONS = constant("tours/moves/reconnection.cuh", "kPureReconnections")
# Products of two positions, or of one and the next, have 32 bits.
TRIPLES = Complete("gls::Triples", edges=3, ways=PURE_RECONNECTIONS, largest=2**15)
COMPLETE = {space.edges: space for space in (PAIRS, TRIPLES)}

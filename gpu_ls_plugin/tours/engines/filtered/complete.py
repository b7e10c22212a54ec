"""Sizes of complete neighbourhoods, as tours/moves/complete.cuh enumerates them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gpu_ls_plugin.backends.structs import constant

# Sides of a square of pairs, by the bytes of a sum of lengths.
SQUARE_SIDES = {
    size: constant("tours/engines/filtered/whole_mode.cuh", name)
    for size, name in ((4, "kNarrowSide"), (8, "kWideSide"))
}


@dataclass(frozen=True)
class Complete:
    """All moves that remove `edges` edges and reconnect the paths in one of `ways` ways."""

    functor: str  # C++ type
    edges: int
    ways: int
    largest: int  # cities of the largest problem

    def moves(self, n: int) -> int:
        """Return the number of moves of a tour of n cities."""
        return n * (n - 3) // 2 if self.edges == 2 else self.ways * math.comb(n, 3)

    def numbers(self, n: int) -> int:
        """Return the number of position tuples, which a mapping counts."""
        return math.comb(n - 1, 2) if self.edges == 2 else math.comb(n, 3)

    def squares(self, n: int, sum_bytes: int) -> int:
        """Return the number of squares of pairs, as gls::PairSquares::count does."""
        return math.comb(-(-n // SQUARE_SIDES[sum_bytes]) + 1, 2)

    def openings(self, n: int) -> int:
        """Return the number of openings in each way and rotation."""
        return n - 2 if self.edges == 2 else math.comb(n, 2)


PAIRS = Complete("gls::Pairs", edges=2, ways=1, largest=2**31 - 1)
PURE_RECONNECTIONS = constant("tours/moves/reconnection.cuh", "kPureReconnections")
# Products of two positions, or of one and the next, have 32 bits.
TRIPLES = Complete("gls::Triples", edges=3, ways=PURE_RECONNECTIONS, largest=2**15)
COMPLETE = {space.edges: space for space in (PAIRS, TRIPLES)}

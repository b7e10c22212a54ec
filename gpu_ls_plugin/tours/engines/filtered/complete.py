"""Complete neighbourhoods as they are enumerated, as tours/moves/complete.cuh has them."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend

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


ENTRY_BYTES = 6


def triples_table(n: int, first: int, count: int) -> NDArray[np.uint16]:
    """Return the triples x < y < z below n from number `first` on, ordered by z, y, x."""
    numbers, below = np.arange(first, first + count), np.arange(n + 1, dtype=np.int64)
    pairs, triples = below * (below - 1) // 2, below * (below - 1) * (below - 2) // 6
    z = np.searchsorted(triples, numbers, side="right") - 1
    numbers -= triples[z]
    y = np.searchsorted(pairs, numbers, side="right") - 1
    return np.stack([numbers - pairs[y], y, z], axis=1).astype("uint16")


class MovingTable:
    """The tables of all chunks of a neighbourhood, over and over, on a backend.

    They are made once and kept on the host; each is copied while the chunk before is evaluated.
    """

    def __init__(self, backend: Backend, n: int, chunk_size: int) -> None:
        triples = math.comb(n, 3)
        needed, available = ENTRY_BYTES * triples, get_backend("cpu").available_memory()
        if needed > available:
            raise InsufficientMemoryError(
                f"mapping: the table of all triples of {n:,} cities has {needed:,} bytes, but only "
                f"{available:,} are available; use mapping='roots'"
            )
        self._firsts = range(0, triples, chunk_size)
        tables = [triples_table(n, x, min(chunk_size, triples - x)) for x in self._firsts]
        self._copies: Iterator[Any] = backend.ahead(itertools.cycle(tables))
        self._turns = itertools.cycle(self._firsts)

    def following(self) -> dict[str, Any]:
        """Return the kernels' arguments for the chunk that is next."""
        return {"table": next(self._copies), "table_first": next(self._turns)}

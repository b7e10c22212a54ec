"""Moves from their definition: the tour after a move, computed without the library's C++."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import enumerators
from gpu_ls_plugin.tours.moves.base import USUAL_EDGES

if TYPE_CHECKING:
    from collections.abc import Sequence

SHAPES = tuple(enumerators("tours/moves/move.cuh", "Shape"))
FLIPS, SWAP, TURN = (SHAPES.index(name) for name in ("kFlips", "kSwap", "kTurn"))


class NotAMove(Exception):
    """The ends of a move do not fit its shape; the text says which."""


@dataclass(frozen=True)
class Offer:
    """A move as a neighbourhood wrote it: its ends t1, t2, ..., its shape and its direction."""

    shape: int
    forward: int
    edges: int
    t: tuple[int, ...]

    @property
    def removed(self) -> list[tuple[int, int]]:
        """The removed edges, each in the direction of the path from t2 to t1."""
        return [(self.t[2 * e + 1], self.t[2 * e]) for e in range(self.edges)]

    @property
    def added(self) -> list[tuple[int, int]]:
        """The added edges: (t2, t3), (t4, t5), ..., and the edge that closes the tour."""
        ends = [*self.t[1 : 2 * self.edges], self.t[0]]
        return list(zip(ends[::2], ends[1::2], strict=True))

    def __str__(self) -> str:
        ends = ", ".join(f"t{i + 1}={city}" for i, city in enumerate(self.t[: 2 * self.edges]))
        return f"{SHAPES[self.shape]} with {ends}"


def after(tour: Sequence[int], offer: Offer, most: int = USUAL_EDGES) -> list[int]:
    """Return the tour after a move of up to `most` edges, as `tours/moves/move.cuh` defines it."""
    t1, t2 = offer.t[:2]
    least = 2 if offer.shape == FLIPS else 3
    if offer.shape not in (FLIPS, SWAP, TURN):
        shape = SHAPES[offer.shape] if 0 <= offer.shape < len(SHAPES) else offer.shape
        raise NotAMove(f"the shape of a move must be kFlips, kSwap or kTurn, not {shape}")
    if not least <= offer.edges <= most:
        raise NotAMove(f"it has {offer.edges} edges, not {least} to {most}")
    strange = [city for city in offer.t[: 2 * offer.edges] if not 0 <= city < len(tour)]
    if strange:
        raise NotAMove(f"{strange[0]} is not a city")
    turned = list(tour) if offer.forward else list(tour)[::-1]
    at = turned.index(t2)
    path = turned[at:] + turned[:at]
    if path[-1] != t1:
        raise NotAMove(f"t2={t2} does not follow t1={t1} in the direction of the first step")
    if offer.shape != FLIPS:
        path = _moved(path, offer)
    for edge in range(1 if offer.shape == FLIPS else 3, offer.edges):
        t, its = offer.t[2 * edge], offer.t[2 * edge + 1]
        here = path.index(t)
        if here == 0 or path[here - 1] != its:
            raise NotAMove(
                f"t{2 * edge + 2}={its} must lie just before t{2 * edge + 1}={t} on the path from "
                "t2 (kFlips)"
            )
        path = path[:here][::-1] + path[here:]
    return path


def _moved(path: list[int], offer: Offer) -> list[int]:
    """Return a path whose first two segments have swapped places, or are reversed."""
    t3, t4, t5, t6 = offer.t[2:6]
    at3, at5, at6 = path.index(t3), path.index(t5), path.index(t6)
    if at3 + 1 >= len(path) or path[at3 + 1] != t4:
        raise NotAMove(f"t4={t4} must lie just behind t3={t3} on the path from t2")
    side = 1 if offer.shape == SWAP else -1
    if at5 > at3 or at6 > at3 or at6 != at5 + side:
        where = "behind" if side > 0 else "before"
        raise NotAMove(f"t6={t6} must lie just {where} t5={t5}, and neither behind t3={t3}")
    rest = path[at3 + 1 :]
    if offer.shape == SWAP:
        return path[at6 : at3 + 1] + path[:at6] + rest
    return path[:at5][::-1] + path[at5 : at3 + 1][::-1] + rest


def length(lengths: Any, edges: Sequence[tuple[int, int]]) -> Any:
    """Return the sum of the lengths of edges."""
    return sum(lengths[a][b] for a, b in edges)


def edges_of(tour: Sequence[int]) -> list[tuple[int, int]]:
    """Return the edges of a tour in its direction."""
    return list(zip(tour, [*tour[1:], tour[0]], strict=True))

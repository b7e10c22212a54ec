"""Finds all moves that a neighbourhood offers in tours, and carries them out in Python.

A kernel records the moves. The functions that carry them out do not use the library's C++.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.structs import enumerators, struct_of
from gpu_ls_plugin.tours.kernels.sites import DTYPES
from gpu_ls_plugin.tours.moves import composed
from gpu_ls_plugin.tours.moves.base import DEEPEST_EDGES, USUAL_EDGES
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.testing.subject import Subject
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves
    from gpu_ls_plugin.tours.problem.tsp import TSP

SHAPES = tuple(enumerators("tours/moves/move.cuh", "Shape"))
FLIPS, SWAP, TURN = (SHAPES.index(name) for name in ("kFlips", "kSwap", "kTurn"))
MOST_VARIANTS = 10**5  # maximum number of variants of a first step; more are an error
OFFER_INTS = 3 + 2 * DEEPEST_EDGES  # integers per move: shape, direction, number of edges, ends
PARAMETERS = (*composed.PARAMETERS, struct_of("testing/probe_moves.cuh", "Probes"))


class NotAMove(Exception):
    """The shape, the edges or the ends of a move are invalid; the message says what is wrong."""


@dataclass(frozen=True)
class Offer:
    """A move that a neighbourhood offers: its shape, direction, number of edges and ends.

    If `forward` is 1, t2 follows t1 in the tour; if it is 0, t2 precedes t1.
    """

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
        shape, ends = _shape(self.shape), self.t[: 2 * self.edges] if self.edges > 0 else ()
        cities = ", ".join(f"t{i + 1}={city}" for i, city in enumerate(ends))
        return f"{shape} with {cities or f'{self.edges} edges'}"


def _shape(number: int) -> str:
    return SHAPES[number] if 0 <= number < len(SHAPES) else f"shape {number}"


def after(tour: Sequence[int], offer: Offer, most: int = USUAL_EDGES) -> list[int]:
    """Return the tour after a move of up to `most` edges, as `tours/moves/move.cuh` defines it."""
    t1, t2 = offer.t[:2]
    least = 2 if offer.shape == FLIPS else 3
    if offer.shape not in (FLIPS, SWAP, TURN):
        shape = _shape(offer.shape)
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
        first, second = offer.t[2 * edge : 2 * edge + 2]
        here = path.index(first)
        one, other = f"t{2 * edge + 1}={first}", f"t{2 * edge + 2}={second}"
        if first == second and edge > 2:
            raise NotAMove(
                f"{one} and {other} are the same city: move.set() writes t1 to t6 only, so write "
                f"move.t[{2 * edge}] and move.t[{2 * edge + 1}]"
            )
        if here == 0 or path[here - 1] != second:
            raise NotAMove(f"{other} must lie just before {one} on the path after earlier flips")
        path = path[:here][::-1] + path[here:]
    return path


def _moved(path: list[int], offer: Offer) -> list[int]:
    """Return a path after `kSwap` exchanges its first two segments, or `kTurn` reverses both."""
    t3, t4, t5, t6 = offer.t[2:6]
    at3, at5, at6 = path.index(t3), path.index(t5), path.index(t6)
    if at3 + 1 >= len(path) or path[at3 + 1] != t4:
        raise NotAMove(f"t4={t4} must lie just behind t3={t3} on the path from t2")
    side = 1 if offer.shape == SWAP else -1
    if at5 > at3 or at6 > at3 or at6 != at5 + side:
        where = "behind" if side > 0 else "before"
        raise NotAMove(
            f"t6={t6} must lie just {where} t5={t5}, and both at or before t3={t3} on the path"
        )
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


def kernel_of(problem: TSP, parts: CandidateMoves, functor: str, backend: Backend) -> Kernel:
    """Return the kernel for the moves of a functor, without the usual check of their gains."""
    raw = replace(parts.moves, functor=functor, checked=())
    return raw.kernel(
        "probe_moves",
        search_metric(problem),
        header="testing/probe_moves.cuh",
        body="gls::ProbeMoves<{team}, {metric}, {length}, {moves}>",
        parameters=PARAMETERS,
        team=backend.block(256),
    )


def variants_of(subject: Subject, kernel: Kernel, parts: CandidateMoves) -> int:
    """Return the number of variants of a first step, without evaluating a move."""
    counts = subject.backend.xp.zeros(1, "int32")
    names = ("tours", "positions", "mates", "gains", "shared_gains", "offers")
    arguments = {**parts.arguments, **dict.fromkeys(names), "variant_counts": counts}
    subject.backend.launch(kernel, 1, {**arguments, "variants": -1})
    variants = int(subject.backend.to_numpy(counts)[0])
    wrong = f"variants({parts.arguments['degree']}) is {variants}"
    remedy = "variants(degree) must return the number of ways to continue a first step, at least 1"
    subject.expect(0 < variants <= MOST_VARIANTS, wrong, remedy)
    return variants


def offers_in(
    backend: Backend,
    kernel: Kernel,
    parts: CandidateMoves,
    variants: int,
    tours: NDArray[Any],
    mates: NDArray[Any],
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return gains, gains from `each_gain`, and moves.

    The indices of these arrays are row, city, rank of the candidate, direction and variant.
    """
    rows, n = tours.shape
    xp, shape = backend.xp, (rows, n, parts.arguments["breadth"], 2, variants)
    dtype = DTYPES[parts.moves.length]
    written = {
        "gains": xp.zeros(shape, dtype),
        "shared_gains": xp.zeros(shape, dtype),
        "offers": xp.zeros((*shape, OFFER_INTS), "int32"),
    }
    arguments = {
        **parts.arguments,
        **written,
        "tours": xp.asarray(tours),
        "positions": xp.asarray(np.argsort(tours, axis=1).astype(np.int32)),
        "mates": xp.asarray(mates),
        "variants": variants,
        "variant_counts": xp.zeros(rows, "int32"),
    }
    backend.launch(kernel, rows, arguments)
    gains, shared, offers = map(backend.to_numpy, written.values())
    return gains, shared, offers


def offer_of(numbers: NDArray[Any]) -> Offer:
    """Return the move that the kernel has recorded as these numbers."""
    shape, forward, edges, *ends = numbers.tolist()
    return Offer(shape, forward, edges, tuple(ends))

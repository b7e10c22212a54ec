"""Filtered neighbourhoods from their definitions, for comparison with the engine.

Filter objects only supply their parameters: this module decides which moves they keep, one by one.
A move is (i, j, way) in 2-opt and (i, j, k, way) in 3-opt. It removes the edges after these
positions and joins their ends, numbered along the tour (a, b, c, ... = 0, 1, 2, ...), in `ADDED`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import gpu_ls_plugin as gls
from gpu_ls_plugin.tours.filters.base import And, Not, Or
from tests.helpers import oracles
from tests.helpers.philox import WORD, philox_block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.tours.filters.base import Filter

    Move = tuple[int, ...]
    Parts = Sequence[Sequence[Move]]

# Added edges by way; the first edge joins two ends of the first two removed edges.
ADDED = {
    2: (((0, 2), (1, 3)),),
    3: (
        ((0, 3), (1, 4), (2, 5)),
        ((0, 2), (1, 4), (3, 5)),
        ((0, 3), (2, 4), (1, 5)),
        ((1, 3), (0, 4), (2, 5)),
    ),
}
ROUNDING = 1e-11  # error of the spare length of a removed edge, relative to the edge
FILTER = 7  # purpose of random numbers


def moves(n: int, edges: int) -> list[Move]:
    """Return the complete neighbourhood in the order of its ranks."""
    if edges == 2:
        return [(i, j, 0) for i, j in oracles.two_opt_moves(n)]
    return [(*at, way) for at in combinations(range(n), 3) for way in range(4)]


def chunks_by_openings(n: int, edges: int, count: int) -> Parts:
    """Return the neighbourhood in up to `count` chunks of openings (all edges but the last).

    Openings are sorted by their largest position first; all chunks but the last have equal size.
    """
    below = n - 2 if edges == 2 else n
    openings = sorted(combinations(range(below), edges - 1), key=lambda at: at[::-1])
    size = -(-len(openings) // count)
    chunks: list[list[Move]] = [[] for _ in range(0, len(openings), size)]
    place = {opening: number // size for number, opening in enumerate(openings)}
    for move in moves(n, edges):
        chunks[place[move[: edges - 1]]].append(move)
    return chunks


@dataclass
class CurrentTour:
    """A tour during its descent, and the data that filters read."""

    problem: gls.TSP
    tour: list[int]
    seed: int = 0
    row: int = 0
    passes: int = 0
    awake: set[int] = field(init=False)

    def __post_init__(self) -> None:
        self.awake = set(self.tour)

    @cached_property
    def d(self) -> list[list[Any]]:
        """Lengths between all cities."""
        return oracles.distance_matrix(self.problem).tolist()

    @cached_property
    def neighbours(self) -> list[list[int]]:
        """All other cities of each city, the nearest first."""
        return oracles.nearest(self.d, len(self.d) - 1)

    def lists(self, degree: int, x: int, y: int) -> bool:
        """Return whether city y is among the `degree` nearest cities of x."""
        return y in self.neighbours[x][:degree]

    def beyond_nearest(self, x: int, y: int) -> Any:
        """Return twice a length, minus the lengths from both cities to their nearest."""
        return 2 * self.d[x][y] - sum(self.d[city][self.neighbours[city][0]] for city in (x, y))

    def ends(self, move: Move) -> list[int]:
        """Return the cities at the ends of the removed edges."""
        return [self.tour[(p + end) % len(self.tour)] for p in move[:-1] for end in (0, 1)]

    def added(self, move: Move) -> list[tuple[int, int]]:
        """Return the added edges as pairs of cities."""
        ends = self.ends(move)
        return [(ends[x], ends[y]) for x, y in ADDED[len(move) - 1][move[-1]]]

    def removed(self, move: Move) -> list[Any]:
        """Return the lengths of the removed edges."""
        ends = self.ends(move)
        return [self.d[x][y] for x, y in zip(ends[::2], ends[1::2], strict=True)]

    def change(self, move: Move) -> Any:
        """Return the change of length; real lengths are added as in three_opt_step.cuh."""
        if len(move) == len("ij-"):
            return oracles.two_opt_delta(self.d, self.tour, *move[:2])
        (a, b, c, d, e, f), way, at = self.ends(move), move[3], self.d
        ab, cd, ef = self.removed(move)
        if way == 1:
            inner = at[b][d] if d == e else (at[b][e] - ef) + at[d][f]
            return (inner + at[a][c]) - (ab + cd)
        inner, outer = (
            ((at[b][e] - ef) + at[c][f], at[a][d]),
            None,
            (at[b][f] + (at[c][e] - ef), at[a][d]),
            ((at[a][e] - ef) + at[c][f], at[b][d]),
        )[way]
        return (inner + outer) - (ab + cd)

    def is_gain(self, move: Move) -> bool:
        """Return whether a move improves the tour by more than a rounding error."""
        change = self.change(move)
        if isinstance(change, float):
            return change < 0 and change <= -oracles.NO_GAIN * sum(self.removed(move))
        return bool(change < 0)

    def apply(self, move: Move) -> None:
        """Apply a move."""
        tour, way = self.tour, move[-1]
        if len(move) == len("ij-"):
            self.tour = oracles.apply_two_opt(tour, *move[:2])
            return
        i, j, k = (p + 1 for p in move[:-1])
        p, q = tour[i:j], tour[j:k]
        middle = (q + p, p[::-1] + q[::-1], q + p[::-1], q[::-1] + p)[way]
        self.tour = tour[:i] + middle + tour[k:]


def keeps(test: Filter, current: CurrentTour, move: Move) -> bool:
    """Return whether a filter keeps a move of a tour."""
    d = current.d
    match test:
        case And():
            return keeps(test.first, current, move) and keeps(test.second, current, move)
        case Or():
            return keeps(test.first, current, move) or keeps(test.second, current, move)
        case Not():
            return not keeps(test.filter, current, move)
        case gls.Everything():
            return True
        case gls.Radius():
            return all(d[x][y] <= test.r for x, y in current.added(move))
        case gls.InCandidates():
            lists, k = current.lists, test.candidates.k
            linked = [lists(k, x, y) or lists(k, y, x) for x, y in current.added(move)]
            return linked.count(False) <= test.missing
        case gls.DontLook():
            return not current.awake.isdisjoint(current.ends(move))
        case gls.RandomKeep():
            return _draw(current, move) < test.rate * WORD
        case gls.GainBound():
            return _may_gain(current, move)
    raise NotImplementedError(test)


def _draw(current: CurrentTour, move: Move) -> int:
    """Return the random number of a move, 32 bits, from seed, pass, row and rank."""
    n, rank = len(current.tour), 0
    for position in move[:-1]:
        rank = rank * n + position
    if len(move) > len("ij-"):
        rank = rank * len(ADDED[3]) + move[-1]
    high, low = divmod(rank, WORD)
    counter = (low, FILTER | high << 8, current.row, current.passes)
    return philox_block(counter, (current.seed % WORD, current.seed // WORD))[0]


def _may_gain(current: CurrentTour, move: Move) -> bool:
    """Return whether the removed edges can pay for the first added edge (all lengths doubled)."""
    ends = current.ends(move)
    pairs = list(zip(ends[::2], ends[1::2], strict=True))
    slack = 0 if current.problem.integer else ROUNDING * sum(current.removed(move))
    spare = sum(current.beyond_nearest(*pair) for pair in pairs) + slack
    return bool(spare > current.beyond_nearest(*current.added(move)[0]))


@dataclass
class Descent:
    """The end of a descent: its tour, kept moves by pass, number of moves, and reason."""

    tour: list[int]
    kept: list[int]
    moves: int
    ended: str

    @property
    def evaluations(self) -> int:
        """Number of evaluated moves."""
        return sum(self.kept)


def descend(
    current: CurrentTour,
    test: Filter,
    parts: Parts,
    most: int | None = None,
    *,
    eager: bool = False,
) -> Descent:
    """Apply best moves until none improves, or `most` have been made.

    The best move is that of all parts or, if `eager`, of the first part with an improving move. An
    eager search continues at that part.
    """
    steps = parts if eager else [[move for part in parts for move in part]]
    kept_counts: list[int] = []
    made = at = 0
    while made != most:
        kept_counts.append(0)
        waiting: set[int] = set()
        for looked in range(1, len(steps) + 1):
            kept = [move for move in steps[at] if keeps(test, current, move)]
            kept_counts[-1] += len(kept)
            ranked = sorted((current.change(move), move) for move in kept)
            for change, move in ranked:
                if change < 0:
                    waiting |= set(current.ends(move))
            if ranked and current.is_gain(ranked[0][1]):
                break
            at = (at + 1) % len(steps)
        else:
            return Descent(
                current.tour, kept_counts, made, "optimum" if kept_counts[-1] else "filter"
            )
        asleep = current.awake if looked < len(steps) else set()
        current.awake = asleep | waiting | set(current.ends(ranked[0][1]))
        current.apply(ranked[0][1])
        current.passes += 1
        made += 1
    return Descent(current.tour, kept_counts, made, "moves")

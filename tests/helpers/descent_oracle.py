"""Descents with a work queue on lists of cities: slow, and independent of the library's code.

Removing the edge (t1, t2) leaves a path from t2 to t1. The tour after a move is put together from
slices of that path, and compared with the reversals that the library makes.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tests.helpers.oracles import NO_GAIN, tour_length

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Path = list[int]


@dataclass
class Move:
    """A move: its gain, the path after it, its ends, and the stretches to reverse."""

    gain: Any
    path: Path
    ends: list[int]
    flips: list[tuple[int, int]]


class Oracle:
    """The moves of one problem, given by its matrix and candidate lists."""

    by_step = False  # whether a city takes the first of its steps that has a move

    def __init__(self, d: Any, candidates: Sequence[Sequence[int]]) -> None:
        self.d, self.candidates = d, candidates

    def gain(self, removed: list[Any], added: list[Any]) -> Any:
        gain = sum(removed) - sum(added)
        return 0 if gain <= NO_GAIN * sum(removed) and isinstance(gain, float) else gain

    def move(self, path: Path, new: Path, ends: list[int], flips: list[tuple[int, int]]) -> Move:
        d = self.d
        pairs = list(zip(ends[::2], ends[1::2], strict=True))
        removed = [d[b][a] for a, b in pairs]
        added = [d[a][b] for a, b in zip(ends[1::2], [*ends[2::2], ends[0]], strict=True)]
        assert sorted(new) == sorted(path)
        assert new[-1] == path[-1]
        return Move(self.gain(removed, added), new, ends, flips)

    def two_opt(self, path: Path, at3: int) -> Iterator[Move]:
        t1, t2, t3, t4 = path[-1], path[0], path[at3], path[at3 - 1]
        yield self.move(path, path[:at3][::-1] + path[at3:], [t1, t2, t3, t4], [(t2, t4)])

    def or_opt(self, path: Path, at3: int, longest: int, way: int) -> Iterator[Move]:
        t1, t2, t3 = path[-1], path[0], path[at3]
        for length in range(1, longest + 1):
            # The beginning moves between t3 and t4, or the segment that ends with t3 to the front.
            if way < 2 and length <= at3:
                split = length if way == 0 else at3 + 1 - length
                a, b, c = path[:split], path[split : at3 + 1], path[at3 + 1 :]
                ends = [t1, t2, t3, c[0], a[-1], b[0]]
                yield self.move(path, b + a + c, ends, [(t2, t3), (t3, b[0]), (a[-1], t2)])
            elif way == 2 and length < at3:  # the beginning moves between t4 and t3, reversed
                a, b, c = path[:length], path[length:at3], path[at3:]
                ends = [t1, t2, t3, b[-1], a[-1], b[0]]
                yield self.move(path, b + a[::-1] + c, ends, [(t2, b[-1]), (b[-1], b[0])])
            elif way == 3 and at3 + length < len(path):  # the segment from t3 on, reversed
                a, b, c = path[:at3], path[at3 : at3 + length], path[at3 + length :]
                ends = [t1, t2, t3, a[-1], c[0], b[-1]]
                yield self.move(path, b[::-1] + a + c, ends, [(t2, a[-1]), (a[-1], b[-1])])

    def three_opt(self, path: Path, at3: int, way: int, rank: int) -> Move | None:
        d, t1, t2, t3 = self.d, path[-1], path[0], path[at3]
        at4 = at3 - 1 if way == 0 else at3 + 1
        t4 = path[at4]
        t5 = self.candidates[t4][rank]
        at5 = path.index(t5)
        if d[t2][t1] + d[t4][t3] <= d[t2][t3] + d[t4][t5]:
            return None
        if way == 0 and at5 < at4 - 1:
            a, b, c = path[: at5 + 1], path[at5 + 1 : at3], path[at3:]
            ends = [t1, t2, t3, t4, t5, b[0]]
            return self.move(path, b + a[::-1] + c, ends, [(t2, t4), (t4, b[0])])
        if way == 0 and at5 > at3:
            a, b, c = path[:at3], path[at3:at5], path[at5:]
            ends = [t1, t2, t3, t4, t5, b[-1]]
            return self.move(path, b[::-1] + a + c, ends, [(t2, t4), (t4, b[-1])])
        if way == 1 and at5 < at3:
            a, b, c = path[: at5 + 1], path[at5 + 1 : at4], path[at4:]
            ends = [t1, t2, t3, t4, t5, b[0]]
            return self.move(path, b + a + c, ends, [(t2, t3), (t3, b[0]), (t5, t2)])
        if way == 2 and 0 < at5 < at3:
            a, b, c = path[:at5], path[at5:at4], path[at4:]
            ends = [t1, t2, t3, t4, t5, a[-1]]
            return self.move(path, a[::-1] + b[::-1] + c, ends, [(t2, a[-1]), (t5, t3)])
        return None

    def chain(self, path: Path, at3: int, way: int, rank: int, depth: int) -> Move | None:
        """Return a 3-opt move, or the best of the deeper moves that begin with it."""
        start = self.three_opt(path, at3, way, rank)
        if start is None:
            return None
        d, best, current = self.d, start, start
        kept = {frozenset(edge) for edge in pairwise(path)}
        for _ in range(4, depth + 1):
            p, ends = current.path, current.ends
            end, t1 = p[0], p[-1]
            gone = {frozenset(edge) for edge in zip(ends[::2], ends[1::2], strict=True)}
            removed = sum(d[a][b] for a, b in zip(ends[::2], ends[1::2], strict=True))
            added = sum(d[a][b] for a, b in zip(ends[1:-1:2], ends[2::2], strict=True))
            steps = []
            for t7 in self.candidates[end]:
                at, coming = p.index(t7), d[end][t7]
                if at == 0 or t7 == t1 or removed <= added + coming:
                    continue
                t8 = p[at - 1]
                if t8 != end and frozenset((t7, t8)) in kept - gone:
                    steps.append((d[t8][t7] - coming, t7, t8))
            if not steps:
                break
            _, t7, t8 = max(steps, key=lambda step: step[0])
            at = p.index(t7)
            new = p[:at][::-1] + p[at:]
            current = self.move(path, new, [*ends, t7, t8], [*current.flips, (end, t8)])
            if current.gain > best.gain:
                best = current
        return best


Search = Any  # (oracle, path, at3) -> moves by variant


def two_opt(oracle: Oracle, path: Path, at3: int) -> Iterator[tuple[int, Move]]:
    """2-opt."""
    return ((0, move) for move in oracle.two_opt(path, at3))


def or_opt(longest: int, symmetric: bool = True) -> Search:
    """Or-opt."""

    def moves(oracle: Oracle, path: Path, at3: int) -> Iterator[tuple[int, Move]]:
        for way in range(4 if symmetric else 2):
            for move in oracle.or_opt(path, at3, longest, way):
                yield way, move

    return moves


def three_opt(symmetric: bool = True) -> Search:
    """3-opt: each fourth candidate t5, with a choice of t4, is a variant."""

    def moves(oracle: Oracle, path: Path, at3: int) -> Iterator[tuple[tuple[int, ...], Move]]:
        if symmetric:
            yield from (((0,), move) for _, move in two_opt(oracle, path, at3))
        for rank in range(len(oracle.candidates[0])):
            for way in (0, 1, 2) if symmetric else (1,):
                move = oracle.three_opt(path, at3, way, rank)
                if move is not None:
                    share = 1 + 2 * (rank % 4) + min(way, 1) if symmetric else rank % 4
                    yield (share, rank, way), move

    return moves


def chains(depth: int, breadth: int) -> Search:
    """Lin-Kernighan steps: each candidate t5 with each t4 and t6 is a variant."""

    def moves(oracle: Oracle, path: Path, at3: int) -> Iterator[tuple[int, Move]]:
        yield from two_opt(oracle, path, at3)
        for rank in range(min(breadth, len(oracle.candidates[0]))):
            for way in (0, 1, 2):
                move = oracle.chain(path, at3, way, rank, depth)
                if move is not None:
                    yield 1 + 3 * rank + way, move

    return moves


def descend(
    d: Any,
    candidates: Sequence[Sequence[int]],
    tour: Sequence[int],
    searches: Sequence[Search],
    *,
    breadth: int = 10**6,
    symmetric: bool = True,
    max_moves: float = float("inf"),
    by_step: bool = False,
) -> tuple[list[int], int, int]:
    """Search from a tour; return the tour, the number of cities examined, and the moves."""
    oracle, order = Oracle(d, candidates), list(tour)
    oracle.by_step = by_step
    n, queue, looks, moves = len(order), deque(order), 0, 0
    while queue and moves < max_moves:
        city = queue.popleft()
        looks += 1
        found = best_move(oracle, order, city, searches, breadth, symmetric)
        if found is None:
            continue
        move, forward = found
        moves += 1
        order = turned(order, move, forward, symmetric)
        assert cycle_of(order) == cycle_of(move.path)
        for end in move.ends:
            if end not in queue:
                queue.append(end)
    assert sorted(order) == list(range(n))
    return order, looks, moves


def descend_together(
    d: Any,
    candidates: Sequence[Sequence[int]],
    tour: Sequence[int],
    searches: Sequence[Search],
    *,
    cities: int = 64,
    symmetric: bool = True,
    max_moves: float = float("inf"),
) -> tuple[list[int], int, int]:
    """Apply independent moves of several cities together; return the same as `descend`."""
    oracle, order = Oracle(d, candidates), list(tour)
    n, looks, moves, begin = len(order), 0, 0, 0
    words = -(-n // 32)
    sweep = [bit * words + word for word in range(words) for bit in range(32)]
    sweep = [city for city in sweep if city < n]
    waiting = set(range(n))
    while moves < max_moves:
        ahead = [city for city in sweep[begin:] + sweep[:begin] if city in waiting][:cities]
        if not ahead:
            break
        if len(ahead) == cities:
            begin = (sweep.index(ahead[-1]) + 1) % n
        looks += len(ahead)
        chosen: list[Cuts] = []
        gains = 0
        for city in ahead:
            found = best_move(oracle, order, city, searches, 10**6, symmetric)
            if found is None:
                waiting.remove(city)
                continue
            cuts = Cuts(order, found[0].ends)
            if moves + len(chosen) < max_moves and all(cuts.independent(c) for c in chosen):
                chosen.append(cuts)
                gains += found[0].gain
        if chosen:
            new = relinked(order, chosen)
            assert sorted(new) == list(range(n))
            assert tour_length(d, new) == tour_length(d, order) - gains
            order = new
            moves += len(chosen)
            waiting.update(end for cuts in chosen for end in cuts.ends)
    return order, looks, moves


class Cuts:
    """The edges that a move removes, each by the place of its first city."""

    def __init__(self, order: list[int], ends: list[int]) -> None:
        n, place = len(order), {city: p for p, city in enumerate(order)}
        self.ends = ends
        self.links: list[tuple[tuple[int, bool], tuple[int, bool]]] = []  # (cut, behind)
        sides = []
        for a, b in zip(ends[::2], ends[1::2], strict=True):
            ahead = order[(place[a] + 1) % n] == b
            cut = place[a] if ahead else place[b]
            sides += [(cut, not ahead), (cut, ahead)]
        self.links = list(zip(sides[1::2], [*sides[2::2], sides[0]], strict=True))
        cuts = sorted({cut for cut, _ in sides})
        assert 2 * len(cuts) == len(ends)
        self.segment: set[int] = set()  # places of a segment that moves
        self.rest = set(cuts)
        if len(cuts) != 3:
            return
        joined = [{ends[1], ends[2]}, {ends[3], ends[4]}, {ends[5], ends[0]}]
        found = []
        for first, last in ((cuts[0], cuts[1]), (cuts[1], cuts[2]), (cuts[2], cuts[0])):
            if {order[first], order[(last + 1) % n]} in joined:
                found.append(((last - first) % n, first))
        if found:
            span, first = min(found, key=lambda one: one[0])
            self.segment = {(first + i) % n for i in range(span + 1)}
            self.rest -= self.segment

    def independent(self, other: Cuts) -> bool:
        """Return whether the moves neither touch nor cross each other."""
        if self.segment & (other.segment | other.rest) or self.rest & (other.segment | other.rest):
            return False
        between = [sum(cut < place for cut in self.rest) % len(self.rest) for place in other.rest]
        return len(set(between)) == 1


def relinked(order: list[int], moves: Sequence[Cuts]) -> list[int]:
    """Apply moves by a walk from piece to piece; the piece around place 0 stays in place."""
    n, after = len(order), {}
    for move in moves:
        for one, other in move.links:
            after[one], after[other] = other, one
    cuts = {cut for cut, _ in after}
    place, step, walk = (max(cuts) + 1) % n, 1, []
    origin = place
    for _ in range(n):
        walk.append(order[place])
        cut = place if step > 0 else (place - 1) % n  # the next edge of the walk
        if cut in cuts:
            cut, behind = after[cut, step < 0]
            place, step = ((cut + 1) % n, 1) if behind else (cut, -1)
        else:
            place = (place + step) % n
    return [walk[(p - origin) % n] for p in range(n)]


def sweep(
    d: Any,
    candidates: Sequence[Sequence[int]],
    tour: Sequence[int],
    searches: Sequence[Search],
    max_moves: float = float("inf"),
) -> tuple[list[int], int]:
    """Apply the best move of all cities until none improves; return the tour and the moves."""
    oracle, order, moves = Oracle(d, candidates), list(tour), 0
    while moves < max_moves:
        found = [
            best
            for city in range(len(order))
            if (best := best_move(oracle, order, city, searches, 10**6, True)) is not None
        ]
        if not found:
            break
        move, forward = max(found, key=lambda best: best[0].gain)  # the first of equals
        order = turned(order, move, forward)
        moves += 1
    return order, moves


def best_move(
    oracle: Oracle,
    order: list[int],
    city: int,
    searches: Sequence[Search],
    breadth: int,
    symmetric: bool,
) -> tuple[Move, bool] | None:
    n, place, found = len(order), order.index(city), []
    for forward in (False, True) if symmetric else (False,):
        step = 1 if forward else -1
        path = [order[(place + step * i) % n] for i in range(n)]
        t1 = path[-1]
        for rank, t3 in enumerate(oracle.candidates[city][:breadth]):
            at3 = path.index(t3)
            if oracle.d[city][t1] - oracle.d[city][t3] <= 0 or at3 in (1, n - 1):
                continue
            for number, search in enumerate(searches):
                for variant, move in search(oracle, path, at3):
                    share = variant if isinstance(variant, tuple) else (variant,)
                    key = (-move.gain, forward, rank, share[0], number, share)
                    step = (forward, rank) if oracle.by_step else ()
                    found.append(((step, key), len(found), move, forward))
    found = [entry for entry in found if entry[2].gain > 0]
    if not found:
        return None
    _, _, move, forward = min(found, key=lambda entry: entry[:2])
    return move, forward


def turned(order: list[int], move: Move, forward: bool, symmetric: bool = True) -> list[int]:
    """Return a tour with a move's stretches reversed; if symmetric, each on its shorter side."""
    n, order = len(order), list(order)
    for first, last in move.flips:
        begin = order.index(first if forward else last)
        length = (order.index(last if forward else first) - begin) % n + 1
        if symmetric and 2 * length > n:
            begin, length, forward = begin + length, n - length, not forward
        places = [(begin + i) % n for i in range(length)]
        for place, city in zip(places, [order[p] for p in reversed(places)], strict=True):
            order[place] = city
    return order


def cycle_of(order: list[int]) -> tuple[int, ...]:
    n, zero = len(order), order.index(0)
    return min(tuple(order[(zero + step * i) % n] for i in range(n)) for step in (1, -1))

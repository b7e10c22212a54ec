"""Chains of kicks on lists of cities: slow, and independent of the library's code.

Kicks are double bridges. Repairs are those of the descent oracle, with a queue that begins with the
ends of the kick. A tour that is not accepted is dropped instead of undone.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.helpers import descent_oracle, oracles
from tests.helpers.philox import WORD, philox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Rule = Callable[[int, np.float32, int], bool]
    Below = Callable[[int], int]
    Lists = Sequence[Sequence[int]]

KICK = 6  # purpose of random numbers
STEPS_PER_KICK = 1024
ATTEMPTS = 8
SWAPPED = 128  # cities up to which segments change places at once


@dataclass(frozen=True)
class Room:
    """The capacity of a repair, which ends if a move of `edges` edges might not fit."""

    journal: int = 96
    queue: int = 128
    edges: int = 8

    def takes(self, reversals: int, cities: int) -> bool:
        """Return whether another move fits."""
        return reversals <= self.journal - self.edges and cities <= self.queue - 2 * self.edges


USUAL, DEEP = Room(), Room(192, 256, 12)


def minus_log(bits: int) -> np.float32:
    """Return -ln u for u = (upper 24 bits + 1) / 2^24, with the rounding of the functor."""
    f = np.float32
    mantissa, exponent = np.frexp(f((bits >> 8) + 1))  # in [1/2, 1)
    m, log = f(2) * f(mantissa), f(0)
    for factor in (-0.056570851, 0.44717955, -1.4699568, 2.8212026, -1.7417939):
        log = f(log * m) + f(factor)
    log = f(f(int(exponent) - 1 - 24) * f(0.69314718)) + log
    return -log if log < 0 else f(0)


def annealing(rise: int, level: np.float32, bits: int) -> bool:
    """Metropolis' rule."""
    with np.errstate(over="ignore"):
        return bool(rise <= 0 or np.float32(rise) < level * minus_log(bits))


RULES: dict[str, Rule] = {
    "better": lambda rise, level, bits: rise < 0,
    "better_or_equal": lambda rise, level, bits: rise <= 0,
    "always": lambda rise, level, bits: True,
    "threshold": lambda rise, level, bits: bool(np.float32(rise) <= level),
    "annealing": annealing,
}


@dataclass
class Chain:
    """A chain: its tour, its best tour, and its counts."""

    tour: list[int]
    cost: int
    unit: np.float32
    best_tour: list[int]
    best_cost: int
    kicks: int = 0
    accepted: int = 0
    idle: int = 0
    looks: int = 0
    moves: int = 0

    @classmethod
    def of(cls, d: Any, tour: Sequence[int]) -> Chain:
        """Return a chain that begins with a tour."""
        cost = oracles.tour_length(d, list(tour))
        return cls(list(tour), cost, np.float32(cost / len(tour)), list(tour), cost)


@dataclass(frozen=True)
class Window:
    """Cuts at random places in a window of `size` cities."""

    size: int

    def draw(self, below: Below, order: list[int], lists: Lists) -> tuple[int, list[int]]:
        """Return the place from which cuts count, and the cuts."""
        n = len(order)
        first = below(n)
        if self.size >= n:
            return first, [below(n) for _ in range(4)]
        return first, [1 + below(self.size - 1) for _ in range(4)]


@dataclass(frozen=True)
class Walk:
    """Cuts at cities of a random walk along the candidates, `steps` steps apart."""

    steps: int

    def draw(self, below: Below, order: list[int], lists: Lists) -> tuple[int, list[int]]:
        """Return the place from which cuts count, and the cuts."""
        cities = [below(len(order))]
        for _ in range(3):
            city = cities[-1]
            for _ in range(self.steps):
                city = lists[city][below(len(lists[city]))]
            cities.append(city)
        return 0, [order.index(city) for city in cities]


def cut(
    numbers: Iterator[int], cuts: Window | Walk, order: list[int], lists: Lists
) -> tuple[int, list[int]] | None:
    """Return the first sorted cuts that make a double bridge; None if all attempts fail."""

    def below(bound: int) -> int:
        return next(numbers) * bound // WORD

    for _ in range(ATTEMPTS):
        first, drawn = cuts.draw(below, order, lists)
        places = sorted(drawn)
        b, c, d = (places[i + 1] - places[i] for i in range(3))
        segments = [len(order) - b - c - d, b, c, d]
        pairs = zip(segments, [*segments[1:], segments[0]], strict=True)
        if min(segments) > 0 and all(one + other > 2 for one, other in pairs):
            return first, places
    return None


def bridge(order: list[int], first: int, cuts: list[int]) -> descent_oracle.Move:
    """Return the double bridge A D C B of a tour that is read from the first cut on."""
    n = len(order)
    begin = (first + cuts[0]) % n
    path = order[begin:] + order[:begin]
    b, c, d, a = (
        path[low - cuts[0] : high - cuts[0]]
        for low, high in zip(cuts, [*cuts[1:], cuts[0] + n], strict=True)
    )
    ends = [b[0], b[-1], c[0], c[-1], d[0], d[-1], a[-1], a[0]]
    # B C D is reversed as a whole, then each of its segments.
    flips = [(b[0], d[-1]), (d[-1], d[0]), (c[-1], c[0]), (b[-1], b[0])]
    return descent_oracle.Move(None, d + c + b + a, ends, flips)


def swapped(order: list[int], first: int, cuts: list[int]) -> list[int]:
    """Return the tour after a double bridge that moves no city outside of its segments."""
    n, result = len(order), list(order)
    b, c, d = (
        [order[(first + place) % n] for place in range(low, high)] for low, high in pairwise(cuts)
    )
    for place, city in zip(range(cuts[0], cuts[3]), d + c + b, strict=True):
        result[(first + place) % n] = city
    return result


def repair(
    oracle: descent_oracle.Oracle,
    order: list[int],
    kick: descent_oracle.Move,
    searches: Sequence[descent_oracle.Search],
    room: Room,
    cost: int,
) -> tuple[list[int], int, int]:
    """Search from the ends of a kick; return the tour, the number of cities examined, and moves.

    The search ends early once the tour has the `cost` that it had before the kick.
    """
    queue, journal, looks, moves = deque(dict.fromkeys(kick.ends)), len(kick.flips), 0, 0
    moved = True  # the room is checked only after moves
    while queue:
        if moved and not room.takes(journal, len(queue)):
            break
        if oracles.tour_length(oracle.d, order) == cost:
            break
        looks += 1
        found = descent_oracle.best_move(oracle, order, queue.popleft(), searches, 10**6, True)
        moved = found is not None
        if found is None:
            continue
        move, forward = found
        order = descent_oracle.turned(order, move, forward)
        moves += 1
        journal += len(move.flips)
        queue.extend(end for end in dict.fromkeys(move.ends) if end not in queue)
    return order, looks, moves


def advance(
    chain: Chain,
    d: Any,
    lists: Lists,
    searches: Sequence[descent_oracle.Search],
    rule: Rule,
    *,
    seed: int,
    row: int,
    cuts: Window | Walk,
    until: int,
    heat: float,
    cooling: float,
    room: Room = USUAL,
    by_step: bool = False,
) -> None:
    """Advance a chain to kick number `until`."""
    f, oracle = np.float32, descent_oracle.Oracle(d, lists)
    oracle.by_step = by_step
    while chain.kicks < until:
        order, step = chain.tour, chain.kicks * STEPS_PER_KICK
        drawn = cut(philox(seed, KICK, row, step), cuts, order, lists)
        if drawn is not None:
            kick = bridge(order, *drawn)
            if drawn[1][3] - drawn[1][0] <= SWAPPED:
                kick.flips, order = [], swapped(order, *drawn)
            else:
                order = descent_oracle.turned(order, kick, True)
            order, looks, moves = repair(oracle, order, kick, searches, room, chain.cost)
            chain.looks += looks
            chain.moves += moves
        cost = oracles.tour_length(d, order)
        level = chain.unit * max(f(heat) - f(cooling) * f(chain.kicks), f(0))
        bits = next(philox(seed, KICK, row, step + STEPS_PER_KICK - 1))
        chain.kicks += 1
        chain.idle += 1
        if not rule(cost - chain.cost, level, bits):
            continue
        chain.accepted += 1
        chain.tour, chain.cost = order, cost
        if cost < chain.best_cost:
            chain.best_tour, chain.best_cost, chain.idle = order, cost, 0

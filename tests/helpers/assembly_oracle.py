"""Edge assembly crossover on lists of edges: slow, and independent of the library's code."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from tests.helpers.graph_oracle import connected
from tests.helpers.philox import WORD, philox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

OFFSPRING = 9  # purpose of random numbers


def cycles(
    first: Sequence[int], second: Sequence[int], draw: Iterator[int]
) -> Iterator[list[tuple[int, int]]]:
    """Yield AB-cycles as (place, city); an edge of A begins at each even place of the walk."""
    n = len(first)
    ahead = [{tour[p]: tour[(p + 1) % n] for p in range(n)} for tour in (first, second)]
    behind = [{city: before for before, city in step.items()} for step in ahead]
    links = [{frozenset(pair) for pair in step.items()} for step in ahead]
    open_ = [
        {city for city, after in ahead[who].items() if frozenset((city, after)) not in links[~who]}
        for who in (0, -1)
    ]
    walk: list[int] = []
    while True:
        if not walk:
            begin = next(draw) * n // WORD
            left = sorted(open_[0], key=lambda city: (city - begin) % n)
            if not left:
                return
            walk = [left[0]]
        who, city = (len(walk) - 1) % 2, walk[-1]
        choices = [city in open_[who], behind[who][city] in open_[who]]
        if not any(choices):
            walk = []
            continue
        onward = next(draw) & 1 if all(choices) else choices[0]
        taken = city if onward else behind[who][city]
        open_[who].remove(taken)
        walk.append(ahead[who][city] if onward else taken)
        met = [i for i in range(len(walk) - 3, -1, -2) if walk[i] == walk[-1]]
        if met:
            yield list(enumerate(walk))[met[-1] :]
            walk = walk[: met[-1] + 1] if met[-1] > 0 else []


@dataclass
class Broken:
    """A tour with removed and added edges."""

    tour: list[int]
    cuts: set[int] = field(default_factory=set)  # places before removed edges
    ends: list[tuple[int, int]] = field(default_factory=list)  # added edges

    def edges(self) -> list[tuple[int, int]]:
        """Return all edges: those of the tour by place, then the added ones."""
        n = len(self.tour)
        kept = [p for p in range(n) if p not in self.cuts]
        return [(self.tour[p], self.tour[(p + 1) % n]) for p in kept] + self.ends

    def rings(self) -> list[set[int]]:
        """Return the cities of each subtour, the smallest first; ties by their first path."""
        rings = connected(self.tour, self.edges())
        cuts = sorted(self.cuts)

        def path(place: int) -> int:
            return next((i for i, cut in enumerate(cuts) if cut >= place), 0)

        place = {city: p for p, city in enumerate(self.tour)}
        return sorted(rings, key=lambda ring: (len(ring), min(path(place[c]) for c in ring)))

    def exchange(self, edge: tuple[int, int], new: tuple[int, int]) -> None:
        """Replace an edge by another one."""
        if edge in self.ends:
            self.ends[self.ends.index(edge)] = new
        else:
            place = self.tour.index(edge[0])
            assert self.tour[(place + 1) % len(self.tour)] == edge[1]
            self.cuts.add(place)
            self.ends.append(new)


Cycle = list[tuple[int, int]]


def cross(
    first: list[int],
    second: list[int],
    length: Callable[[int, int], int],
    near: Sequence[Sequence[int]],
    *,
    seed: int,
    row: int,
    offspring: int,
    strategy: str = "single",
) -> set[frozenset[int]]:
    """Return the edges of the child; no two exchanges may cost the same."""
    tour = list(first)
    found = cycles(first, second, philox(seed, OFFSPRING, row, 0))
    for choose in islice(STRATEGIES[strategy](found), offspring):
        chosen = choose(tour, length)
        child = exchanged(tour, chosen)
        gain = sum(gain_of(cycle, length) for cycle in chosen)
        if child is not None and gain > 0 and join(child, gain, length, near) > 0:
            tour = mended(child)
    return {frozenset((tour[p - 1], tour[p])) for p in range(len(tour))}


def single(found: Iterator[Cycle]) -> Iterator[Callable[..., list[Cycle]]]:
    """Yield functions that choose one cycle after another."""
    for cycle in found:
        yield lambda tour, length, cycle=cycle: [cycle]


def block(found: Iterator[Cycle]) -> Iterator[Callable[..., list[Cycle]]]:
    """Yield functions that choose a cycle and smaller cycles that share cities with it."""
    every = list(found)
    order = sorted(every, key=len, reverse=True)  # stable
    for rank, centre in enumerate(order):
        cities = {city for _, city in centre}
        smaller = order[rank + 1 :]
        beside = [c for c in every if c in smaller and cities & {city for _, city in c}]

        def choose(tour, length, centre=centre, beside=beside):
            chosen, child = [centre], exchanged(tour, [centre])
            if child is None:
                return chosen
            for cycle in beside:
                more = exchanged(tour, [*chosen, cycle])
                if more is None:
                    continue
                now, then = len(child.rings()), len(more.rings())
                if then < now or (then == now and gain_of(cycle, length) > 0):
                    chosen.append(cycle)
                    child = more
            return chosen

        yield choose


STRATEGIES = {"single": single, "block": block}


def gain_of(cycle: Cycle, length: Callable[[int, int], int]) -> int:
    """Return the gain of exchanging the edges of a cycle."""
    return sum(length(a, b) * (-1) ** i for (i, a), (_, b) in pairwise(cycle))


def exchanged(tour: list[int], chosen: list[Cycle]) -> Broken | None:
    """Return a tour with the edges of cycles exchanged; None if it no longer has one of them."""
    n, place = len(tour), {city: p for p, city in enumerate(tour)}
    child = Broken(tour)
    for (i, a), (_, b) in (step for cycle in chosen for step in pairwise(cycle)):
        if i % 2:
            child.ends.append((a, b))
        elif tour[(place[a] + 1) % n] == b:
            child.cuts.add(place[a])
        elif tour[(place[b] + 1) % n] == a:
            child.cuts.add(place[b])
        else:
            return None
    return child


def join(
    child: Broken, gain: int, length: Callable[[int, int], int], near: Sequence[Sequence[int]]
) -> int:
    """Join the subtours, the smallest first; return the remaining gain."""
    while gain > 0 and len(rings := child.rings()) > 1:
        ring, edges = rings[0], child.edges()
        found = []
        for edge in edges:
            if edge[0] not in ring:
                continue
            for u, v in (edge, edge[::-1]):
                for other in edges:
                    for c, w in (other, other[::-1]):
                        if c in near[u] and c not in ring:
                            loss = length(u, c) + length(v, w) - length(u, v) - length(c, w)
                            found.append((loss, edge, other, (u, c), (v, w)))
        if not found:
            return 0
        loss, edge, other, left, right = min(found)
        child.exchange(edge, left)
        child.exchange(other, right)
        gain -= loss
    return gain


def mended(child: Broken) -> list[int]:
    """Return the tour, beginning with its first path."""
    links: dict[int, list[int]] = {city: [] for city in child.tour}
    for a, b in child.edges():
        links[a].append(b)
        links[b].append(a)
    n, begin = len(child.tour), (max(child.cuts) + 1) % len(child.tour)
    tour = [child.tour[begin]]
    ahead = child.tour[(begin + 1) % n]
    onward = ahead if begin not in child.cuts else links[tour[0]][1]
    while len(tour) < n:
        tour.append(onward)
        here = links[onward]
        onward = here[1] if here[0] == tour[-2] else here[0]
    return tour

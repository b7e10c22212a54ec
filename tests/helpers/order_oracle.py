"""Crossovers of tours as sequences: slow, and independent of the library's code."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from tests.helpers.philox import WORD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def drawn_section(n: int, numbers: Iterator[int]) -> list[int]:
    """Return the places of a section in order; it takes two random numbers."""
    begin = next(numbers) * n // WORD
    return [(begin + i) % n for i in range(1 + next(numbers) * (n - 1) // WORD)]


def order_crossover(first: Sequence[int], second: Sequence[int], section: list[int]) -> list[int]:
    """Return the child that keeps a section of the first parent."""
    n, behind = len(first), section[-1] + 1
    child = {place: first[place] for place in section}
    others = [second[(behind + i) % n] for i in range(n)]
    free = [(behind + i) % n for i in range(n - len(section))]
    kept = set(child.values())
    child.update(zip(free, [city for city in others if city not in kept], strict=True))
    return [child[place] for place in range(n)]


def partially_mapped(first: Sequence[int], second: Sequence[int], section: list[int]) -> list[int]:
    """Return the child that keeps a section of the first parent (Goldberg and Lingle 1985).

    In a copy of the second parent, each city of the section swaps places with the city that is in
    its place.
    """
    child = list(second)
    for place in section:
        there = child.index(first[place])
        child[place], child[there] = child[there], child[place]
    return child


def cycle(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Return the child that takes cycles from the first and the second parent in turn."""
    child: dict[int, int] = {}
    parent, other = first, second
    for begin in range(len(first)):
        if begin in child:
            continue
        place = begin
        while place not in child:
            child[place] = parent[place]
            place = list(first).index(second[place])
        parent, other = other, parent
    return [child[place] for place in range(len(first))]


def segment_crossover(
    first: Sequence[int], second: Sequence[int], begin: int, length: int
) -> list[int]:
    """Return the child that begins with a path of the second parent."""
    n, place = len(first), {city: p for p, city in enumerate(first)}
    path = [second[(begin + i) % n] for i in range(length)]
    onward = backward = 0
    for city, other in pairwise(path[-32:]):
        onward += (place[city] + 1) % n == place[other]
        backward += (place[city] - 1) % n == place[other]
    step = 1 if onward >= backward else -1
    rest = (first[(place[path[-1]] + step * i) % n] for i in range(1, n))
    return path + [city for city in rest if city not in path]

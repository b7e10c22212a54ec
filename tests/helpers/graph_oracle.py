"""Crossovers on the union graph of two tours: slow, and independent of the library's code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.helpers.philox import WORD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


def edges(tour: Sequence[int]) -> set[frozenset[int]]:
    """Return the edges of a tour."""
    return {frozenset((tour[p - 1], tour[p])) for p in range(len(tour))}


# ---- Edge recombination --------------------------------------------------------------------------


def edge_recombination(
    first: Sequence[int], second: Sequence[int], numbers: Iterator[int]
) -> list[int]:
    """Return the child; each city after the first takes one random number."""
    child, open_ = [first[0]], list(first[1:])
    links = {city: _distinct_neighbours(city, first, second) for city in first}
    common = edges(first) & edges(second)
    while open_:
        here, number = child[-1], next(numbers)
        choices = [
            (
                frozenset((here, city)) not in common,
                sum(further in open_ for further in links[city].values()),
                number >> 8 * slot & 255,
                slot,
                city,
            )
            for slot, city in links[here].items()
            if city in open_
        ]
        city = min(choices)[-1] if choices else open_[number * len(open_) // WORD]
        open_[open_.index(city)] = open_[0]
        del open_[0]
        child.append(city)
    return child


def _distinct_neighbours(city: int, first: Sequence[int], second: Sequence[int]) -> dict[int, int]:
    """Return neighbours by slot: before and after in the first parent, then in the second."""
    slots: dict[int, int] = {}
    for number, tour in enumerate((first, second)):
        place = tour.index(city)
        for side, at in enumerate((place - 1, (place + 1) % len(tour))):
            if tour[at] != city and tour[at] not in slots.values():
                slots[2 * number + side] = tour[at]
    return slots


# ---- Partition crossover -------------------------------------------------------------------------


def components(first: Sequence[int], second: Sequence[int]) -> list[set[int]]:
    """Return the components of the union graph without common edges and without single cities."""
    return [part for part in connected(first, edges(first) ^ edges(second)) if len(part) > 1]


def connected(cities: Iterable[int], links: Iterable[Iterable[int]]) -> list[set[int]]:
    """Return the connected components of a graph, by their least city."""
    beside: dict[int, set[int]] = {city: set() for city in cities}
    for link in links:
        for city in link:
            beside[city].update(link)
    found, left = [], set(beside)
    while left:
        component, todo = set(), [min(left)]
        while todo:
            city = todo.pop()
            if city not in component:
                component.add(city)
                todo += beside[city]
        left -= component
        found.append(component)
    return found


def passages(tour: Sequence[int], component: set[int], others: set[int]) -> set[frozenset[int]]:
    """Return the first and last city of each passage of a tour through a component.

    A passage ends at a city of another component (`others`); without other components the result
    is empty.
    """
    n = len(tour)
    outside = [p for p in range(n) if tour[p] in others]
    if not outside:
        return set()
    found, inside = set(), []
    for step in range(1, n + 1):
        city = tour[(outside[0] + step) % n]
        if city in component:
            inside.append(city)
        elif city in others and inside:
            found.add(frozenset((inside[0], inside[-1])))
            inside = []
    return found


def partition_crossover(
    first: Sequence[int], second: Sequence[int], length: Callable[[int, int], int]
) -> set[frozenset[int]]:
    """Return the edges of the child."""
    child, parts, rest = edges(first), components(first, second), []
    everywhere = set().union(*parts) if parts else set()

    def exchange(cities: set[int]) -> tuple[set[frozenset[int]], set[frozenset[int]], int]:
        own, other = (
            {edge for edge in mine - yours if edge <= cities}
            for mine, yours in (
                (edges(first), edges(second)),
                (edges(second), edges(first)),
            )
        )
        return own, other, sum(length(*edge) for edge in own) - sum(length(*edge) for edge in other)

    for part in parts:
        if passages(first, part, everywhere - part) != passages(second, part, everywhere - part):
            rest.append(part)
            continue
        own, other, gain = exchange(part)
        if gain > 0:
            child = child - own | other
    exchanges = [exchange(part) for part in rest]
    if sum(gain for _, _, gain in exchanges) > 0:
        for own, other, _ in exchanges:
            child = child - own | other
    return child

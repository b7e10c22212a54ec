"""Mappings from numbers to pairs and triples of positions, each functor alone."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np
import pytest

import gpu_ls_plugin as gls
from tests.helpers import host_program
from tests.helpers.random_problems import random_problem, random_tours

if TYPE_CHECKING:
    from collections.abc import Sequence

EDGES = {"Pairs": 2, "Triples": 3}
MAPPINGS = {
    "Pairs": ("roots", "lexicographic", "cut_triangle"),
    "Triples": ("roots", "lexicographic"),
}
EACH_MAPPING = pytest.mark.parametrize(
    ("space", "mapping"),
    [(space, mapping) for space, fitting in MAPPINGS.items() for mapping in fitting],
)
LARGEST = {"Pairs": 10**6, "Triples": 2**16}  # cities
DECODE = """
struct Probe {
  static void run(const gls::Host&, int item, int n, const gls::int64* numbers, int* at) {
    using Space = gls::SPACE;
    const auto move = Space::decode(gls::MAPPING(n), numbers[item]);
    for (int x = 0; x < Space::kEdges; ++x) at[Space::kEdges * item + x] = move.at[x];
  }
};
"""


def decoded(space: str, mapping: str, n: int, numbers: Sequence[int]) -> np.ndarray:
    """Positions of the edges that the moves with these numbers remove."""
    at = np.empty((len(numbers), EDGES[space]), np.int32)
    name = mapping.title().replace("_", "")
    host_program.run(
        DECODE.replace("SPACE", space).replace("MAPPING", name),
        len(numbers),
        "int n, const gls::int64* numbers, int* at",
        {"n": n, "numbers": np.array(numbers, np.int64), "at": at},
        header="tours/moves/mappings.cuh",
    )
    return at


def every_move(space: str, n: int) -> list[tuple[int, ...]]:
    """All moves in lexicographic order; two neighbouring edges make no move."""
    if space == "Pairs":
        return [(x, y + 1) for x, y in combinations(range(n - 1), 2)]
    return list(combinations(range(n), 3))


def some_numbers(space: str, n: int) -> list[int]:
    """Random numbers, and those near both ends, starts of rows and limits of 32 bits."""
    count = comb(n - 1, 2) if space == "Pairs" else comb(n, 3)
    random = np.random.default_rng(n)
    rows = [comb(int(y), EDGES[space]) for y in random.integers(3, n - 1, 500)]
    full = [comb(2**16 + more, 2) for more in (-1, 0, 1)] + [2**bits for bits in (24, 31, 32)]
    beside = [number + step for number in (*rows, *full) for step in (-1, 0, 1)]
    wanted = [
        *range(50),
        *range(count - 50, count),
        *random.integers(0, count, 500).tolist(),
        *beside,
    ]
    return [number for number in wanted if number < count]


def by_largest(at: Sequence[int]) -> int:
    """The number in the combinatorial number system: the largest position counts most."""
    return sum(comb(x, rank) for rank, x in enumerate(at, 1))


def by_smallest(at: Sequence[int], below: int) -> int:
    """The number in lexicographic order: `by_largest`, counted from the other end."""
    return comb(below, len(at)) - 1 - by_largest([below - 1 - x for x in reversed(at)])


def in_rectangle(x: int, y: int, longest: int) -> int:
    """The number if the rows of lengths y and `longest` - y (+ 1) share a row of a rectangle."""
    row = min(longest - y, y - 1 + longest % 2)
    length = longest - row
    return row * (longest | 1) + (x if y == length else length + x)


@EACH_MAPPING
def test_every_move_has_one_number(space, mapping):
    for n in range(4, 41):
        expected = every_move(space, n)
        found = list(map(tuple, decoded(space, mapping, n, range(len(expected))).tolist()))
        assert sorted(found) == expected
        if mapping == "lexicographic":
            assert found == expected


@EACH_MAPPING
def test_numbers_of_large_problems(space, mapping):
    for n in (4_097, LARGEST[space] - 1, LARGEST[space]):
        numbers = some_numbers(space, n)
        found, below = decoded(space, mapping, n, numbers), n
        if space == "Pairs":
            found, below = found - [0, 1], n - 1
        assert (np.diff(found, axis=1) > 0).all()
        assert found.min() >= 0
        assert found.max() < below
        number = {
            "lexicographic": lambda at, below=below: by_smallest(at, below),
            "cut_triangle": lambda at, longest=n - 2: in_rectangle(*at, longest),
        }.get(mapping, by_largest)
        assert [number(at) for at in found.tolist()] == numbers


@pytest.mark.parametrize("space", MAPPINGS)
def test_mappings_do_not_change_the_descent(space):
    problem, starts = random_problem("EUC_2D", 20), random_tours(20, 3)
    moves = {"Pairs": gls.TwoOpt(), "Triples": gls.ThreeOpt()}[space]
    results = [
        gls.LocalSearch(
            [gls.FilteredNeighbourhood(moves, gls.Radius(40), "masked", mapping)],
            pivoting=gls.Best(),
        )(problem, starts, backend="cpu")
        for mapping in MAPPINGS[space]
    ]
    for result in results[1:]:
        assert np.array_equal(result.tours, results[0].tours)
        assert result.statistics.evaluations == results[0].statistics.evaluations

"""Brute force from the definitions, for comparison with the library's results.

The functions work on matrices of lengths (nested lists or NumPy arrays). Of the library they use
only `problem.distance`, which other tests compare with TSPLIB's definitions.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpu_ls_plugin.tours.problem.tsp import TSP

    Matrix = Sequence[Sequence[Any]]
    Tour = list[int]


def distance_matrix(problem: TSP) -> np.ndarray:
    """Exact lengths between all cities, shape (n, n), with a zero diagonal."""
    cities = np.arange(problem.n)
    lengths = problem.distance(cities[:, None], cities[None, :])
    np.fill_diagonal(lengths, 0)
    return lengths


NO_GAIN = 1e-12  # relative to the removed length: smaller real gains may be rounding errors
GAIN_SHARE = 2  # a pass takes moves with at least the best gain divided by this


def edges(tour: Iterable[int]) -> set[tuple[int, int]]:
    """Return the undirected edges of a tour, each with its smaller city first."""
    order = [int(city) for city in tour]
    return {tuple(sorted(pair)) for pair in zip(order, order[1:] + order[:1], strict=True)}


def changed_edges(before: Iterable[int], after: Iterable[int]) -> int:
    """Return the number of edges of the first tour that the second does not have."""
    return len(edges(before) - edges(after))


def two_opt_delta(d: Matrix, tour: Sequence[int], i: int, j: int) -> Any:
    """Return the change of cost by a 2-opt move at positions i < j; 0 if it may be rounding."""
    n = len(tour)
    a, b, c, e = tour[i], tour[(i + 1) % n], tour[j], tour[(j + 1) % n]
    # The grouping makes float64 results equal in both directions of the tour.
    added, removed = d[a][c] + d[b][e], d[a][b] + d[c][e]
    delta = added - removed
    return delta if not -NO_GAIN * removed < delta < 0 else 0 * delta


def two_opt_moves(n: int) -> list[tuple[int, int]]:
    """Return all n (n - 3) / 2 pairs of positions i < j whose edges share no city."""
    return [(i, j) for i, j in combinations(range(n), 2) if 2 <= j - i <= n - 2]


def apply_two_opt(tour: Sequence[int], i: int, j: int) -> Tour:
    """Reverse the shorter path: positions i+1..j, or j+1..i around the end of the array."""
    n, order = len(tour), list(tour)
    first, count = (i + 1, j - i) if 2 * (j - i) <= n else (j + 1, n - (j - i))
    places = [(first + step) % n for step in range(count)]
    for place, city in zip(places, [tour[p] for p in reversed(places)], strict=True):
        order[place] = city
    return order


def has_improving_two_opt_move(d: np.ndarray, tour: Sequence[int]) -> bool:
    """Return whether any move lowers the cost."""
    order, n = np.asarray(tour), len(tour)
    following = np.roll(order, -1)
    kept = d[order, following]
    for i in range(n - 2):
        j = slice(i + 2, n - 1 if i == 0 else n)
        added = d[order[i], order[j]] + d[following[i], following[j]]
        removed = kept[i] + kept[j]
        if (added - removed < -NO_GAIN * removed).any():
            return True
    return False


def nearest(d: Matrix, k: int) -> list[list[int]]:
    """Return the k nearest other cities of each city, ties by city."""
    n = len(d)
    return [
        sorted((x for x in range(n) if x != c), key=lambda x: (d[c][x], x))[:k] for c in range(n)
    ]


def nearest_neighbour_tour(d: Matrix, start: int) -> Tour:
    """Return the nearest neighbour tour; ties go to the smallest city."""
    tour, left = [start], set(range(len(d))) - {start}
    while left:
        here = tour[-1]
        tour.append(min(left, key=lambda city: (d[here][city], city)))
        left.remove(tour[-1])
    return tour


def greedy_edges(d: Matrix) -> set[tuple[int, int]]:
    """Return the greedy tour's edges (a, b), a < b, chosen in order of (length, a, b).

    An edge is chosen if both cities have fewer than two edges and it closes no cycle; the last edge
    closes the tour.
    """
    n = len(d)
    degree, fragment = [0] * n, list(range(n))
    taken: set[tuple[int, int]] = set()
    for _, a, b in sorted((d[a][b], a, b) for a, b in combinations(range(n), 2)):
        if degree[a] < 2 and degree[b] < 2 and fragment[a] != fragment[b]:
            taken.add((a, b))
            degree[a] += 1
            degree[b] += 1
            old, new = fragment[a], fragment[b]
            fragment = [new if f == old else f for f in fragment]
    ends = [city for city in range(n) if degree[city] == 1]
    if n > 2:
        taken.add((ends[0], ends[1]))
    return taken


def climb(
    d: Matrix, tour: Sequence[int], most: int = 1, max_moves: int | None = None
) -> tuple[Tour, int]:
    """Apply up to `most` independent moves per pass; return the tour and the passes."""
    order, moves, passes = list(tour), 0, 0
    while max_moves is None or moves < max_moves:
        chosen = independent_moves(d, order, most)[
            : None if max_moves is None else max_moves - moves
        ]
        passes += 1
        if not chosen:
            break
        before = tour_length(d, order)
        for _, i, j in sorted(chosen, key=lambda move: _path(move, len(order))[1]):
            order = apply_two_opt(order, i, j)
        assert abs(before + sum(move[0] for move in chosen) - tour_length(d, order)) < 1e-6
        moves += len(chosen)
    return order, passes


def independent_moves(d: Matrix, tour: Sequence[int], most: int) -> list[tuple[Any, int, int]]:
    """Return independent moves, the best first: at most one per row, with half the best gain.

    The row of a move is the place where its reversed path begins. Two paths, with an edge at each
    end, must be apart or nested.
    """
    n, rows = len(tour), {}
    for i, j in two_opt_moves(n):
        move = (two_opt_delta(d, tour, i, j), i, j)
        row = _path(move, n)[0]
        if move[0] < 0:
            rows[row] = min(rows.get(row, move), move)
    chosen: list[tuple[Any, int, int]] = []
    for move in sorted(rows.values()):
        enough = not chosen or GAIN_SHARE * move[0] <= chosen[0][0]
        if enough and len(chosen) < most and all(_apart(move, other, n) for other in chosen):
            chosen.append(move)
    return chosen


def tour_length(d: Matrix, tour: Sequence[int]) -> Any:
    """Return the length of a tour."""
    return sum(d[a][b] for a, b in zip(tour, [*tour[1:], tour[0]], strict=True))


def _path(move: tuple[Any, int, int], n: int) -> tuple[int, int]:
    """Return the position before the shorter path of a move, and the path's number of cities."""
    _, i, j = move
    return (i, j - i) if 2 * (j - i) <= n else (j, n - (j - i))


def _apart(p: tuple[Any, int, int], q: tuple[Any, int, int], n: int) -> bool:
    """Return whether the positions first..first + length of two paths are apart or nested."""
    one, two = (
        {(first + k) % n for k in range(length + 1)} for first, length in (_path(p, n), _path(q, n))
    )
    ends = [{first, (first + length) % n} for first, length in (_path(p, n), _path(q, n))]
    if not one & two:
        return True
    return (one < two and not one & ends[1]) or (two < one and not two & ends[0])

"""The best-improvement 2-opt climb in NumPy alone, with which the CPU backend is compared.

Three versions return the same tours; each is as fast as we could make it with NumPy calls:

`scan` evaluates every move in every pass, as the GPU kernel does, from a distance matrix that is
kept in tour order by reversing its rows and columns in place. `gains` keeps the gains of all moves
in a matrix, recomputes the rows and columns of the edges that a move reversed or made, and searches
the whole matrix for the smallest entry in every pass. `pairs` evaluates a pair of edges once, for
both relative directions of the edges, and keeps the improving ones in a list; a pass looks through
that list only.

A move (i, j), i < j, replaces the edges (t[i], t[i+1]) and (t[j], t[j+1]). The best move is the one
with the smallest change in length, then with the smallest (i, j). The shorter side of the tour is
reversed: positions i+1..j if 2 (j - i) <= n, else j+1..i past the end.
"""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Array = np.ndarray[Any, Any]
NEVER = 1 << 28  # on the diagonal, so that no edge is exchanged with itself


def euclidean_matrix(coordinates: Array) -> Array:
    """Return the EUC_2D distances of all pairs of cities, shape (n, n), int32."""
    difference = coordinates[:, None] - coordinates[None]
    return np.floor(np.sqrt((difference**2).sum(-1)) + 0.5).astype(np.int32)


def nearest_neighbour(distances: Array, starts: Array) -> Array:
    """Return the nearest-neighbour tour from each start city, shape (P, n), int32."""
    rows = np.arange(len(starts))
    left = np.ones((len(starts), len(distances)), bool)
    tours = np.empty(left.shape, np.int32)
    tours[:, 0] = starts
    left[rows, starts] = False
    for k in range(1, len(distances)):
        tours[:, k] = np.where(left, distances[tours[:, k - 1]], NEVER).argmin(1)
        left[rows, tours[:, k]] = False
    return tours


def length(distances: Array, tour: Array) -> int:
    """Return the length of a closed tour."""
    return int(distances[tour, np.roll(tour, -1)].sum())


def scan(distances: Array, tour: Array, block: int = 128) -> tuple[Array, int]:
    """Climb by evaluating all moves in each pass; return the tour and the number of passes."""
    n = len(tour)
    tour, matrix = _in_tour_order(distances, tour)
    buffer = np.empty(block * n, matrix.dtype)
    for passes in range(1, 1 << 62):
        edges = np.diagonal(matrix, 1).copy()
        best, move = 0, None
        for low in range(0, n - 2, block):
            high, width = min(low + block, n - 2), n - low - 2
            change = buffer[: (high - low) * width].reshape(high - low, width)
            np.add(matrix[low:high, low + 2 : n], matrix[low + 1 : high + 1, low + 3 :], out=change)
            np.subtract(change, edges[low + 2 :], out=change)
            smallest = change.min(1)
            smallest -= edges[low:high]
            row = int(smallest.argmin())
            if smallest[row] < best:
                # Left of the block's diagonal are mirror images, which never win a tie
                # within their row: their move was met in an earlier row.
                best = int(smallest[row])
                move = sorted((low + row, low + 2 + int(change[row].argmin())))
        if move is None:
            return tour, passes
        _reverse(tour, matrix, *_shorter_side(*move, n))
    raise AssertionError


def gains(distances: Array, tour: Array) -> tuple[Array, int]:
    """Climb with an updated matrix of all changes; return the tour and the number of passes."""
    n = len(tour)
    tour, matrix = _in_tour_order(distances, tour)
    edges = np.diagonal(matrix, 1).copy()
    change = matrix[:n, :n] + matrix[1:, 1:]
    change -= edges
    change -= edges[:, None]
    for passes in range(1, 1 << 62):
        i, j = divmod(int(change.argmin()), n)
        if change[i, j] >= 0:
            return tour, passes
        first, count = _shorter_side(i, j, n)
        _reverse(tour, matrix, first, count)
        np.copyto(edges, np.diagonal(matrix, 1))
        for low, high in ((first - 1, min(n, first + count)), (0, first + count - n)):
            if low < high:
                rows = change[low:high]
                np.add(matrix[low:high, :n], matrix[low + 1 : high + 1, 1:], out=rows)
                rows -= edges
                rows -= edges[low:high, None]
                change[:, low:high] = rows.T
    raise AssertionError


def pairs(distances: Array, tour: Array) -> tuple[Array, int]:
    """Climb with a list of the improving pairs of edges; return the tour and the passes.

    Edges get a number when they enter the tour and keep it. `sense` is +1 for an edge traversed as
    it was made, -1 for a reversed one, 0 for one that has left the tour. A listed pair is a move of
    the current tour if the product of the two senses equals the listed one.
    """
    n = len(tour)
    if n < 4:
        return tour.copy(), 1
    tour = np.append(tour, tour[0])
    edges = distances[tour[:-1], tour[1:]]
    number = np.arange(n)
    position = np.arange(4 * n)
    sense = np.ones(4 * n, np.int8)
    listed = _improving_pairs(distances, tour, edges)
    made = n
    for passes in range(1, 1 << 62):
        a, b, relation, change = listed
        valid = sense.take(a) * sense.take(b) == relation
        change = change * valid
        smallest = change.min(initial=0)
        if smallest >= 0:
            return tour[:-1].astype(np.int32), passes
        ties = np.flatnonzero(change == smallest)
        ends = np.sort((position[a[ties]], position[b[ties]]), axis=0)
        i, j = (int(p) for p in ends[:, (ends[0] * n + ends[1]).argmin()])
        if passes % 32 == 0:
            alive = np.flatnonzero(sense.take(a) * sense.take(b))
            listed = tuple(part[alive] for part in listed)

        first, count = _shorter_side(i, j, n)
        for x, y in _mirrored(first, count, n):
            _swap(tour, x, y)
        tour[n] = tour[0]
        for x, y in _mirrored(first, count - 1, n):
            _swap(number, x, y)
            _swap(edges, x, y)
        for low, high in ((first, min(n, first + count - 1)), (0, first + count - 1 - n)):
            if low < high:
                turned = number[low:high]
                sense[turned] *= -1
                position[turned] = np.arange(low, high)
        ends = np.array([i, j])
        if made + 2 > len(sense):
            position, sense = np.append(position, position), np.append(sense, np.ones_like(sense))
        sense[number[ends]] = 0
        number[ends] = made, made + 1
        position[made : made + 2] = ends
        edges[ends] = distances[tour[ends], tour[ends + 1]]
        fresh = [_improving_with(distances, tour, edges, number, sense, p) for p in (i, j)]
        listed = tuple(np.concatenate(part) for part in zip(listed, *fresh, strict=True))
        made += 2
    raise AssertionError


CLIMBS: dict[str, Callable[[Array, Array], tuple[Array, int]]] = {
    "scan": scan,
    "gains": gains,
    "pairs": pairs,
}


def climb_all(climb: str, distances: Array, tours: Array) -> tuple[Array, int]:
    """Climb from each row of `tours`; return the local optima and the passes of all."""
    results = [CLIMBS[climb](distances, tour) for tour in tours]
    return np.stack([tour for tour, _ in results]), sum(passes for _, passes in results)


class Workers:
    """Processes that hold the distances and share the tours of a batch among them."""

    def __init__(self, distances: Array, processes: int) -> None:
        self.processes = processes
        self.pool = ProcessPoolExecutor(processes, initializer=_hold, initargs=(distances,))
        list(self.pool.map(_is_ready, range(processes)))

    def climb_all(self, climb: str, tours: Array) -> tuple[Array, int]:
        """Climb from each row of `tours`; return the local optima and the passes of all."""
        share = max(1, len(tours) // (8 * self.processes))
        work = [(climb, tour) for tour in tours]
        results = list(self.pool.map(_climb_held, work, chunksize=share))
        return np.stack([tour for tour, _ in results]), sum(passes for _, passes in results)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown()


_held: list[Array] = []


def _hold(distances: Array) -> None:
    _held[:] = [distances]


def _is_ready(_: int) -> bool:
    time.sleep(0.1)  # long enough for every process to start
    return bool(_held)


def _climb_held(work: tuple[str, Array]) -> tuple[Array, int]:
    climb, tour = work
    return CLIMBS[climb](_held[0], tour)


def _in_tour_order(distances: Array, tour: Array) -> tuple[Array, Array]:
    """Return a copy of the tour and the (n+1, n+1) distances between its positions."""
    n = len(tour)
    matrix = np.empty((n + 1, n + 1), distances.dtype)
    matrix[:n, :n] = distances.take(tour, 0).take(tour, 1)
    matrix[n, :n] = matrix[0, :n]
    matrix[:, n] = matrix[:, 0]
    np.fill_diagonal(matrix, NEVER)
    return tour.copy(), matrix


def _shorter_side(i: int, j: int, n: int) -> tuple[int, int]:
    """Return the first position and the number of positions that move (i, j) reverses."""
    return (i + 1, j - i) if 2 * (j - i) <= n else (j + 1, n - j + i)


def _mirrored(first: int, count: int, n: int) -> Iterator[tuple[slice, slice]]:
    """Yield pairs of slices to be swapped, mirrored, so that a circular range is reversed."""
    done = 0
    while done < count // 2:
        x, y = (first + done) % n, (first + count - 1 - done) % n
        size = min(count // 2 - done, n - x, y + 1)
        yield slice(x, x + size), slice(y - size + 1, y + 1)
        done += size


def _swap(array: Array, x: slice, y: slice) -> None:
    left = array[x][::-1].copy()
    array[x] = array[y][::-1]
    array[y] = left


def _reverse(tour: Array, matrix: Array, first: int, count: int) -> None:
    """Reverse a circular range of positions in the tour and in its distance matrix."""
    n = len(tour)
    for x, y in _mirrored(first, count, n):
        _swap(tour, x, y)
        _swap(matrix, x, y)
        _swap(matrix.T, x, y)
    matrix[n] = matrix[0]
    matrix[:, n] = matrix[:, 0]
    matrix[n, n] = NEVER


def _improving_pairs(
    distances: Array, tour: Array, edges: Array, block: int = 128
) -> tuple[Array, Array, Array, Array]:
    """List the improving pairs of a closed tour's edges for both relative directions."""
    n = len(edges)
    matrix = distances.take(tour, 0).take(tour, 1)
    parts = []
    for low in range(0, n - 2, block):
        high = min(low + block, n - 2)
        removed = edges[low:high, None] + edges[low:]
        later = np.arange(low, n) >= np.arange(low, high)[:, None] + 2
        here, below = matrix[low:high], matrix[low + 1 : high + 1]
        for relation, added in (
            (1, here[:, low:n] + below[:, low + 1 :]),
            (-1, here[:, low + 1 :] + below[:, low:n]),
        ):
            change = added - removed
            row, column = np.nonzero((change < 0) & later)
            change = change[row, column]
            parts.append((row + low, column + low, np.full(len(row), relation, np.int8), change))
    a, b, relation, change = (np.concatenate(part) for part in zip(*parts, strict=True))
    touching = (relation < 0) & (a == 0) & (b == n - 1)
    return a[~touching], b[~touching], relation[~touching], change[~touching]


def _improving_with(
    distances: Array, tour: Array, edges: Array, number: Array, sense: Array, p: int
) -> tuple[Array, Array, Array, Array]:
    """List the improving pairs of the edge at position p, just made, with all others."""
    n = len(edges)
    to_tail = distances[tour[p]].take(tour)
    to_head = distances[tour[p + 1]].take(tour)
    removed = edges + edges[p]
    same = to_tail[:-1] + to_head[1:] - removed
    turned = to_tail[1:] + to_head[:-1] - removed
    same[p] = turned[p - 1] = turned[p] = turned[(p + 1) % n] = 0
    with_same, with_turned = np.flatnonzero(same < 0), np.flatnonzero(turned < 0)
    other = number[np.concatenate((with_same, with_turned))]
    relation = sense[other]
    relation[len(with_same) :] *= -1
    change = np.concatenate((same[with_same], turned[with_turned]))
    return np.full(len(other), number[p]), other, relation, change

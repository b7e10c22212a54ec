"""How many edges tours share, pair by pair, on arrays of NumPy or of a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.evolution.edge_keys import edge_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

_RARE = 500  # a pair is counted in the time of so many multiplications
_CHUNK = 2**23  # entries of temporary arrays


def shared_edges(xp: Any, tours: Any, first: int, *, symmetric: bool = True) -> Any:
    """Return how many edges each of the first tours has in common with each of all.

    The product of two incidence matrices: dense for edges that many tours have, pair by pair for
    the others, so that the time neither grows with all edges that occur, as a dense product's
    does where tours are random, nor with the pairs that share an edge, as a sparse one's does
    where tours are alike.

    Parameters
    ----------
    xp : module
        NumPy or CuPy, whichever the tours belong to.
    tours : integer array, shape (P, n)
        Permutations, n >= 3; not changed.
    first : int
        1 to P.
    symmetric : bool
        Whether an edge is the same in both directions.

    Returns
    -------
    int64 array of `xp`, shape (first, P)
    """
    size = len(tours)
    row, column = _incidence(xp, tours, symmetric)
    each = xp.bincount(column)  # tours that have an edge
    own = xp.bincount(column[row < first], minlength=len(each))
    frequent = own * each * _RARE >= first * size
    shared = xp.zeros((first, size), dtype=xp.float32)  # whole numbers, exact below 2**24
    for matrix in _dense(xp, row, column, frequent, size):
        shared += matrix[:, :first].T @ matrix
    pairs = shared.astype(xp.int64).ravel()
    for one, other in _pairs(xp, row, column, xp.where(frequent, 0, each), first):
        pairs += xp.bincount(one * size + other, minlength=first * size)
    return pairs.reshape(first, size)


def _incidence(xp: Any, tours: Any, symmetric: bool) -> tuple[Any, Any]:
    """Return the row and the edge of all edges of tours, by edges and then rows.

    Edges are numbered from 0 on without gaps.
    """
    bits = len(tours).bit_length()
    rows = xp.arange(len(tours), dtype=xp.int64)[:, xp.newaxis]
    both = ((edge_numbers(xp, tours, symmetric=symmetric) << bits) | rows).ravel()
    both.sort()
    edges = both >> bits
    first = xp.zeros(len(edges), dtype=xp.int64)
    first[1:] = edges[1:] != edges[:-1]
    return both & (2**bits - 1), xp.cumsum(first)


def _dense(xp: Any, row: Any, column: Any, frequent: Any, size: int) -> Iterator[Any]:
    """Yield 0-1 matrices of shape (edges, size), frequent edges only."""
    place = xp.cumsum(frequent.astype(xp.int64)) - 1
    chosen = frequent[column]
    row, column = row[chosen], place[column[chosen]]
    width = max(1, _CHUNK // size)
    edges = int(place[-1]) + 1
    for first in range(0, edges, width):
        matrix = xp.zeros((min(width, edges - first), size), dtype=xp.float32)
        begin, end = xp.searchsorted(column, xp.asarray([first, first + width])).tolist()
        matrix[column[begin:end] - first, row[begin:end]] = 1
        yield matrix


def _pairs(xp: Any, row: Any, column: Any, each: Any, first: int) -> Iterator[tuple[Any, Any]]:
    """Yield rows of pairs that share an edge, for edges that `each` says tours have."""
    begin = xp.searchsorted(column, xp.arange(len(each)))
    mine = xp.flatnonzero((row < first) & (each[column] > 0))
    ends = xp.cumsum(each[column[mine]])  # of the partners of each occurrence
    total = int(ends[-1]) if len(ends) else 0
    for done in range(0, total, _CHUNK):
        pair = xp.arange(done, min(done + _CHUNK, total))
        which = xp.searchsorted(ends, pair, side="right")
        edge = column[mine[which]]
        yield row[mine[which]], row[begin[edge] + pair - ends[which] + each[edge]]

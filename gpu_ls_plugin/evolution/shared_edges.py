"""How many edges tours share, pair by pair, on arrays of NumPy or of a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from gpu_ls_plugin.tours.kernels.edge_keys import edge_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_ls_plugin.tours.problem.tour_rows import Writing

_RARE = 500  # a pair is counted in the time in which so many are looked up in sets
_CHUNK = 2**23  # entries of temporary arrays
_WORD = 64  # bits


def shared_edges(xp: Any, tours: Any, first: int, **writing: Unpack[Writing]) -> Any:
    """Return how many edges each of the first tours has in common with each of all, (first, P).

    Edges that many tours have are counted in sets of bits, the others pair by pair, so that the
    time neither grows with all edges that occur, as that of sets does where tours are random, nor
    with the pairs that share an edge, which are all pairs where tours are alike.
    """
    size = len(tours)
    row, column = _incidence(xp, tours, writing)
    each = xp.bincount(column)  # tours that have an edge
    own = xp.bincount(column[row < first], minlength=len(each))
    frequent = own * each * _RARE >= first * size
    shared = xp.zeros((first, size), dtype=xp.int32)
    for words in _sets(xp, row, column, frequent, size):
        shared += _ones(xp, words[:first, xp.newaxis] & words)
    pairs = shared.astype(xp.int64).ravel()
    for one, other in _pairs(xp, row, column, xp.where(frequent, 0, each), first):
        pairs += xp.bincount(one * size + other, minlength=first * size)
    return pairs.reshape(first, size)


def _incidence(xp: Any, tours: Any, writing: Writing) -> tuple[Any, Any]:
    """Return the rows and the numbers, without gaps, of all edges of tours, by edges and rows."""
    bits = len(tours).bit_length()
    rows = xp.arange(len(tours), dtype=xp.int64)[:, xp.newaxis]
    both = ((edge_numbers(xp, tours, **writing) << bits) | rows).ravel()
    both.sort()
    edges = both >> bits
    first = xp.zeros(len(edges), dtype=xp.int64)
    first[1:] = edges[1:] != edges[:-1]
    return both & (2**bits - 1), xp.cumsum(first)


def _sets(xp: Any, row: Any, column: Any, frequent: Any, size: int) -> Iterator[Any]:
    """Yield 64 frequent edges at a time as bits: which of them tours have, uint64 (size,)."""
    place = xp.cumsum(frequent.astype(xp.int64)) - 1
    chosen = frequent[column]
    row, column = row[chosen], place[column[chosen]]
    edges, width = int(place[-1]) + 1, _WORD * max(1, _CHUNK // (_WORD * size))
    for first in range(0, edges, width):
        matrix = xp.zeros((size, min(width, -(-(edges - first) // _WORD) * _WORD)), dtype=bool)
        begin, end = xp.searchsorted(column, xp.asarray([first, first + width])).tolist()
        matrix[row[begin:end], column[begin:end] - first] = True
        words = xp.packbits(matrix.ravel()).view(xp.uint64).reshape(size, -1)
        yield from xp.ascontiguousarray(words.T)


def _ones(xp: Any, words: Any) -> Any:
    """Return how many bits are set in numbers of 64 bits."""
    if hasattr(xp, "bitwise_count"):
        return xp.bitwise_count(words)
    halves = words - (words >> 1 & 0x5555555555555555)  # NumPy 1: two, four, eight bits at a time
    fours = (halves & 0x3333333333333333) + (halves >> 2 & 0x3333333333333333)
    bytes_ = fours + (fours >> 4) & 0x0F0F0F0F0F0F0F0F
    return (bytes_ * 0x0101010101010101 >> 56).astype(xp.uint8)


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

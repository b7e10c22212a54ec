"""How many features rows share, pair by pair, on arrays of NumPy or of a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_RARE = 500  # a pair is counted in the time in which so many are looked up in sets
_CHUNK = 2**23  # entries of temporary arrays
_WORD = 64  # bits


def shared_features(xp: Any, features: Any, first: int) -> Any:
    """Return how many numbers each of the first rows has in common with each of all, (first, P).

    `features` are those of a `Domain`. Those that many rows have are counted in sets of bits, the
    others pair by pair, so that the time neither grows with all that occur, as that of sets does
    where rows are random, nor with the pairs that share one, which are all pairs where rows are
    alike.
    """
    size = len(features)
    row, column = _incidence(xp, features)
    each = xp.bincount(column)  # rows that have a feature
    own = xp.bincount(column[row < first], minlength=len(each))
    frequent = own * each * _RARE >= first * size
    shared = xp.zeros((first, size), dtype=xp.int32)
    for words in _sets(xp, row, column, frequent, size):
        shared += _ones(xp, words[:first, xp.newaxis] & words)
    pairs = shared.astype(xp.int64).ravel()
    for one, other in _pairs(xp, row, column, xp.where(frequent, 0, each), first):
        pairs += xp.bincount(one * size + other, minlength=first * size)
    return pairs.reshape(first, size)


def _incidence(xp: Any, features: Any) -> tuple[Any, Any]:
    """Return the rows and the numbers, without gaps, of all features, by features and rows."""
    bits = len(features).bit_length()
    rows = xp.arange(len(features), dtype=xp.int64)[:, xp.newaxis]
    both = ((features << bits) | rows).ravel()
    both.sort()
    ordered = both >> bits
    first = xp.zeros(len(ordered), dtype=xp.int64)
    first[1:] = ordered[1:] != ordered[:-1]
    return both & (2**bits - 1), xp.cumsum(first)


def _sets(xp: Any, row: Any, column: Any, frequent: Any, size: int) -> Iterator[Any]:
    """Yield 64 frequent features at a time as bits: which of them rows have, uint64 (size,)."""
    place = xp.cumsum(frequent.astype(xp.int64)) - 1
    chosen = frequent[column]
    row, column = row[chosen], place[column[chosen]]
    count, width = int(place[-1]) + 1, _WORD * max(1, _CHUNK // (_WORD * size))
    for first in range(0, count, width):
        matrix = xp.zeros((size, min(width, -(-(count - first) // _WORD) * _WORD)), dtype=bool)
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
    """Yield rows of pairs that share a feature, of those that `each` says rows have."""
    begin = xp.searchsorted(column, xp.arange(len(each)))
    mine = xp.flatnonzero((row < first) & (each[column] > 0))
    ends = xp.cumsum(each[column[mine]])  # of the partners of each occurrence
    total = int(ends[-1]) if len(ends) else 0
    for done in range(0, total, _CHUNK):
        pair = xp.arange(done, min(done + _CHUNK, total))
        which = xp.searchsorted(ends, pair, side="right")
        shared = column[mine[which]]
        yield row[mine[which]], row[begin[shared] + pair - ends[which] + each[shared]]

"""Choice of rows that differ in many features, for arrays of NumPy or CuPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.arrays import on_host, reversed_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK = 512  # number of rows that are compared at once
RARE = 500  # counting one pair takes as long as this many look-ups in bit sets
CHUNK = 2**23  # maximum number of entries in a temporary array
WORD = 64  # bits per word


def far_apart(xp: Any, features: Any, count: int, least: int) -> Any:
    """Return the ascending indices of `count` rows that differ in at least `least` features.

    `features` (P, n) has the features of each row, the best row first. A row is chosen if it
    differs from each row chosen before it in at least `least` features; row 0 is always chosen. If
    too few rows are chosen, the best of the skipped rows are added.
    """
    size, n = features.shape
    if least == 0:
        return xp.arange(count)
    taken = xp.zeros(0, dtype=xp.int64)
    for first in range(0, size, BLOCK):
        block = xp.arange(first, min(first + BLOCK, size))
        both = xp.concatenate([block, taken])
        close = n - shared_features(xp, features[both], len(block)) < least
        inside, outside = close[:, : len(block)], close[:, len(block) :]
        found = _first_come(xp, inside, ~reversed_rows(outside).any(axis=1))
        taken = xp.concatenate([taken, block[found]])
        if len(taken) >= count:
            return taken[:count]
    passed = xp.ones(size, dtype=bool)
    passed[taken] = False
    return xp.sort(xp.concatenate([taken, xp.flatnonzero(passed)[: count - len(taken)]]))


def _first_come(xp: Any, close: Any, free: Any) -> Any:
    """Choose free rows in order, except those close to a chosen row; return a bool mask (P,)."""
    before = close & xp.tri(len(close), k=-1, dtype=bool)
    taken = xp.zeros_like(free)
    while on_host(free).any():
        ready = free & ~reversed_rows(before & free).any(axis=1)
        taken |= ready
        free = free & ~ready & ~reversed_rows(before & ready).any(axis=1)
    return taken


def shared_features(xp: Any, features: Any, first: int) -> Any:
    """Return how many features rows 0 to `first` - 1 share with each row, (first, P).

    `features` (P, n) come from `Domain.features`. Features that many rows have are counted with bit
    sets, other features pair by pair. Bit sets alone would be slow for random rows, which have
    many distinct features; pairs alone would be slow for similar rows, because all pairs share
    features.
    """
    size = len(features)
    row, column = _incidence(xp, features)
    each = xp.bincount(column)  # number of rows that have each feature
    own = xp.bincount(column[row < first], minlength=len(each))
    frequent = own * each * RARE >= first * size
    shared = xp.zeros((first, size), dtype=xp.int32)
    for words in _sets(xp, row, column, frequent, size):
        shared += _bits_set(xp, words[:first, xp.newaxis] & words)
    pairs = shared.astype(xp.int64).ravel()
    for one, other in _pairs(xp, row, column, xp.where(frequent, 0, each), first):
        pairs += xp.bincount(one * size + other, minlength=first * size)
    return pairs.reshape(first, size)


def _incidence(xp: Any, features: Any) -> tuple[Any, Any]:
    """Return row and feature of each entry, sorted by feature; features are renumbered from 0."""
    bits = len(features).bit_length()
    rows = xp.arange(len(features), dtype=xp.int64)[:, xp.newaxis]
    both = ((features << bits) | rows).ravel()
    both.sort()
    ordered = both >> bits
    first = xp.zeros(len(ordered), dtype=xp.int64)
    first[1:] = ordered[1:] != ordered[:-1]
    return both & (2**bits - 1), xp.cumsum(first)


def _sets(xp: Any, row: Any, column: Any, frequent: Any, size: int) -> Iterator[Any]:
    """Yield a uint64 array (size,) for every 64 frequent features, with one bit per feature."""
    place = xp.cumsum(frequent.astype(xp.int64)) - 1
    chosen = frequent[column]
    row, column = row[chosen], place[column[chosen]]
    count, width = int(place[-1]) + 1, WORD * max(1, CHUNK // (WORD * size))
    for first in range(0, count, width):
        matrix = xp.zeros((size, min(width, -(-(count - first) // WORD) * WORD)), dtype=bool)
        begin, end = xp.searchsorted(column, xp.asarray([first, first + width])).tolist()
        matrix[row[begin:end], column[begin:end] - first] = True
        words = xp.packbits(matrix.ravel()).view(xp.uint64).reshape(size, -1)
        yield from xp.ascontiguousarray(words.T)


def _bits_set(xp: Any, words: Any) -> Any:
    if hasattr(xp, "bitwise_count"):
        return xp.bitwise_count(words)
    halves = words - (words >> 1 & 0x5555555555555555)  # NumPy 1: sum groups of 2, 4, then 8 bits
    fours = (halves & 0x3333333333333333) + (halves >> 2 & 0x3333333333333333)
    bytes_ = fours + (fours >> 4) & 0x0F0F0F0F0F0F0F0F
    return (bytes_ * 0x0101010101010101 >> 56).astype(xp.uint8)


def _pairs(xp: Any, row: Any, column: Any, each: Any, first: int) -> Iterator[tuple[Any, Any]]:
    """Yield the pairs of rows whose first row is below `first`, once per shared feature.

    A chunk of pairs is two index arrays: the first rows and the second rows. `each` is the
    number of rows with each feature; features for which it is 0 are skipped.
    """
    begin = xp.searchsorted(column, xp.arange(len(each)))
    mine = xp.flatnonzero((row < first) & (each[column] > 0))
    ends = xp.cumsum(each[column[mine]])  # each row with the same feature is a partner
    total = int(ends[-1]) if len(ends) else 0
    for done in range(0, total, CHUNK):
        pair = xp.arange(done, min(done + CHUNK, total))
        which = xp.searchsorted(ends, pair, side="right")
        shared = column[mine[which]]
        yield row[mine[which]], row[begin[shared] + pair - ends[which] + each[shared]]

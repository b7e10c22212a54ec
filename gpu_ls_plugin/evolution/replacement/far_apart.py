"""Tours that are a number of edges apart, the first of them first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from gpu_ls_plugin.evolution.shared_edges import shared_edges

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.problem.tour_rows import Writing

_SMALLEST = 3  # cities below which there is one tour only
_BLOCK = 512  # tours that are compared at once


def far_apart(xp: Any, tours: Any, count: int, edges: int, **writing: Unpack[Writing]) -> Any:
    """Return `count` rows: those far from all taken before them, then the first of the others.

    Tours are from the best to the worst. A tour is passed over where it has fewer than `edges`
    edges of its own beside any that is taken. Rows are in growing order, with row 0 among them.
    """
    size, n = tours.shape
    if n < _SMALLEST or edges == 0:
        return xp.arange(count)
    taken = xp.zeros(0, dtype=xp.int64)
    for first in range(0, size, _BLOCK):
        block = xp.arange(first, min(first + _BLOCK, size))
        both = xp.concatenate([block, taken])
        close = n - shared_edges(xp, tours[both], len(block), **writing) < edges
        inside, outside = close[:, : len(block)], close[:, len(block) :]
        found = _first_come(xp, inside, ~outside.any(axis=1))
        taken = xp.concatenate([taken, block[found]])
        if len(taken) >= count:
            return taken[:count]
    passed = xp.ones(size, dtype=bool)
    passed[taken] = False
    return xp.sort(xp.concatenate([taken, xp.flatnonzero(passed)[: count - len(taken)]]))


def _first_come(xp: Any, close: Any, free: Any) -> Any:
    """Return which free rows have no row close to them that is taken before them, bool (P,)."""
    before = close & xp.tri(len(close), k=-1, dtype=bool)
    taken = xp.zeros_like(free)
    while bool(free.any()):
        ready = free & ~(before & free).any(axis=1)
        taken |= ready
        free = free & ~ready & ~(before & ready).any(axis=1)
    return taken

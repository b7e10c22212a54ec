"""Rows that are far enough from each other, the first of them first."""

from __future__ import annotations

from typing import Any

from gpu_ls_plugin.evolution.shared_features import shared_features

_BLOCK = 512  # rows that are compared at once


def far_apart(xp: Any, features: Any, count: int, least: int) -> Any:
    """Return `count` rows: those far from all taken before them, then the first of the others.

    Rows, given by their `features`, are from the best to the worst. One is passed over where fewer
    than `least` of its features are not in any that is taken. Row 0 is among the rows that are
    returned, in growing order.
    """
    size, n = features.shape
    if least == 0:
        return xp.arange(count)
    taken = xp.zeros(0, dtype=xp.int64)
    for first in range(0, size, _BLOCK):
        block = xp.arange(first, min(first + _BLOCK, size))
        both = xp.concatenate([block, taken])
        close = n - shared_features(xp, features[both], len(block)) < least
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

"""Marks for the slow cases of a test."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

USUAL = ("EUC_2D", "EUC", "EXPLICIT")
ON_BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])


def slow_after(count: int, values: Iterable[Any]) -> list[Any]:
    """Mark all but the first `count` values as slow; tuples are values of several parameters."""
    given = [value if isinstance(value, tuple) else (value,) for value in values]
    late = [pytest.param(*value, marks=pytest.mark.slow) for value in given[count:]]
    return [*(pytest.param(*value) for value in given[:count]), *late]


def diagonal(*parameters: Iterable[Any]) -> list[Any]:
    """Return all combinations of values; each value is in one that is not slow."""
    axes = [list(values) for values in parameters]
    quick = {
        tuple(step % len(axis) for axis in axes) for step in range(max(len(axis) for axis in axes))
    }
    return [
        pytest.param(
            *(axis[at] for axis, at in zip(axes, place, strict=True)),
            marks=[pytest.mark.slow] * (place not in quick),
        )
        for place in product(*(range(len(axis)) for axis in axes))
    ]


def in_pairs(*parameters: Iterable[Any]) -> list[Any]:
    """Return enough combinations for each pair of values; slow ones as in `diagonal`."""
    every = diagonal(*parameters)
    missing = {pair for case in every for pair in _pairs_in(case.values)}
    kept = []
    while missing:  # take the first with most new pairs; cases that are not slow come first
        best = max(every, key=lambda case: (not case.marks, len(missing & _pairs_in(case.values))))
        every.remove(best)
        kept.append(best)
        missing -= _pairs_in(best.values)
    return kept


def _pairs_in(values: Iterable[Any]) -> set[tuple[Any, ...]]:
    return set(combinations([(axis, repr(value)) for axis, value in enumerate(values)], 2))


def slow_but_usual(*metrics: str) -> list[Any]:
    """Mark all but the usual metrics as slow, since each needs its own kernels."""
    return [
        name if name in USUAL else pytest.param(name, marks=pytest.mark.slow) for name in metrics
    ]

"""Two functors as one: their parameters, and what they keep beside a state."""

from __future__ import annotations

from typing import Any

from gpu_ls_plugin.tours.tour_layouts import padded


def pair_words(first: list[Any], kept_by_first: int, second: list[Any]) -> list[Any]:
    """Return the parameters of a `gls::FunctorPair` (heuristics/pair.cuh)."""
    return [2 + len(first), padded(kept_by_first), *first, *second]


def pair_kept_bytes(first: int, second: int) -> int:
    """Return the bytes that both keep, the second behind the first."""
    return padded(first) + second

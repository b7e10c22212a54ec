"""Bits of what is still to be looked at, as kernels have them."""

from __future__ import annotations

from typing import Any


def look_bits(xp: Any, awake: Any) -> Any:
    """Return the bits, uint32 (P, words), of gls::LookBits with the `awake` cities, bool (P, n)."""
    size, n = awake.shape
    words = -(-n // 32)
    waits = xp.zeros((size, 32 * words), xp.uint32)
    waits[:, :n] = awake
    shifts = xp.arange(32, dtype=xp.uint32)[:, None]
    return (waits.reshape(size, 32, words) << shifts).sum(axis=1, dtype=xp.uint32)

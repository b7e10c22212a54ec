"""Bits of what is still to be looked at, as kernels have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def look_bits(cities: NDArray[np.integer], n: int) -> NDArray[np.uint32]:
    """Return the bits of gls::LookBits with some of n cities to be looked at."""
    words = -(-n // 32)
    waits = np.zeros(32 * words, np.uint32)
    waits[cities] = 1
    shifts = np.arange(32, dtype=np.uint32)[:, None]
    bits: NDArray[np.uint32] = np.bitwise_or.reduce(waits.reshape(32, words) << shifts, axis=0)
    return bits

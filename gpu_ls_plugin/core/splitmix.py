"""A hash of 64-bit numbers, on arrays of NumPy or of a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio
# Shifts in bits, and factors, of the two rounds.
_SHIFTS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def splitmix64(numbers: Any) -> Any:
    """Return the hash of each uint64 of an array, a bijection (Steele, Lea and Flood 2014)."""
    bits = numbers * GOLDEN
    for shift, factor in _SHIFTS:
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))

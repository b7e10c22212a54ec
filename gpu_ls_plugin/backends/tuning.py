"""Launch numbers that all engines share; those of an engine lie beside it."""

from __future__ import annotations

# Dynamic shared memory that one block may have, in bytes, by compute capability.
SHARED_MEMORY = {75: 64 << 10, 80: 163 << 10, 90: 227 << 10, 100: 227 << 10}
LAUNCH_SECONDS = 0.05  # a launch should take about this long, so that searches can be stopped
LARGEST_SHORT = 1 << 16  # cities with 16-bit numbers
BLOCK_OVERHEAD = 1 << 10  # shared memory that the system keeps per block


def padded(count: int, to: int = 16) -> int:
    """Return a number of bytes or lanes, made a multiple of another one."""
    return -(-count // to) * to

"""Constants of launches that all engines share."""

from __future__ import annotations

# Largest dynamic shared memory of a block in bytes, by compute capability.
SHARED_MEMORY = {75: 64 << 10, 80: 163 << 10, 90: 227 << 10, 100: 227 << 10}
LAUNCH_SECONDS = 0.05  # intended time of a launch, between two checks of the limits
LARGEST_SHORT = 1 << 16  # number of cities up to which their numbers fit 16 bits
BLOCK_OVERHEAD = 1 << 10  # bytes of shared memory that CUDA reserves per block


def padded(count: int, to: int = 16) -> int:
    """Return a number of bytes or lanes, rounded up to a multiple of `to`."""
    return -(-count // to) * to

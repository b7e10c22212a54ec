"""Who generates a successor, and how its memory is laid out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.tours.tour_layouts import padded

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend

# Lanes of a team by the most values that it has to weigh for a variable; before, a warp.
BLOCKS = ((256, 128), (2048, 256), (2**18, 1024))
SCRATCH = 2**31  # bytes of a launch: more successors at once are not generated faster


def team(backend: Backend, most: int) -> str:
    """Return the C++ type of the team of one successor whose variables have up to `most` values."""
    threads = [lanes for least, lanes in BLOCKS if most > least]
    return backend.block(threads[-1]) if threads else backend.warp()


@dataclass(frozen=True)
class Scratch:
    """Memory of a successor that is being generated, in bytes.

    Attributes
    ----------
    order_begin, sampler_begin : int
        Where the order's and the sampler's own memory begins, behind what is kept of the state.
    size : int
    """

    order_begin: int
    sampler_begin: int
    size: int

    @classmethod
    def of(cls, kept: int, order: int, sampler: int) -> Scratch:
        """Lay out what the heuristic keeps, and what order and sampler need."""
        order_begin = padded(kept)
        sampler_begin = order_begin + padded(order)
        return cls(order_begin, sampler_begin, sampler_begin + padded(sampler))

"""Launch layouts of rows with instances of their own."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.backends.tuning import BLOCK_OVERHEAD, LARGEST_SHORT, padded
from gpu_ls_plugin.routes.kernels.linked_layouts import (
    NOTES_BYTES,
    LinkedShape,
    RowSizes,
    most_rows,
    row_bytes,
)

WARPS = 4  # warps of a block; few, so that little waits for the slowest row of a block


@dataclass(frozen=True)
class OwnRowsShape(LinkedShape):
    """Launch layout of linked lists in which each warp has its own sites and demands."""

    @classmethod
    def on_gpu(
        cls, shared_memory: int, sizes: RowSizes, site_bytes: int, *, kinds: int = 1
    ) -> LinkedShape:
        """Return the layout for rows of these sizes.

        Blocks have up to `shared_memory` bytes. Lengths are computed from `site_bytes` bytes per
        node; `kinds` is the number of kinds of moves.
        """
        own = row_bytes(sizes, 2, kinds) + padded(site_bytes * sizes.n)
        own += padded(4 * (sizes.customers + 1))
        fitting = range(most_rows(sizes) // WARPS, 0, -1)
        layouts = [(WARPS, blocks) for blocks in fitting]
        layouts += [(warps, 1) for warps in range(WARPS - 1, 0, -1)]
        for warps, blocks in layouts if sizes.n <= LARGEST_SHORT else ():
            room = (shared_memory + BLOCK_OVERHEAD) // blocks - BLOCK_OVERHEAD
            if warps * (own + NOTES_BYTES) <= room:
                team, shared = f"gls::Warp<{warps}>", warps * own
                return cls(team, 32, warps, True, True, shared, blocks)
        return LinkedShape("gls::Warp<4>", 32, 4, False, False)

    @property
    def memory(self) -> str:
        """C++ type of the memory for lists."""
        return "gls::TeamMemory"

"""Launch layouts of rows with instances of their own."""

from __future__ import annotations

import pytest

from gpu_ls_plugin.backends.tuning import BLOCK_OVERHEAD, padded
from gpu_ls_plugin.routes.kernels.linked_layouts import NOTES_BYTES, most_rows, row_bytes
from gpu_ls_plugin.routes.many.instances import RowsOfInstances
from gpu_ls_plugin.routes.many.layouts import OwnRowsShape

SHARED = 227 << 10  # bytes of a multiprocessor


@pytest.mark.parametrize(
    ("customers", "integer", "warps", "blocks"),
    [
        (20, True, 4, 4),
        (100, True, 4, 4),
        (100, False, 4, 3),
        (500, True, 4, 3),
        (1000, True, 4, 1),
        (4000, True, 1, 1),
    ],
)
def test_small_blocks_fill_a_multiprocessor(customers, integer, warps, blocks):
    sizes = RowsOfInstances(customers * 5 // 4, customers, integer)
    shape = OwnRowsShape.on_gpu(SHARED, sizes, 8)
    assert (shape.team, shape.blocks) == (f"gls::Warp<{warps}>", blocks)
    assert shape.memory == "gls::TeamMemory" and shape.in_shared
    own = row_bytes(sizes, 2, 1) + padded(8 * sizes.n) + padded(4 * (customers + 1))
    assert shape.shared_bytes(sizes.n) == warps * own
    assert blocks * (warps * (own + NOTES_BYTES) + BLOCK_OVERHEAD) <= SHARED + BLOCK_OVERHEAD
    assert blocks * warps <= most_rows(sizes)


def test_rows_without_room_in_shared_memory_lie_outside():
    shape = OwnRowsShape.on_gpu(SHARED, RowsOfInstances(20_000, 16_000, True), 8)
    assert shape.memory == "gls::GlobalMemory" and not shape.in_shared

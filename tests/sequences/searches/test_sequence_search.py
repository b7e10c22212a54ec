"""The search of sequences: limits of memory."""

from __future__ import annotations

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError
from gpu_ls_plugin.sequences.searches.sequence_search import ROW_BYTES

SHOP = gls.FlowShop([[3, 1], [2, 5], [4, 4], [1, 6]])


def test_more_rows_than_fit_are_refused():
    rows, limit = gls.random_sequences(SHOP, 5), 4 * SHOP.n * (ROW_BYTES + SHOP.state_bytes())
    search = gls.SequenceSearch(kick=None)
    assert len(search(SHOP, rows[:4], backend="cpu", memory_limit=limit).tours) == 4
    with pytest.raises(InsufficientMemoryError, match=r"memory_limit: 4 of 5 sequences fit"):
        search(SHOP, rows, backend="cpu", memory_limit=limit)

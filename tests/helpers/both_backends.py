"""Comparison of both backends: a GPU must return what a CPU returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import gpu_ls_plugin as gls

BACKENDS = ("cpu", "cuda")


def assert_equal_rows(host: Any, device: Any) -> None:
    """Compare rows of shape (P, n), which both backends return as NumPy arrays."""
    assert isinstance(host, np.ndarray) and isinstance(device, np.ndarray)
    assert host.shape == device.shape
    different = np.flatnonzero((host != device).any(axis=1))
    assert different.size == 0, f"rows {different[:10]} of {len(host)} differ"


def assert_same_rows(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Compare the rows that a call returns with each backend; return those of the GPU."""
    host, device = (call(*arguments, backend=name, **options) for name in BACKENDS)
    assert_equal_rows(host, device)
    return device


def assert_same_result(
    search: Callable[..., gls.Result], *arguments: Any, counts: Any = (), **options: Any
) -> gls.Result:
    """Compare the results of a search, with `counts` of statistics; return that of the GPU."""
    host, device = (search(*arguments, backend=name, **options) for name in BACKENDS)
    assert device.statistics.backend == "cuda"
    assert_equal_rows(host.tours, device.tours)
    assert np.array_equal(host.costs, device.costs)
    for name in counts:
        assert getattr(host.statistics, name) == getattr(device.statistics, name), name
    return device

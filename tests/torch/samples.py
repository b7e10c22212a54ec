"""Random instances and rows as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch", reason='needs pip install "gpu-ls-plugin[torch]"')

BATCH, N = 3, 12


def points(batch: int = BATCH, n: int = N, seed: int = 1) -> Any:
    """Return points in the unit square, float32 (batch, n, 2)."""
    return torch.from_numpy(np.random.default_rng(seed).random((batch, n, 2), np.float32))


def tours(*shape: int, seed: int = 2) -> Any:
    """Return random tours, int64, by default (BATCH, N)."""
    shape = shape or (BATCH, N)
    rows = np.broadcast_to(np.arange(shape[-1]), shape)
    return torch.from_numpy(np.random.default_rng(seed).permuted(rows, axis=-1))


def routes(batch: int = BATCH, customers: int = 9, seed: int = 3) -> tuple[Any, Any]:
    """Return demands 1..4, int64 (batch, customers), and actions with three customers a route."""
    rng = np.random.default_rng(seed)
    demands = torch.from_numpy(rng.integers(1, 5, (batch, customers)))
    order = rng.permuted(np.tile(np.arange(1, customers + 1), (batch, 1)), axis=1)
    actions = np.zeros((batch, customers + customers // 3 + 1), np.int64)
    for route in range(customers // 3):
        actions[:, 4 * route : 4 * route + 3] = order[:, 3 * route : 3 * route + 3]
    return demands, torch.from_numpy(actions)

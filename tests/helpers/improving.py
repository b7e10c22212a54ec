"""Calls of `gpu_ls_plugin.improve`, and costs of rows, for tests of what is built on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import gpu_ls_plugin as gls

if TYPE_CHECKING:
    import pytest
    from numpy.typing import NDArray


def engine(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Record the calls of `gls.improve`."""
    real, calls = gls.improve, []

    def recorded(coordinates: Any, rows: Any, **options: Any) -> Any:
        calls.append({"coordinates": coordinates, "rows": rows, **options})
        return real(coordinates, rows, **options)

    monkeypatch.setattr(gls, "improve", recorded)
    return calls


def lengths(points: Any) -> NDArray[np.float64]:
    """Return the Euclidean distances between points (B, n, 2)."""
    where = np.asarray(points, dtype=np.float64)
    found: NDArray[np.float64] = np.linalg.norm(where[:, :, None] - where[:, None], axis=-1)
    return found


def costs_of(matrices: Any, rows: Any, *, depot: bool = False) -> NDArray[np.float64]:
    """Return the costs of rows (B, n) or (B, P, n); routes begin and end at the depot."""
    matrices, rows = np.asarray(matrices, dtype=np.float64), np.asarray(rows)
    flat = rows.reshape(len(rows), -1, rows.shape[-1])
    if depot:
        flat = np.pad(flat, ((0, 0), (0, 0), (1, 0)))
    which = np.arange(len(rows))[:, None, None]
    found: NDArray[np.float64] = matrices[which, flat, np.roll(flat, -1, axis=2)].sum(axis=2)
    return found.reshape(rows.shape[:-1])

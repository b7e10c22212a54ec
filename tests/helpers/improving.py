"""A slow `gpu_ls_plugin.improve` in NumPy, for tests of what is built on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError

if TYPE_CHECKING:
    import pytest
    from numpy.typing import NDArray


class Improved(NamedTuple):
    """Rows, costs and which rows were valid."""

    rows: Any
    costs: Any
    valid: Any


def engine(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Record the calls of `gls.improve`; `improve` runs for rows that no domain serves yet."""
    real, calls = gls.improve, []

    def recorded(coordinates: Any, rows: Any, **options: Any) -> Any:
        calls.append({"coordinates": coordinates, "rows": rows, **options})
        try:
            return real(coordinates, rows, **options)
        except UnsupportedProblemError as error:
            if "no installed domain improves such rows" not in str(error):
                raise
            return improve(coordinates, rows, **options)

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


def improve(
    coordinates: Any,
    rows: Any,
    *,
    distances: Any = None,
    demands: Any = None,
    capacity: Any = None,
    moves: int | None = None,
    check: bool = False,
    **others: Any,
) -> Improved:
    """Improve rows by 2-opt, within each route if there are demands."""
    matrices = lengths(coordinates) if distances is None else np.asarray(distances, np.float64)
    given = np.asarray(rows)
    flat = given.reshape(-1, given.shape[-1]).copy()
    each = len(flat) // len(given)
    valid = np.zeros(len(flat), dtype=bool)
    for at, row in enumerate(flat):
        matrix = matrices[at // each]
        if demands is None:
            valid[at] = sorted(row) == list(range(len(matrix)))
            if valid[at]:
                _two_opt(matrix, row, moves or 1000)
            continue
        loads = np.asarray(demands)[at // each]
        limit = np.broadcast_to(np.asarray(capacity), len(given))[at // each]
        ends = np.flatnonzero(np.append(row, 0) == 0)
        routes = [row[a + 1 : b] for a, b in zip([-1, *ends[:-1]], ends, strict=True)]
        served = sorted(int(customer) for route in routes for customer in route)
        fits = all(loads[route].sum() <= limit for route in routes)
        valid[at] = fits and served == list(range(1, len(matrix)))
        for route in routes if valid[at] else ():
            closed = np.insert(route, 0, 0)
            _two_opt(matrix, closed, moves or 1000)
            route[:] = np.roll(closed, -int(np.argmin(closed)))[1:]
    if check and not valid.all():
        raise gls.exceptions.InvalidTourError(f"rows: row {int(np.argmin(valid))} is no solution")
    flat = flat.reshape(given.shape)
    costs = costs_of(matrices, flat, depot=demands is not None)
    return Improved(*(_like(rows, made) for made in (flat, costs, valid.reshape(costs.shape))))


def _two_opt(matrix: NDArray[np.float64], row: NDArray[Any], moves: int) -> None:
    """Apply improving moves to a tour (in place)."""
    n, made, improved = len(row), 0, True
    while improved and made < moves:
        improved = False
        for i in range(n - 1):
            for j in range(i + 1, n):
                a, b, c, d = row[i - 1], row[i], row[j], row[(j + 1) % n]
                gain = matrix[a, b] + matrix[c, d] - matrix[a, c] - matrix[b, d]
                if gain > 1e-9 and a != c and made < moves:
                    row[i : j + 1] = row[i : j + 1][::-1].copy()
                    made, improved = made + 1, True


def _like(rows: Any, made: NDArray[Any]) -> Any:
    """Return an array in the library of the given rows."""
    library = type(rows).__module__.partition(".")[0]
    if library == "torch":
        import torch

        return torch.from_numpy(np.ascontiguousarray(made))
    if library in ("jax", "jaxlib"):
        import jax.numpy

        return jax.numpy.asarray(made)
    return made

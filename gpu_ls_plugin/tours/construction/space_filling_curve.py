"""Tours along a Hilbert curve (Platzman and Bartholdi 1989)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.base import batch_size
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.tours.construction.random_tours import philox
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem

LEVELS = 20  # levels of the curve, which visits 2^20 x 2^20 cells
BLOCK_ENTRIES = 1 << 23  # maximum number of cells in memory at a time


def space_filling_curve(
    problem: Problem,
    size: int = 1,
    *,
    seed: int | None = 0,
    backend: str | Backend = "auto",
    device: int | None = None,
) -> Any:
    """Return tours that follow a Hilbert curve through the plane (Platzman and Bartholdi 1989).

    Row 0 follows the curve over the bounding square. For the other rows, the plane is rotated and
    shifted at random. Row r depends only on `seed` and r: a larger batch begins with the rows of a
    smaller one.

    Parameters
    ----------
    problem : Problem
        A problem with coordinates. For GEO, latitude and longitude count as coordinates in a plane.
    size, seed, backend, device
        As in `random_tours`.

    Returns
    -------
    ndarray, shape (size, n), int32

    Raises
    ------
    InsufficientMemoryError
        The tours do not fit into memory.
    UnsupportedProblemError
        The problem is a matrix.
    """
    problem = tour_problem(problem)
    key, chosen = checks.seed(seed), get_backend(backend, device)
    count = batch_size(chosen, problem.n, size)
    if problem.coordinates is None:
        raise UnsupportedProblemError(
            "problem: a space-filling curve needs coordinates, not a matrix; "
            "use greedy or nearest_neighbour"
        )
    with chosen.current():
        xp = chosen.xp
        points = xp.asarray(problem.coordinates - problem.coordinates.mean(axis=0))
        random = philox(key)
        drawn = np.concatenate([np.zeros((1, 3)), random.random((count - 1, 3))])
        turns, shifts = 2 * np.pi * drawn[:, 0], drawn[:, 1:]
        tours = np.empty((count, problem.n), np.int32)
        step = max(1, BLOCK_ENTRIES // problem.n)
        for begin in range(0, count, step):
            rows = slice(begin, begin + step)
            keys = hilbert(xp, *_to_cells(xp, points, turns[rows], shifts[rows]))
            tours[rows] = chosen.to_numpy(xp.argsort(keys, axis=1, kind="stable"))
        return tours


def _to_cells(xp: Any, points: Any, turns: Any, shifts: Any) -> tuple[Any, Any]:
    """Return the columns and rows (tours, n) of the cells of rotated and shifted points.

    `turns` (tours,) are angles in radians, and `shifts` (tours, 2) are multiples of the extent.
    """
    cosine, sine = xp.asarray(np.cos(turns))[:, None], xp.asarray(np.sin(turns))[:, None]
    moved = xp.asarray(shifts)
    x = points[:, 0] * cosine - points[:, 1] * sine
    y = points[:, 0] * sine + points[:, 1] * cosine
    low_x, low_y = x.min(axis=1, keepdims=True), y.min(axis=1, keepdims=True)
    extent = xp.maximum((x - low_x).max(axis=1), (y - low_y).max(axis=1))[:, None]
    extent = xp.where(extent > 0, extent, 1.0)
    # Shifted points fill a quarter of the curve's square, at a random position.
    side = ((1 << LEVELS) - 1) / (1.0 + (moved > 0).any(axis=1)[:, None])
    cells = []
    for values, low, shift in ((x, low_x, moved[:, :1]), (y, low_y, moved[:, 1:])):
        cells.append(((values - low) / extent * side + shift * side).astype("int64"))
    return cells[0], cells[1]


def hilbert(xp: Any, x: Any, y: Any) -> Any:
    """Return the position of each cell along the Hilbert curve."""
    keys = xp.zeros_like(x)
    for level in reversed(range(LEVELS)):
        right, top = (x >> level) & 1, (y >> level) & 1
        keys = (keys << 2) | ((3 * right) ^ top)
        # Rotate the quadrant so that its curve starts and ends as at the level above.
        flip = (1 << level) - 1
        x, y = (
            xp.where(top, x, xp.where(right, flip - (y & flip), y & flip)) & flip,
            xp.where(top, y, xp.where(right, flip - (x & flip), x & flip)) & flip,
        )
    return keys

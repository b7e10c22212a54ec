"""The space that a front dominates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def hypervolume(front: ArrayLike, reference: ArrayLike) -> float:
    """Return the volume between a front and a reference point, all objectives to be minimised.

    It is exact, by slices along the last objective: quick for two objectives, and for fronts of a
    few hundred rows with three. Rows that others dominate, or beyond the reference, add nothing.
    """
    rows, corner = np.asarray(front, dtype=float), np.asarray(reference, dtype=float)
    if not len(rows):
        return 0.0
    return _volume(np.unique(rows[(rows < corner).all(axis=1)], axis=0), corner)


def _volume(rows: NDArray[np.float64], corner: NDArray[np.float64]) -> float:
    if not len(rows):
        return 0.0
    if len(corner) == 1:
        return float(corner[0] - rows.min())
    rows = rows[np.argsort(rows[:, -1], kind="stable")]
    if len(corner) == 2:
        heights = corner[0] - np.minimum.accumulate(rows[:, 0])
        return float(heights @ np.diff(np.append(rows[:, 1], corner[1])))
    depths = np.diff(np.append(rows[:, -1], corner[-1]))
    return sum(
        float(depth) * _volume(rows[: index + 1, :-1], corner[:-1])
        for index, depth in enumerate(depths)
        if depth > 0
    )

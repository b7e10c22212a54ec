"""Tours as random keys: the order of a row's numbers is the order of its cities. Plain NumPy.

Bean (1994), Genetic Algorithms and Random Keys for Sequencing and Optimization, ORSA Journal on
Computing 6(2), 154-160.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.evolution.batches.rows import Tours

    Keys = NDArray[np.float64]


def decode(keys: NDArray[Any]) -> Tours:
    """Return the tours of keys (P, n): cities by their keys, equal keys by their numbers."""
    return np.argsort(keys, axis=1, kind="stable").astype(np.int32)


def encode(keys: NDArray[Any], tours: Tours) -> Keys:
    """Return float64 keys (P, n) that stand for given tours, made of the numbers of other keys.

    Each row's numbers are given to the row's cities anew. A row with equal numbers, which say
    nothing about the order of these cities, becomes evenly spaced numbers in (0, 1).
    """
    values = np.sort(np.asarray(keys, dtype=np.float64), axis=1)
    n = values.shape[1]
    unclear = ~(np.diff(values, axis=1) > 0).all(axis=1)  # NaN as well
    values[unclear] = (np.arange(n) + 0.5) / n
    written = np.empty_like(values)
    np.put_along_axis(written, tours, values, axis=1)
    return written

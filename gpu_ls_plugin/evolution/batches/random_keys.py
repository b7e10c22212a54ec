"""Tours as random keys, in NumPy: a tour visits the cities by growing keys.

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
    """Return the tours of keys (P, n); cities with equal keys are in order of their numbers."""
    return np.argsort(keys, axis=1, kind="stable").astype(np.int32)


def encode(keys: NDArray[Any], tours: Tours) -> Keys:
    """Return float64 keys (P, n) of tours; each row has the numbers of the same row of `keys`.

    If a row of `keys` has equal numbers, its new keys are evenly spaced numbers in (0, 1): equal
    keys do not determine an order.
    """
    values = np.sort(np.asarray(keys, dtype=np.float64), axis=1)
    n = values.shape[1]
    unclear = ~(np.diff(values, axis=1) > 0).all(axis=1)  # NaN as well
    values[unclear] = (np.arange(n) + 0.5) / n
    written = np.empty_like(values)
    np.put_along_axis(written, tours, values, axis=1)
    return written

"""Random keys as what successor generation needs of them: numbers of 64 bits, and orders.

Bean (1994), Genetic Algorithms and Random Keys for Sequencing and Optimization, ORSA Journal on
Computing 6(2), 154-160.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin import checks
from gpu_ls_plugin.backends import arrays
from gpu_ls_plugin.exceptions import InvalidParameterError, InvalidTypeError

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend

BITS = 53  # of a key: those of a float64 below 1


def take_keys(backend: Backend, m: int, keys: Any) -> tuple[Any, Any]:
    """Return what chooses values, uint64 (P, m), and the order of variables, int32 (P, m).

    A key that is not between 0 and 1 is refused, with its row and position.
    """
    xp = backend.xp
    array = backend.adopt(keys) if arrays.on_gpu(keys) else _matrix(keys)
    if array.dtype.kind != "f":
        raise InvalidTypeError(f"keys: must be floats, not {array.dtype}")
    if array.ndim != 2 or array.shape[1] not in (m, 2 * m) or not array.size:
        raise InvalidParameterError(
            f"keys: shape {array.shape}, but keys of {m} variables are (P, {m}), or (P, {2 * m}) "
            "with those for their order, P >= 1"
        )
    array = xp.asarray(array, dtype="float64")
    outside = ~((array >= 0) & (array <= 1))  # NaN as well
    if bool(outside.any()):
        row, place = (int(index) for index in np.argwhere(backend.to_numpy(outside))[0])
        raise InvalidParameterError(
            f"keys: row {row} has key {float(array[row, place])} at position {place}, which is not "
            "between 0 and 1"
        )
    whole = xp.minimum(xp.floor(array[:, :m] * 2.0**BITS), 2.0**BITS - 1)  # a key of 1 is the last
    draws = whole.astype("uint64") << np.uint64(64 - BITS)
    # Without keys of their own, variables are equal, and stay by their numbers.
    order = xp.argsort(array[:, m:], axis=1, kind="stable") if array.shape[1] > m else xp.arange(m)
    listed = xp.broadcast_to(order, draws.shape)
    return xp.ascontiguousarray(draws), xp.ascontiguousarray(listed, dtype="int32")


def _matrix(keys: Any) -> Any:
    checks.unmasked("keys", keys)
    try:
        array = np.asarray(keys)
    except ValueError as error:
        raise InvalidParameterError("keys: rows of different lengths") from error
    return array[np.newaxis] if array.ndim == 1 else array

"""Check of the arrays that heuristics and masks take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import ArrayLike, NDArray


def integer_array(
    name: str, given: ArrayLike, shape: str, axes: Collection[int], dtype: Any, most: int
) -> NDArray[Any]:
    """Return a read-only copy of integers from 0 to `most`; `axes` are allowed numbers of axes."""
    checks.unmasked(name, given)
    try:
        array = np.asarray(given)
    except (ValueError, TypeError) as error:
        raise InvalidTypeError(f"{name}: {error}") from error
    if array.ndim not in axes or 0 in array.shape[-1:]:
        raise InvalidParameterError(f"{name}: shape {array.shape} is not {shape}")
    if array.dtype.kind not in "iu":
        raise InvalidTypeError(f"{name}: must be integers, not {array.dtype}; round them first")
    outside = (array < 0) | (array > most)
    if outside.any():
        place = tuple(int(i) for i in np.argwhere(outside)[0])
        raise InvalidParameterError(
            f"{name}: {array[place]} at {place} is not between 0 and {most}"
        )
    array = np.array(array, dtype, order="C")
    array.flags.writeable = False
    return array

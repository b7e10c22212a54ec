"""What a call of a generation is given: states, and which of their variables are active."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin import checks
from gpu_ls_plugin.backends import arrays
from gpu_ls_plugin.exceptions import (
    InvalidParameterError,
    InvalidTourError,
    InvalidTypeError,
)
from gpu_ls_plugin.problems.assignment import check_states

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend


def take_states(backend: Backend, sizes: NDArray[Any], states: Any) -> Any:
    """Return checked states as an int32 array (P, m) of the backend."""
    xp = backend.xp
    if not arrays.on_gpu(states):
        return xp.asarray(check_states(states, sizes))
    array = backend.adopt(states)
    fitting = array.dtype.kind in "iu" and array.ndim == 2 and array.shape[1] == len(sizes)
    if not fitting or not array.size or bool(((array < -1) | (array >= xp.asarray(sizes))).any()):
        array = check_states(xp.asnumpy(array), sizes)  # says why, or takes a single row
    return xp.ascontiguousarray(xp.asarray(array), dtype=np.int32)


def require_distinct(backend: Backend, states: Any) -> None:
    """Raise where two variables of a state have the same value."""
    ordered = backend.xp.sort(states, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    if bool(twice.any()):
        row, place = backend.xp.argwhere(twice)[0].tolist()
        raise InvalidTourError(
            f"states: row {row} has value {ordered[row, place]} more than once, but all variables "
            "of this problem must differ"
        )


def take_active(backend: Backend, states: Any, active: Any) -> tuple[Any, int]:
    """Return which variables are assigned, None for all, and how far rows of it are apart."""
    if active is None:
        return None, 0
    checks.unmasked("active", active)
    array = backend.adopt(active) if arrays.on_gpu(active) else np.asarray(active)
    if array.dtype != np.bool_:
        raise InvalidTypeError(
            f"active: {array.dtype} is not Boolean; pass a mask with True where a variable is to "
            "be assigned"
        )
    if array.shape not in (states.shape, states.shape[1:]):
        raise InvalidParameterError(
            f"active: shape {array.shape} is neither {states.shape[1:]} nor {states.shape}, one "
            "mask for all states or one for each"
        )
    mask = backend.xp.ascontiguousarray(backend.xp.asarray(array))
    return mask.view(np.uint8), states.shape[1] if mask.ndim == 2 else 0


def distinct_rows(backend: Backend, states: Any) -> Any:
    """Return the rows of which no earlier one is a copy, in their order."""
    xp = backend.xp
    # CuPy's `unique` compares rows one by one from the host.
    numbered = xp.vstack([xp.arange(len(states), dtype="int32"), states.T])
    order = xp.lexsort(numbered)  # copies lie side by side, the first one in front
    first = xp.ones(len(states), bool)
    first[1:] = (states[order[1:]] != states[order[:-1]]).any(axis=1)
    return states[xp.sort(order[first])]

"""Checks of the arguments of successor generation: states, active variables, random keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.problem.assignment import check_states
from gpu_ls_plugin.backends import arrays
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTourError, InvalidTypeError

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
    if not fitting or not array.size or _outside(backend, array, sizes):
        array = check_states(xp.asnumpy(array), sizes)  # raises, or accepts a single row
    return xp.ascontiguousarray(xp.asarray(array), dtype=np.int32)


def _outside(backend: Backend, states: Any, sizes: NDArray[Any]) -> bool:
    """Return whether an entry is not a value of its variable, nor -1."""
    outside = (states < -1) | (states >= backend.xp.asarray(sizes))
    return bool(backend.to_numpy(outside).any())


def require_distinct(backend: Backend, states: Any) -> None:
    """Raise InvalidTourError if two variables of a state have the same value."""
    ordered = backend.xp.sort(states, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    if backend.to_numpy(twice).any():
        row, place = backend.xp.argwhere(twice)[0].tolist()
        raise InvalidTourError(
            f"states: row {row} has value {ordered[row, place]} more than once, but all variables "
            "of this problem must differ"
        )


def take_active(backend: Backend, states: Any, active: Any) -> tuple[Any, int]:
    """Return a uint8 mask of the variables to assign, and its stride per state.

    The mask is None if all variables are assigned; the stride is 0 if all states share a mask.
    """
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
    """Return the rows in their original order, without those that repeat an earlier one."""
    xp = backend.xp
    # This does not use `unique`, since CuPy's version compares rows one by one from the host.
    numbered = xp.vstack([xp.arange(len(states), dtype="int32"), states.T])
    order = xp.lexsort(numbered)  # equal rows are neighbours, the earliest first
    first = xp.ones(len(states), bool)
    first[1:] = (states[order[1:]] != states[order[:-1]]).any(axis=1)
    return states[xp.sort(order[first])]


BITS = 53  # number of significant bits of a key, which is a float64


def take_keys(backend: Backend, m: int, keys: Any) -> tuple[Any, Any]:
    """Return the bits that choose values, uint64 (P, m), and the order of variables, int32 (P, m).

    An InvalidParameterError names the row and position of a key outside [0, 1]. See Bean (1994),
    Genetic Algorithms and Random Keys for Sequencing and Optimization, ORSA Journal on Computing
    6(2), 154-160.
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
    outside = ~((array >= 0) & (array <= 1))  # also true for NaN
    if backend.to_numpy(outside).any():
        row, place = (int(index) for index in np.argwhere(backend.to_numpy(outside))[0])
        raise InvalidParameterError(
            f"keys: row {row} has key {float(array[row, place])} at position {place}, which is not "
            "between 0 and 1"
        )
    # A key of 1 counts as the largest one below 1.
    whole = xp.minimum(xp.floor(array[:, :m] * 2.0**BITS), 2.0**BITS - 1)
    draws = whole.astype("uint64") << np.uint64(64 - BITS)
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

"""Where arrays meet the user: NumPy in, NumPy out; arrays on a GPU in, CuPy out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.exceptions import InvalidTourError, InvalidTypeError
from gpu_ls_plugin.problems import referee as solution

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.tsp import TSP


def on_gpu(array: Any) -> bool:
    """Whether an array is on a GPU (CuPy, or anything with ``__cuda_array_interface__``)."""
    return hasattr(array, "__cuda_array_interface__")


def on_host(array: Any) -> Any:
    """Return an array as NumPy; copied if it is on a GPU."""
    return array.get() if on_gpu(array) else np.asarray(array)


def take_tours(backend: Backend, problem: TSP, tours: Any) -> Any:
    """Return checked tours as a new int32 array (P, n) of the backend; the input is not changed.

    Raises
    ------
    InvalidTourError, InvalidTypeError
        As `solution.check_tours` does; the message names the row.
    """
    if on_gpu(tours):
        return _take_gpu_tours(backend, problem, tours)
    checked = solution.check_tours(problem, tours)
    return backend.xp.array(checked, dtype=np.int32, order="C", copy=True)


def _take_gpu_tours(backend: Backend, problem: TSP, tours: Any) -> Any:
    array, cupy, n = backend.adopt(tours), backend.xp, problem.n
    if array.dtype.kind not in "iu":
        raise InvalidTypeError(f"tours: {array.dtype} is not an integer type")
    if array.ndim == 1:
        array = array[None, :]
    if array.ndim != 2 or array.shape[0] == 0 or array.shape[1] != n:
        raise InvalidTourError(f"tours: shape {array.shape} is not (P, {n}) with P > 0")
    inside = (array >= 0) & (array < n)
    seen = cupy.zeros(array.shape, bool)  # faster than to sort rows
    seen[cupy.arange(len(array))[:, None], cupy.where(inside, array, 0)] = True
    if not bool((seen & inside).all()):  # let the referee say why
        solution.check_tours(problem, cupy.asnumpy(array))
    return cupy.array(array, dtype=np.int32, order="C", copy=True)


def give(backend: Backend, array: Any, *, like: Any) -> Any:
    """Return an array of the backend as the kind of array that came in."""
    return array if on_gpu(like) else backend.to_numpy(array)

"""Conversion of callers' arrays: NumPy in and out, or any GPU array in and CuPy out."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.core.exceptions import InvalidTourError, InvalidTypeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem

SHORT_ROW = 512  # maximum length of a row that a warp checks if there are many


def on_gpu(array: Any) -> bool:
    """Return whether an array has ``__cuda_array_interface__``, as CuPy arrays do."""
    return hasattr(array, "__cuda_array_interface__")


def on_host(array: Any) -> Any:
    """Return an array as a NumPy array, copied if it is on a GPU."""
    return array.get() if on_gpu(array) else np.asarray(array)


def reversed_rows(array: Any) -> Any:
    """Return a view of an array, reversed along its last axis, in order to reduce that axis.

    CuPy compiles sums and tests of 128 or more contiguous values with the headers of CUB, which
    takes seconds.
    """
    return array[..., ::-1]


def take_tours(backend: Backend, problem: Problem, tours: Any) -> Any:
    """Return checked tours as a new int32 array (P, n) of the backend."""
    taken, check = queue_tours(backend, problem, tours)
    check()
    return taken


def queue_tours(backend: Backend, problem: Problem, tours: Any) -> tuple[Any, Callable[[], None]]:
    """Return tours as `take_tours` does, and a function that raises if a row is not a tour.

    On a GPU, a queued kernel checks the rows, and the returned function waits for it. The kernel
    replaces each invalid row with a valid tour, so that the caller can queue other kernels at once.
    Type and shape are checked immediately.
    """
    if on_gpu(tours):
        return _queue_gpu_tours(backend, problem, backend.adopt(tours))
    if backend.name == "cuda" and isinstance(tours, np.ndarray) and tours.dtype.kind in "iu":
        return _queue_gpu_tours(backend, problem, backend.xp.asarray(tours))
    checked = problem.check(tours, parameter="tours")
    return backend.xp.array(checked, dtype=np.int32, order="C", copy=True), lambda: None


@cache
def take_kernel(team: str) -> Kernel:
    """Compose the kernel that copies and checks tours."""
    body = f"gls::TakeTour<{team}>"
    parameters = parse_parameters("int n, const int* rows, int* tours, int* places, int* faults")
    header = "backends/include/take_tour.cuh"
    return Kernel("take_tour", header, body, parameters, team)


def queue_permutations(backend: Backend, rows: Any) -> tuple[Any, Any]:
    """Queue a copy and a check of int32 rows on a backend.

    Return the copy, and an array (1,) that becomes 1 if a row is invalid.
    """
    xp = backend.xp
    arguments = {
        "n": rows.shape[1],
        "rows": rows,
        "tours": xp.empty(rows.shape, "int32"),
        "places": xp.empty(rows.shape, "int32"),
        "faults": xp.zeros(1, "int32"),
    }
    many_short = len(rows) >= tuning.MANY_ROWS and rows.shape[1] <= SHORT_ROW
    team = backend.warp() if many_short else backend.block(256)
    backend.launch(take_kernel(team), len(rows), arguments)
    return arguments["tours"], arguments["faults"]


def _queue_gpu_tours(
    backend: Backend, problem: Problem, array: Any
) -> tuple[Any, Callable[[], None]]:
    cupy, n = backend.xp, problem.n
    if array.dtype.kind == "f":  # the problem decides whether these are integers
        array = cupy.asarray(problem.check(cupy.asnumpy(array), parameter="tours"))
    if array.dtype.kind not in "iu":
        raise InvalidTypeError(f"tours: {array.dtype} is not an integer type")
    if array.ndim == 1:
        array = array[None, :]
    if array.ndim != 2 or array.shape[0] == 0 or array.shape[1] != n:
        raise InvalidTourError(f"tours: shape {array.shape} is not (P, {n}) with P > 0")
    rows = array
    if array.dtype != "int32" and not cupy.can_cast(array.dtype, "int32"):
        # As int32, an entry out of range could wrap around to a valid city, so it becomes n.
        rows = cupy.where((array >= 0) & (array < n), array, n).astype("int32")
    taken, faults = queue_permutations(backend, cupy.ascontiguousarray(rows, dtype="int32"))

    def check() -> None:
        if int(faults[0]):  # raises with a message
            problem.check(cupy.asnumpy(array), parameter="tours")

    return taken, check


def give(backend: Backend, array: Any, *, like: Any) -> Any:
    """Return an array of the backend, as a NumPy array unless `like` is on a GPU."""
    return array if on_gpu(like) else backend.to_numpy(array)

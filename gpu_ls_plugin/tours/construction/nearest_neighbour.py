"""Nearest-neighbour tours from many starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.base import batch_size
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.construction.random_tours import philox
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.problem.metrics import Metric

HEADER = "tours/construction/nearest_neighbour.cuh"
CANDIDATES = Nearest(10)  # cities that are tried before all unvisited ones
LARGE = 20_000  # for at least this many cities, a block instead of a warp builds each tour
BLOCK_THREADS = 512  # threads of such a block


def nearest_neighbour_kernel(metric: Metric, team: str) -> Kernel:
    """Return the kernel of nearest-neighbour tours."""
    body = "gls::NearestNeighbour<{team}, {metric}>"
    parameters = (struct_of(HEADER, "NearestNeighbourBatch"),)
    return metric_kernel("nearest_neighbour", metric, HEADER, body, parameters, team)


def first_cities(n: int, seed: int) -> NDArray[np.int64]:
    """Return the first cities of n tours: each city once, in random order."""
    return philox(seed).permutation(n)


def nearest_neighbour(
    problem: Problem,
    size: int = 1,
    *,
    seed: int | None = 0,
    backend: str | Backend = "auto",
    device: int | None = None,
) -> Any:
    """Return nearest-neighbour tours: go to the nearest unvisited city.

    Johnson and McGeoch (1997) describe the heuristic. Ties go to the smallest city number. Each row
    starts at a different city, in an order drawn from `seed`. After n rows, the starts repeat.

    Parameters
    ----------
    problem : Problem
    size, seed, backend, device
        As in `random_tours`.

    Returns
    -------
    ndarray, shape (size, n), int32

    Raises
    ------
    InsufficientMemoryError
        The tours do not fit into memory.
    """
    problem = tour_problem(problem)
    key, chosen = checks.seed(seed), get_backend(backend, device)
    count = batch_size(chosen, problem.n, size, per_city=5)
    n = problem.n
    starts = np.resize(first_cities(n, key), count).astype(np.int32)
    if n == 1:
        return np.zeros((count, 1), np.int32)
    with chosen.current():
        xp = chosen.xp
        neighbours, lengths, degree = CANDIDATES.on(chosen, problem)
        tours = xp.empty((count, n), "int32")
        arguments = {
            "metric_data": metric_data(chosen, problem),
            "n": n,
            "neighbours": neighbours,
            "lengths": lengths,
            "degree": degree,
            "starts": xp.asarray(starts),
            "visited": xp.empty((count, n), "uint8"),
            "tours": tours,
        }
        team = chosen.block(BLOCK_THREADS) if n >= LARGE else chosen.warp()
        chosen.launch(nearest_neighbour_kernel(problem.metric, team), count, arguments)
        return chosen.to_numpy(tours)

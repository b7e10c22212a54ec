"""Nearest-neighbour tours from many starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.batch_size import batch_size
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.construction.draws import philox
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.problem.metrics import Metric

CANDIDATES = Nearest(10)
LARGE = 20_000  # cities from which a whole block works on a tour
BLOCK_THREADS = 512


def nearest_neighbour_kernel(metric: Metric, team: str) -> Kernel:
    """Compose the kernel that always goes on to the nearest city."""
    return metric_kernel(
        "nearest_neighbour",
        metric,
        header="tours/construction/nearest_neighbour.cuh",
        body="gls::NearestNeighbour<{team}, {metric}>",
        parameters="const void* metric_data, int n, const int* neighbours, const void* lengths, "
        "int degree, const int* starts, unsigned char* visited, int* tours",
        team=team,
    )


def first_cities(n: int, seed: int) -> NDArray[np.int64]:
    """Return all cities (n,) in the order in which tours begin at them."""
    return philox(seed).permutation(n)


def nearest_neighbour(
    problem: Problem,
    size: int = 1,
    *,
    seed: int | None = 0,
    backend: str | Backend = "auto",
    device: int | None = None,
) -> Any:
    """Return tours that always go on to the nearest unvisited city, ties to the smallest.

    Each row starts at another city, in an order drawn from `seed`; beyond n rows the starts repeat.

    Parameters
    ----------
    problem : Problem
    size : int
        Number of tours, up to 2**31 - 1.
    seed : int or None
        Key of the random starts. The same seed gives the same tours: pass another one for each
        call, or None to draw one.
    backend, device
        Where the tours are made; see `get_backend`.

    Returns
    -------
    ndarray, shape (size, n), int32

    Raises
    ------
    InsufficientMemoryError
        So many tours do not fit the memory.
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

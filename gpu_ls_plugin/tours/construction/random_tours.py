"""Uniform random tours, and random numbers for constructions on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.base import batch_size
from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem


def philox(seed: int) -> np.random.Generator:
    """Return NumPy's Philox generator for a seed; kernels also use Philox."""
    return np.random.Generator(np.random.Philox(key=seed))


def random_tours_kernel(team: str) -> Kernel:
    """Return the kernel that shuffles tours."""
    body = f"gls::RandomTours<{team}>"
    parameters = parse_parameters("int n, gls::uint64 seed, gls::int64 first_row, int* tours")
    header = "tours/construction/random_tours.cuh"
    return Kernel("random_tours", header, body, parameters, team, parts=("random_tours",))


def random_tours(
    problem: Problem,
    size: int = 1,
    *,
    seed: int | None = 0,
    backend: str | Backend = "auto",
    device: int | None = None,
) -> Any:
    """Return uniform random tours.

    Row r depends only on `seed` and r: a larger batch begins with the rows of a smaller one.

    Parameters
    ----------
    problem : Problem
    size : int
        Number of tours, up to 2**31 - 1.
    seed : int or None
        Key of the random numbers. The same seed gives the same tours; None draws a seed.
    backend, device
        See `get_backend`.

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
    count = batch_size(chosen, problem.n, size)
    with chosen.current():
        return chosen.to_numpy(shuffle(chosen, problem.n, count, key))


def shuffle(backend: Backend, n: int, size: int, seed: int, first_row: int = 0) -> Any:
    """Return `size` random tours for a seed on a backend, beginning with row `first_row`."""
    tours = backend.xp.empty((size, n), "int32")
    arguments = {"n": n, "seed": seed, "first_row": first_row, "tours": tours}
    backend.launch(random_tours_kernel(backend.warp()), size, arguments)
    return tours

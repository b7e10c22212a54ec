"""Random sequences, and orders in which constructions insert items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.rows import splitmix64
from gpu_ls_plugin.sequences.problem.sequence import sequence_problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.sequences.problem.sequence import Sequence

WORD = 2.0**64


def random_sequences(
    problem: Problem,
    size: int = 1,
    *,
    seed: int | None = 0,
    backend: str | Backend = "auto",
    device: int | None = None,
) -> NDArray[np.int32]:
    """Return uniform random sequences.

    Row r depends only on `seed` and r: a larger batch begins with the rows of a smaller one.

    Parameters
    ----------
    problem : Sequence
    size : int
        Number of sequences.
    seed : int or None
        None draws a seed.
    backend, device
        See `get_backend`.

    Returns
    -------
    ndarray, shape (size, n), int32

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range, or `problem` is not a sequence problem.
    """
    sequence = sequence_problem(problem)
    get_backend(backend, device)  # raises if there is none
    return in_order(sequence, uniform(sequence.n, checks.size(size), checks.seed(seed)))


def uniform(n: int, size: int, seed: int) -> NDArray[np.float64]:
    """Return random numbers in [0, 1), shape (size, n); row r depends only on `seed` and r."""
    with np.errstate(over="ignore"):
        keys = splitmix64(np.array([seed], np.uint64)) + np.arange(size, dtype=np.uint64)
        numbers = splitmix64(splitmix64(keys)[:, None] + np.arange(n, dtype=np.uint64))
    return np.asarray(numbers / WORD)


def in_order(problem: Sequence, keys: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the items sorted by their keys (P, n), after the items that are fixed in front."""
    if front := problem.front:
        keys = keys.copy()
        keys[:, front] = np.arange(len(front)) - WORD
    return keys.argsort(axis=1, kind="stable").astype(np.int32)

"""The cost of tours from scratch, and the checks of rows: the referee of every search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gpu_ls_plugin.backends.composition import TEAM
from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.core import upper_layers
from gpu_ls_plugin.core.rows import blocks, check_permutations
from gpu_ls_plugin.core.rows import check_tours as check_tours
from gpu_ls_plugin.core.rows import check_values as check_values

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.problem.metrics import Cities, Lengths

PARTIAL_SUMS = constant(TEAM, "kPartialSums")  # of real lengths, as many as kernels have


class Tours(Protocol):
    """What the referee asks of a problem whose rows are tours."""

    @property
    def n(self) -> int:
        """Number of cities."""

    @property
    def cost_dtype(self) -> np.dtype[Any]:
        """The type of costs."""

    @property
    def objective(self) -> Any:
        """What tours cost in addition to their length."""

    def lengths(self, a: Cities, b: Cities) -> Lengths:
        """Return the exact lengths from cities `a` to cities `b`, elementwise."""


def tour_costs(problem: Tours, tours: Any) -> Lengths:
    """Return the exact length of every tour, computed from scratch; the closing edge counts.

    Parameters
    ----------
    problem : TSP
        Defines the lengths.
    tours : array_like of any integer type, shape (P, n) or (n,)
        Zero-based permutations, checked; not changed. CuPy arrays stay on their device.

    Returns
    -------
    array, shape (P,), int64 for integer metrics, else float64
        CuPy for CuPy input, else NumPy. A problem of one city has tours of length 0.
    """
    if hasattr(tours, "__cuda_array_interface__"):
        costs_there: Lengths = upper_layers.device_costs(problem, tours)
        return costs_there
    batch = check_permutations(tours, problem.n)
    costs = np.zeros(len(batch), dtype=problem.cost_dtype)
    if problem.n > 1:
        for rows in blocks(*batch.shape):
            start = batch[rows]
            costs[rows] = added_up(problem.lengths(start, np.roll(start, -1, axis=1)))
    if not problem.objective.length_alone:
        costs += problem.objective.costs(problem, batch)
    return costs


def added_up(lengths: Lengths) -> Lengths:
    """Return the sums of the rows of lengths (P, n), shape (P,).

    Real numbers are added up in the order of kernels (`sum` in include/team.cuh), so that both
    sides agree to the last bit: partial sums of every 32nd number, which are then halved.
    """
    if lengths.dtype.kind != "f":
        whole: Lengths = lengths.sum(axis=1)
        return whole
    size, n = lengths.shape
    end = n - n % PARTIAL_SUMS
    blocks_of_sums = lengths[:, :end].reshape(size, end // PARTIAL_SUMS, PARTIAL_SUMS)
    sums: Lengths = blocks_of_sums.sum(axis=1)  # one block after the other
    sums[:, : n - end] += lengths[:, end:]
    while (half := sums.shape[1] // 2) > 0:
        sums = sums[:, :half] + sums[:, half:]
    return sums[:, 0]

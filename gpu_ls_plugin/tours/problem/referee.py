"""The referee of all searches: computes the costs of tours from scratch, and checks rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.composition import TEAM
from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.core import upper_layers
from gpu_ls_plugin.core.rows import blocks, check_permutations
from gpu_ls_plugin.core.rows import check_tours as check_tours
from gpu_ls_plugin.core.rows import check_values as check_values

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.problem.metrics import Lengths

# Number of partial sums into which real lengths are added, as in kernels.
PARTIAL_SUMS = constant(TEAM, "kPartialSums")


def tour_costs(problem: Any, tours: Any) -> Lengths:
    """Compute the exact cost of every tour of a `TSP` from scratch, including the closing edge.

    The tour of a single city has length 0. See `TSP.cost`.
    """
    if hasattr(tours, "__cuda_array_interface__"):
        costs_there: Lengths = upper_layers.device_costs(problem, tours)
        return costs_there
    batch = check_permutations(tours, problem.n)
    costs = np.zeros(len(batch), dtype=problem.cost_dtype)
    if problem.n > 1:
        for rows in blocks(*batch.shape):
            start = batch[rows]
            costs[rows] = row_sums(problem.lengths(start, np.roll(start, -1, axis=1)))
    if not problem.objective.length_alone:
        costs += problem.objective.costs(problem, batch)
    return costs


def row_sums(lengths: Lengths) -> Lengths:
    """Return the sums (P,) of the rows of lengths (P, n).

    Real numbers are added in the same order as in kernels (`sum` in include/team.cuh), so that both
    agree to the last bit: 32 partial sums, each of every 32nd number, which are added pairwise.
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

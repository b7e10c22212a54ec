"""Evaluation of batches of sequences for searches on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.sequences.problem.sequence import Sequence

MOST_ROWS = 10_000  # rows in a call of the objective
MOST_ENTRIES = 2**22  # entries of these rows: 16 MiB
ROUNDING = 1e-12  # relative; changes of real costs that are smaller do not count


class Evaluation:
    """Evaluates sequences without checking that they are permutations.

    Attributes
    ----------
    most : int
        Maximum number of rows in a call of the objective.
    """

    def __init__(self, problem: Sequence) -> None:
        self.problem = problem
        self.most = min(MOST_ROWS, max(1, MOST_ENTRIES // problem.n))

    def __call__(self, rows: NDArray[np.int32]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return the costs by which searches compare rows, and which rows are feasible."""
        parts = range(0, len(rows), self.most)
        found = [self._of_part(rows[begin : begin + self.most]) for begin in parts]
        costs, feasible = zip(*found, strict=True)
        return np.concatenate(costs), np.concatenate(feasible)

    def _of_part(self, rows: NDArray[np.int32]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        costs, excesses = self.problem.evaluated(rows)
        feasible = np.ones(len(rows), np.bool_) if excesses is None else excesses == 0
        return self.problem.priced(costs, excesses), feasible

    def threshold(self, costs: NDArray[Any]) -> NDArray[Any]:
        """Return numbers; costs below them are lower than `costs` by more than rounding."""
        return costs if self.problem.integer else costs - ROUNDING * np.abs(costs)

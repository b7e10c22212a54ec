"""A heuristic with a fixed weight for each value of each variable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.heuristics.base import Heuristic, integer_array
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem

LARGEST = 2**32 - 1  # largest weight
BITS = (8, 16, 24, 32)  # possible widths of weights; sums of several narrow ones fit into 32 bits


class WeightTable(Heuristic):
    """Give each value of each variable a fixed weight, whatever values other variables have.

    Parameters
    ----------
    weights : array_like of integers from 0 to 2**32 - 1, shape (variables, values)
        The probability of a value is proportional to its weight. Copied.

    Raises
    ------
    InvalidParameterError
        There are no values, or a weight is out of range; the message names its place.
    InvalidTypeError
        The weights are not integers.
    """

    name = "weight_table"
    rating_bytes = 4
    header = "assignment/heuristics/weight_table.cuh"
    side_by_side = True

    def __init__(self, weights: ArrayLike) -> None:
        shape = "(variables, values), at least one of each"
        self.weights = integer_array("weights", weights, shape, (2,), np.uint32, LARGEST)

    def __repr__(self) -> str:
        return "WeightTable({} variables, {} values)".format(*self.weights.shape)

    def sizes(self, problem: Problem | None) -> NDArray[np.int32]:
        """Return how many values each variable has.

        An `Assignment` defines these numbers; for other problems, each of them is the number of
        columns of the table.
        """
        variables, values = self.weights.shape
        if problem is not None and problem.n != variables:
            raise UnsupportedProblemError(
                f"heuristic: the weights are for {variables} variables, but the problem has "
                f"{problem.n}; pass a table with a row for each"
            )
        if not isinstance(problem, Assignment):
            return np.full(variables, values, np.int32)
        if (most := int(problem.sizes.max())) > values:
            raise UnsupportedProblemError(
                f"heuristic: the weights are for {values} values, but variable "
                f"{problem.sizes.argmax()} has {most}; pass a table with a column for each"
            )
        return problem.sizes

    def functor(self) -> str:
        needed = int(self.weights.max()).bit_length()
        return f"gls::WeightTable<{next(bits for bits in BITS if needed <= bits)}>"

    def words(self, backend: Backend, problem: Problem | None) -> list[Any]:
        """Return the weights, the numbers of values and the number of columns of the table."""
        columns = self.weights.shape[1]
        data = {"weights": self.weights, "sizes": self.sizes(problem), "columns": columns}
        return in_order(WeightTable.header, "WeightTableData", data)

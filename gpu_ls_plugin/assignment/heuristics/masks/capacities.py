"""A mask that gives each value a capacity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.heuristics.base import integer_array
from gpu_ls_plugin.assignment.heuristics.masked import Mask
from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.backends.tuning import padded
from gpu_ls_plugin.core.checks import MOST_INT
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MOST_CAPACITY = 2**62  # so that sums of loads and demands stay below 2**63


class Capacities(Mask):
    """Forbid a value if the demands of the variables that have it would exceed its capacity.

    Parameters
    ----------
    capacities : array_like of integers from 0 to 2**62, shape (values,)
        Capacity of each value. Copied.
    demands : array_like of integers from 0 to 2**31 - 1, shape (variables,) or (variables, values)
        Demand of each variable, or of each variable for each value. Copied.

    Raises
    ------
    InvalidParameterError
        An array has the wrong shape or a number out of range; the message names its place.
    InvalidTypeError
        Capacities or demands are not integers.
    """

    name = "capacities"
    header = "assignment/heuristics/masks/capacities.cuh"
    side_by_side = True

    def __init__(self, capacities: ArrayLike, demands: ArrayLike) -> None:
        self.capacities = integer_array(
            "capacities", capacities, "(values,)", (1,), np.int64, MOST_CAPACITY
        )
        shapes = "(variables,) or (variables, values)"
        self.demands = integer_array("demands", demands, shapes, (1, 2), np.int32, MOST_INT)
        values = len(self.capacities)
        if self.demands.ndim == 2 and self.demands.shape[1] != values:
            raise InvalidParameterError(
                f"demands: they are for {self.demands.shape[1]} values, but there are {values} "
                "capacities"
            )

    def __repr__(self) -> str:
        return f"Capacities({len(self.capacities)} values, {len(self.demands)} variables)"

    def check(self, sizes: NDArray[Any]) -> None:
        """Raise UnsupportedProblemError if variables differ in number or have too many values."""
        if len(self.demands) != len(sizes):
            raise UnsupportedProblemError(
                f"demands: they are for {len(self.demands)} variables, but there are {len(sizes)}"
            )
        if (most := int(sizes.max())) > len(self.capacities):
            raise UnsupportedProblemError(
                f"capacities: there are {len(self.capacities)}, but variable {sizes.argmax()} has "
                f"{most} values"
            )

    def functor(self) -> str:
        return "gls::Capacities"

    def words(self, sizes: NDArray[Any]) -> list[Any]:
        """Return capacities, the largest number of values, and demands with their strides."""
        strides = (1, 0) if self.demands.ndim == 1 else (self.demands.shape[1], 1)
        data = {
            "capacities": self.capacities,
            "sizes": int(sizes.max()),
            "demands": self.demands,
            "variable_stride": strides[0],
            "value_stride": strides[1],
        }
        return in_order(Capacities.header, "CapacitiesData", data)

    def kept_bytes(self, sizes: NDArray[Any]) -> int:
        """Return the size in bytes of a load and a remaining capacity per value."""
        most = int(sizes.max())
        return padded(8 * most) + 4 * most

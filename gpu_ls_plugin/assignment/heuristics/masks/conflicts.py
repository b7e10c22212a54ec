"""Masks that keep values distinct: those of given pairs of variables, or of all variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.heuristics.base import integer_array
from gpu_ls_plugin.assignment.heuristics.masked import Mask
from gpu_ls_plugin.assignment.problem.assignment import neighbour_lists
from gpu_ls_plugin.backends.structs import constant, in_order
from gpu_ls_plugin.core.checks import MOST_INT
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# Number of bytes in a set before the byte of value 0.
BEFORE = constant("assignment/heuristics/masks/value_set.cuh", "kNoValue")


def set_bytes(sizes: NDArray[Any]) -> int:
    """Return the size of a set of values (value_set.cuh) in bytes."""
    return BEFORE + int(sizes.max())


class Conflicts(Mask):
    """Forbid values of variables in conflict, such as the colours of a vertex's neighbours.

    Parameters
    ----------
    pairs : array_like of integers, shape (k, 2)
        Variables that must not have the same value, in any order; repeated pairs count once.
        Copied.

    Raises
    ------
    InvalidParameterError
        The shape is wrong, a number is out of range, or a variable is in conflict with itself; the
        message names the pair.
    InvalidTypeError
        The pairs are not integers.
    """

    name = "conflicts"
    header = "assignment/heuristics/masks/conflicts.cuh"
    side_by_side = True

    def __init__(self, pairs: ArrayLike) -> None:
        self.pairs = integer_array("pairs", pairs, "(k, 2)", (2,), np.int64, MOST_INT)
        if self.pairs.shape[1] != 2:
            raise InvalidParameterError(f"pairs: shape {self.pairs.shape} is not (k, 2)")
        if (alone := self.pairs[:, 0] == self.pairs[:, 1]).any():
            pair = int(alone.argmax())
            raise InvalidParameterError(
                f"pairs: variable {self.pairs[pair, 0]} is in conflict with itself in pair {pair}; "
                "leave such pairs out"
            )

    def __repr__(self) -> str:
        return f"Conflicts({len(self.pairs)} pairs)"

    def check(self, sizes: NDArray[Any]) -> None:
        """Raise UnsupportedProblemError if a pair contains a variable that does not exist."""
        if self.pairs.size and (last := int(self.pairs.max())) >= len(sizes):
            raise UnsupportedProblemError(
                f"pairs: variable {last} is in conflict, but variables are 0..{len(sizes) - 1}"
            )

    def functor(self) -> str:
        return "gls::Conflicts"

    def words(self, sizes: NDArray[Any]) -> list[Any]:
        """Return the neighbours of each variable, and the largest number of values."""
        begins, neighbours = neighbour_lists(self.pairs, len(sizes))
        data = {"begins": begins, "neighbours": neighbours, "sizes": int(sizes.max())}
        return in_order(Conflicts.header, "ConflictsData", data)

    def kept_bytes(self, sizes: NDArray[Any]) -> int:
        """Return the size of a set of values in bytes."""
        return set_bytes(sizes)


class Distinct(Mask):
    """Forbid values that other variables have: states become permutations or parts of them."""

    name = "distinct"
    header = "assignment/heuristics/masks/conflicts.cuh"
    side_by_side = True

    def __repr__(self) -> str:
        return "Distinct()"

    def check(self, sizes: NDArray[Any]) -> None:
        """Accept all variables."""

    def functor(self) -> str:
        return "gls::Distinct"

    def words(self, sizes: NDArray[Any]) -> list[Any]:
        """Return the largest number of values of a variable."""
        return in_order(Distinct.header, "DistinctData", {"sizes": int(sizes.max())})

    def kept_bytes(self, sizes: NDArray[Any]) -> int:
        """Return the size of a set of values in bytes."""
        return set_bytes(sizes)

"""Problems whose solutions assign a value to each of some variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.exceptions import InvalidProblemError, InvalidTourError
from gpu_ls_plugin.problems.problem import Problem
from gpu_ls_plugin.problems.referee import integer_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MOST_VALUES = 2**30  # of a variable: kernels count them, and lanes beyond them, in 32 bits
WORDS = ("states", "variables", "value")


class Assignment(Problem):
    """A problem whose rows assign to each variable a value of its domain, or -1: none yet.

    Parameters
    ----------
    sizes : array_like of positive integers, shape (n,)
        How many values each variable has, numbered from 0 on.

    Attributes
    ----------
    sizes : int32 array, shape (n,)
        Read only.

    Raises
    ------
    InvalidProblemError
        There is no variable, or one without a value.
    """

    def __init__(self, sizes: ArrayLike) -> None:
        given = np.asarray(sizes)
        if given.ndim != 1 or not given.size or given.dtype.kind not in "iu":
            raise InvalidProblemError(
                f"sizes: {given.dtype} of shape {given.shape} are not integers of shape (n,), n > 0"
            )
        outside = (given < 1) | (given > MOST_VALUES)
        if outside.any():
            variable = int(outside.argmax())
            raise InvalidProblemError(
                f"sizes: variable {variable} has {given[variable]} values, which is not between 1 "
                f"and {MOST_VALUES}"
            )
        self.sizes = np.array(given, np.int32)
        self.sizes.flags.writeable = False
        self.n = len(self.sizes)

    def check(self, rows: Any, /, *, parameter: str = "rows") -> NDArray[np.int32]:
        """Return states as an array, or say which row is not one; as `Problem.check`."""
        return check_states(rows, self.sizes, parameter=parameter)


def check_states(
    rows: ArrayLike, sizes: NDArray[Any], *, parameter: str = "states"
) -> NDArray[np.int32]:
    """Return rows of values, or -1, as an array, or say which row is not a state.

    Parameters
    ----------
    rows : array_like of any integer type, shape (P, m) or (m,)
        Not changed.
    sizes : integer array, shape (m,)
        How many values each variable has.
    parameter : str
        What messages call the rows.

    Returns
    -------
    int32 array, shape (P, m), C-contiguous
        A view where `rows` is such an array already, else a copy.

    Raises
    ------
    InvalidTourError
        Wrong shape, no row, or a value out of range; row and variable are named.
    InvalidTypeError
        The entries are not integers.
    """
    array = integer_rows(rows, len(sizes), parameter, WORDS)
    outside = (array < -1) | (array >= sizes)
    if outside.any():
        row, variable = np.argwhere(outside)[0]
        raise InvalidTourError(
            f"{parameter}: row {row} assigns value {array[row, variable]} to variable {variable}, "
            f"whose values are 0..{sizes[variable] - 1}, or -1 for none"
        )
    return np.ascontiguousarray(array, dtype=np.int32)

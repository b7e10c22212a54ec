"""Problems whose solutions assign a value to each of some variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gpu_ls_plugin.assignment.problem import assignment_files
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    InvalidProblemError,
    InvalidTourError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.files import naming
from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.core.rows import integer_rows

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray

MOST_VALUES = 2**30  # of a variable: kernels count them, and lanes beyond them, in 32 bits
WORDS = ("states", "variables", "value")


class Assignment(Problem):
    """A problem whose rows assign to each variable a value of its domain, or -1: none yet.

    A subclass gives `cost` and `integer`, and `feasible` where there are more constraints than that
    each variable has a value. One that is searched gives `functor` as well, its `header` or
    `source`, and `words`.

    Parameters
    ----------
    sizes : array_like of positive integers, shape (n,)
        How many values each variable has, numbered from 0 on.

    Attributes
    ----------
    sizes : int32 array, shape (n,)
        Read only.
    moves : tuple of {"assign", "swap"}
        How searches change states: one variable's value, the values of two.
    distinct : bool
        Whether no two variables may have the same value; all need the same number of values then,
        at least n. If no value is left over, searches only swap, whatever `moves` says.
    interchangeable : bool
        Whether values may be renamed without a difference, as colours.
    chains : bool
        Whether searches may move by ejection chains: the functor says what
        `assignment/engines/ejection_chains.cuh` asks.
    heaviest : int
        By how much constraints are broken at most; 0 if that is not known, which is taken for
        65,536.
    penalty : float
        What searches take a unit of excess for at first, in units of cost.
    header : str
        The functor's file by its path in the package, empty where `source` has it.

    Raises
    ------
    InvalidProblemError
        There is no variable, or one without a value; or values are to be distinct, and there are
        too few.
    """

    constrained = True
    moves: ClassVar[tuple[str, ...]] = ("assign", "swap")
    distinct: ClassVar[bool] = False
    interchangeable: ClassVar[bool] = False
    chains: bool = False
    heaviest: int = 0
    penalty: float = 1.0
    header: ClassVar[str] = ""

    def __init__(self, sizes: ArrayLike) -> None:
        checks.unmasked("sizes", sizes, InvalidProblemError)
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
        require_enough_values(self)

    def check(self, rows: Any, /, *, parameter: str = "rows") -> NDArray[np.int32]:
        """Return states as an array, or say which row is not one; as `Problem.check`."""
        return check_states(rows, self.sizes, parameter=parameter)

    def feasible(self, rows: Any, /) -> NDArray[np.bool_]:
        """Return which states assign every variable, shape (P,), unless overridden.

        Where values are to be `distinct`, no two variables may have the same one.
        """
        states = self.check(rows)
        complete = (states >= 0).all(axis=1)
        if self.distinct:
            complete &= (np.diff(np.sort(states, axis=1)) != 0).all(axis=1)
        return np.asarray(complete)

    def write_solution(self, state: Any, path: str | os.PathLike[str]) -> None:
        """Write one state to a text file: a line for each variable, with the number of its value.

        Numbers begin with 1, as in the files of problems; 0 is no value. The file appears complete
        or not at all.

        Raises
        ------
        InvalidTourError, InvalidTypeError
            As `check`, or there is more than one state.
        OSError
            The file cannot be written.
        """
        assignment_files.write_values(path, self._one(state))

    def read_solution(self, path: str | os.PathLike[str]) -> NDArray[np.int32]:
        """Return the state, shape (n,), that `write_solution` wrote.

        Raises
        ------
        FileNotFoundError
            No such file.
        FileFormatError
            It holds anything but a value for each variable.
        """
        with naming(path):
            return self._one(assignment_files.read_values(path, self.n))

    def _one(self, state: Any) -> NDArray[np.int32]:
        """Return the row of one state."""
        rows = self.check(state, parameter="state")
        if len(rows) != 1:
            raise InvalidTourError(f"state: {len(rows)} states, but one is needed; pass one row")
        row: NDArray[np.int32] = rows[0]
        return row

    def functor(self) -> str:
        """Return the C++ type, as `assignment/problem/assignment.cuh` describes it.

        Raises
        ------
        UnsupportedProblemError
            There is none, unless overridden.
        """
        raise UnsupportedProblemError(
            f"problem: {type(self).__name__} says no functor(), so that it cannot be searched; "
            "see docs/assignment.md"
        )

    def source(self) -> str:
        """Return the C++ text that defines the functor, empty where it is built in."""
        return ""

    def words(self) -> list[Any]:
        """Return what the functor is made of: integers, floats, NumPy arrays."""
        return []

    def quick_state(self) -> NDArray[np.int32] | None:
        """Return a complete state that takes hardly any time to make, shape (n,).

        A search starts one row from it, and returns nothing worse however short its time is. None,
        unless overridden: searches then make one by `CheapestValue`.
        """
        return None

    def relaxed_words(self) -> list[Any] | None:
        """Return words of a functor that leaves no value out, for some rounds of a search.

        None if `words` leaves none out, unless overridden.
        """
        return None

    def kept_bytes(self) -> int:
        """Return the bytes that the functor keeps of a state: a worth, unless overridden."""
        return 16


def require_enough_values(problem: Assignment) -> None:
    """Raise unless all variables can have different values, and each any of them, if they must."""
    least, most = int(problem.sizes.min()), int(problem.sizes.max())
    if problem.distinct and not problem.n <= least == most:
        raise InvalidProblemError(
            f"sizes: {problem.n} variables that must differ have {least} to {most} values; give "
            f"all of them the same number of values, at least {problem.n}"
        )


def check_states(
    rows: ArrayLike, sizes: NDArray[Any], *, parameter: str = "states"
) -> NDArray[np.int32]:
    """Return rows of values, or -1, as a C-contiguous int32 array (P, m); a view of such an array.

    `sizes` says how many values each variable has. InvalidTourError names the row and the variable.
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

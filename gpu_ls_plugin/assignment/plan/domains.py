"""Conversion between integer rows of frameworks and states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpu_ls_plugin.assignment.problem.assignment import MOST_VALUES, Assignment
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    States = NDArray[np.int32]
    Integers = NDArray[np.int64]

_FARTHEST = 2**52  # largest absolute value of bounds; some frameworks hold integers as float64


@dataclass(frozen=True, eq=False)
class Domains:
    """Integer variables between bounds, and the problem whose states represent their values.

    A variable's value in a framework is its lowest value plus its value in the state.

    Attributes
    ----------
    problem : Assignment
    lowest : int64 array, shape (n,)
        Lowest value of each variable.
    """

    problem: Assignment
    lowest: Integers

    @classmethod
    def of(cls, problem: Assignment) -> Self:
        """Return the domains of a problem whose states are the rows themselves."""
        return cls(problem, np.zeros(problem.n, np.int64))

    @classmethod
    def between(cls, lowest: ArrayLike, highest: ArrayLike) -> Self:
        """Return the domains of a problem that only the framework knows.

        Both bounds (n,) are inclusive. An InvalidProblemError names a variable whose bounds are not
        whole, exceed 2**52 in absolute value, are in the wrong order or allow too many values.
        """
        lower, upper = np.asarray(lowest, np.float64), np.asarray(highest, np.float64)
        for variable, (low, high) in enumerate(zip(lower, upper, strict=True)):
            whole = low == np.rint(low) and high == np.rint(high)
            if not (whole and -_FARTHEST <= low <= high <= _FARTHEST):
                raise InvalidProblemError(
                    f"problem: the values of variable {variable} are {low:.17g} to {high:.17g}, "
                    f"but bounds are whole numbers up to {_FARTHEST}, the lower one first"
                )
            if high - low >= MOST_VALUES:
                raise InvalidProblemError(
                    f"problem: variable {variable} has {high - low + 1:.0f} values, more than "
                    f"{MOST_VALUES}"
                )
        return cls(_Variables((upper - lower + 1).astype(np.int64)), lower.astype(np.int64))

    @property
    def highest(self) -> Integers:
        """The highest value of each variable."""
        return self.lowest + self.problem.sizes - 1

    def states(self, rows: ArrayLike, parameter: str = "rows") -> States:
        """Return a framework's rows, whole numbers of any type, as states, int32 (P, n), P >= 1.

        Raises an InvalidTourError, which names the place, for a number that is not whole or is out
        of bounds and, if values must be distinct, for a value that appears twice in a row.
        """
        array = _numbers(rows, self.problem.n, parameter)
        if array.dtype.kind == "f":
            self._refuse(array, array != np.rint(array), parameter)  # also NaN
        self._refuse(array, (array < self.lowest) | (array > self.highest), parameter)
        states = (array.astype(np.int64) - self.lowest).astype(np.int32)
        if self.problem.distinct:
            _check_distinct(states, parameter)
        return states

    def rows(self, states: States) -> Integers:
        """Return states as a framework's rows, int64 (P, n)."""
        return states + self.lowest

    def _refuse(self, array: NDArray[Any], wrong: NDArray[np.bool_], parameter: str) -> None:
        if not wrong.any():
            return
        row, variable = np.argwhere(wrong)[0]
        raise InvalidTourError(
            f"{parameter}: row {row} has {array[row, variable]} as its variable {variable}, whose "
            f"values are whole numbers {self.lowest[variable]}..{self.highest[variable]}; "
            "operators for real numbers need a repair that rounds"
        )


class _Variables(Assignment):
    """A problem whose costs only the framework knows."""

    integer = False

    def cost(self, rows: Any, /) -> NDArray[Any]:
        raise UnsupportedProblemError("problem: only the framework knows its costs")


def _numbers(rows: ArrayLike, n: int, parameter: str) -> NDArray[Any]:
    """Return rows as an array (P, n) of integers or floats."""
    checks.unmasked(parameter, rows, InvalidTourError)
    try:
        array = np.asarray(rows)
        if array.dtype.kind == "O":  # for example from joined populations of several types
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidTypeError(f"{parameter}: {error}") from error
    if array.ndim == 1:
        array = array[np.newaxis]
    if array.ndim != 2 or array.shape[1] != n or not len(array):
        raise InvalidTourError(
            f"{parameter}: shape {np.shape(rows)}, but rows of {n} variables are (P, {n}), P >= 1, "
            f"or ({n},)"
        )
    if array.dtype.kind not in "biuf":
        raise InvalidTypeError(f"{parameter}: values must be whole numbers, not {array.dtype}")
    return array.astype(np.int64) if array.dtype.kind == "b" else array


def _check_distinct(states: States, parameter: str) -> None:
    ordered = np.sort(states, axis=1)
    twice = ordered[:, 1:] == ordered[:, :-1]
    if twice.any():
        row, place = np.argwhere(twice)[0]
        raise InvalidTourError(
            f"{parameter}: row {row} has value {ordered[row, place]} twice, but rows of this "
            "problem are permutations; use operators of permutations"
        )

"""Problems whose solutions assign a value to each variable."""

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

MOST_VALUES = 2**30  # maximum number of values per variable; loop counters then fit into 32 bits
WORDS = ("states", "variables", "value")


class Assignment(Problem):
    """A problem whose rows give each variable a value, or -1 if it has none yet.

    A subclass defines `cost` and `integer`, and `feasible` if states in which each variable has a
    value may break constraints. For searches, it also defines `functor`, its `header` or `source`,
    and `words`.

    Parameters
    ----------
    sizes : array_like of positive integers, shape (n,)
        How many values each variable has; values are numbered from 0.

    Attributes
    ----------
    sizes : int32 array, shape (n,)
        Read only.
    moves : tuple of {"assign", "swap"}
        How searches may change states: assign a value to a variable, or swap the values of two.
    distinct : bool
        Whether all variables must have different values. Each variable then needs the same number
        of values, at least n. With exactly n values, searches only swap values and ignore `moves`.
    interchangeable : bool
        Whether values, such as colours, can be renamed without changing the cost.
    chains : bool
        Whether searches may use ejection chains: the functor has the members that
        `assignment/engines/chain_scout.cuh` lists.
    kinds : int32 array, shape (n,)
        For each variable, the first one that could swap its value with it in any state at no cost.
        By default, each variable is of its own kind.
    heaviest : int
        The largest possible excess. 0 means unknown; searches then assume 65,536.
    penalty : float
        Initial penalty of a unit of excess in a search, in units of cost.
    steps : int
        How many steps for each variable a round of a search makes, unless the search sets it.
    header : str
        Path of the functor's header in the package; empty if `source` defines the functor.

    Raises
    ------
    InvalidProblemError
        There is no variable, a variable has no values, or values must be distinct but variables
        have too few of them or different numbers of them.
    """

    constrained = True
    moves: ClassVar[tuple[str, ...]] = ("assign", "swap")
    distinct: ClassVar[bool] = False
    interchangeable: ClassVar[bool] = False
    chains: bool = False
    heaviest: int = 0
    penalty: float = 1.0
    steps: int = 50
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

    @property
    def kinds(self) -> NDArray[np.int32]:
        """For each variable, the first one of its kind."""
        return np.arange(self.n, dtype=np.int32)

    def check(self, rows: Any, /, *, parameter: str = "rows") -> NDArray[np.int32]:
        """Return states as an array, or raise and name a wrong row; see `Problem.check`."""
        return check_states(rows, self.sizes, parameter=parameter)

    def feasible(self, rows: Any, /) -> NDArray[np.bool_]:
        """Return which states give all variables values, distinct ones if required, shape (P,).

        A subclass may override this method.
        """
        states = self.check(rows)
        complete = (states >= 0).all(axis=1)
        if self.distinct:
            complete &= (np.diff(np.sort(states, axis=1)) != 0).all(axis=1)
        return np.asarray(complete)

    def write_solution(self, state: Any, path: str | os.PathLike[str]) -> None:
        """Write one state to a text file: one line per variable, with its value.

        Values are numbered from 1, as in the files of problems; 0 means no value. The file is
        written completely or not at all.

        Raises
        ------
        InvalidTourError, InvalidTypeError
            As in `check`, or there is more than one state.
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
            The file is not a list of one value for each variable.
        """
        with naming(path):
            return self._one(assignment_files.read_values(path, self.n))

    def _one(self, state: Any) -> NDArray[np.int32]:
        """Return the only state as a row, shape (n,); raise if there are several."""
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
            Always, unless overridden.
        """
        raise UnsupportedProblemError(
            f"problem: {type(self).__name__} has no functor(), so it cannot be searched; "
            "see docs/assignment.md"
        )

    def source(self) -> str:
        """Return the C++ text that defines the functor; empty if `header` does."""
        return ""

    def words(self) -> list[Any]:
        """Return the functor's parameters: integers, floats and NumPy arrays."""
        return []

    def quick_state(self) -> NDArray[np.int32] | None:
        """Return a complete state, shape (n,), from a construction that takes almost no time.

        The first row of a search begins from this state, so the result is never worse, however
        short the search is. By default None; the search then makes a state with `CheapestValue`.
        """
        return None

    def relaxed_words(self) -> list[Any] | None:
        """Return parameters with which the functor considers all values, for use in some rounds.

        By default None: the functor always considers all values.
        """
        return None

    def kept_bytes(self) -> int:
        """Return the bytes of functor data per state; by default 16, the size of a `Worth`."""
        return 16


def require_enough_values(problem: Assignment) -> None:
    """Raise if values must be distinct, but variables have too few or unequal numbers of them."""
    least, most = int(problem.sizes.min()), int(problem.sizes.max())
    if problem.distinct and not problem.n <= least == most:
        raise InvalidProblemError(
            f"sizes: {problem.n} variables that must differ have {least} to {most} values; give "
            f"all of them the same number of values, at least {problem.n}"
        )


def neighbour_lists(pairs: NDArray[Any], n: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the index of each variable's first neighbour, shape (n + 1,), and all neighbours.

    Each variable's neighbours are in ascending order. `pairs` (k, 2) may contain a pair several
    times, in either direction.
    """
    first, second = pairs.astype(np.int64).T
    keys = np.unique(np.concatenate([first * n + second, second * n + first]))
    begins = np.searchsorted(keys, np.arange(n + 1) * n).astype(np.int32)
    return begins, (keys % n).astype(np.int32)


def check_states(
    rows: ArrayLike, sizes: NDArray[Any], *, parameter: str = "states"
) -> NDArray[np.int32]:
    """Return states as a C-contiguous int32 array (P, m); such an array is not copied.

    `sizes` has the number of values of each variable. An InvalidTourError names the wrong row and
    variable.
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

"""Linear ordering: permute a matrix so that the entries above the diagonal have a large sum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidProblemError
from gpu_ls_plugin.core.integer_files import made_of
from gpu_ls_plugin.core.problem_data import array_of, check_finite, integers_of
from gpu_ls_plugin.core.rows import blocks
from gpu_ls_plugin.sequences.problem.objective import SequenceObjective
from gpu_ls_plugin.sequences.problem.sequence import MOST, Sequence
from gpu_ls_plugin.sequences.problem.sequence_files import read_linear_ordering

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

MOST_ROWS = 2**12  # the referee needs a few copies of the matrix


class LinearOrdering(Sequence):
    """Order items so that the sum of the entries for all pairs, earlier before later, is large.

    If a row permutes the rows and columns of the matrix, this is the sum above the diagonal. The
    cost is the negative of the sum, which is minimised.

    Parameters
    ----------
    matrix : array_like, shape (n, n)
        ``matrix[i, j]`` is gained if item i comes before item j. Integers make an integer problem,
        floats a real one. The diagonal is ignored. Up to 4,096 items.
    name : str
    optimum : int or float, optional
        The lowest possible cost: the negative of the largest sum.

    Attributes
    ----------
    matrix : int64 or float64 array, shape (n, n), read-only, with a zero diagonal

    Raises
    ------
    InvalidProblemError
        The matrix is empty, not square or too large, an entry is not finite, or sums may reach
        2**62.
    InvalidParameterError, InvalidTypeError
        Another parameter is out of range, or of another type.
    """

    def __init__(self, matrix: ArrayLike, *, name: str = "", optimum: float | None = None) -> None:
        self.matrix = _square(matrix)
        self.matrix.flags.writeable = False
        super().__init__(len(self.matrix), SumOfPairs(self.matrix), name=name, optimum=optimum)

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, optimum: float | None = None) -> Self:
        """Read a file of LOLIB: the number of items and the matrix, after an optional title line.

        Parameters
        ----------
        path : path
        optimum : int, optional
            The lowest possible cost: the negative of the published sum.

        Raises
        ------
        FileNotFoundError
            No such file.
        FileFormatError
            The file is invalid; the message names the file and the line.
        """
        return made_of(path, read_linear_ordering, cls, optimum=optimum)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        return f"<LinearOrdering{name}: {self.n} items>"


class SumOfPairs(SequenceObjective):
    """The negative sum of a matrix's entries for all pairs of items, the one before the other.

    Parameters
    ----------
    matrix : int64 or float64 array, shape (n, n)
        With a zero diagonal.
    """

    name = "linear_ordering"
    header = "sequences/problem/linear_ordering.cuh"

    def __init__(self, matrix: NDArray[Any]) -> None:
        self.matrix = matrix
        self.integer = matrix.dtype.kind == "i"
        small = self.integer and np.abs(matrix).max() < 2**30
        self._entries = matrix.astype(np.int32) if small else matrix

    def functor(self) -> str:
        """Return the C++ type, with the type of entries and of costs."""
        entry = {"int32": "int", "int64": "gls::int64", "float64": "double"}[
            self._entries.dtype.name
        ]
        return f"gls::LinearOrdering<{entry}, {'gls::int64' if self.integer else 'double'}>"

    def data(self) -> Mapping[str, Any]:
        """Return the matrix, what it gains to turn pairs, and the number of items."""
        gains = self._entries - self._entries.T
        return {"matrix": self._entries, "gains": gains, "n": len(self.matrix)}

    def evaluate(self, rows: NDArray[Any], /) -> NDArray[Any]:
        costs = np.zeros(len(rows), self.matrix.dtype)
        n = len(self.matrix)
        for block in blocks(len(rows), n * n):
            own = rows[block]
            permuted = self.matrix[own[:, :, None], own[:, None, :]]
            costs[block] = -np.triu(permuted, 1).reshape(len(own), n * n).sum(axis=1)
        return costs

    def priorities(self) -> NDArray[Any]:
        """Return how much depends on the place of each item, which comes first if that is much."""
        return np.asarray(np.abs(self.matrix - self.matrix.T).sum(axis=1))


def _square(given: ArrayLike) -> NDArray[Any]:
    """Return a checked square matrix with a zero diagonal."""
    matrix = array_of(given, "matrix")
    if matrix.dtype.kind == "f":
        matrix = matrix.astype(np.float64)
        check_finite(matrix, "matrix")
    else:
        matrix = integers_of(matrix, "matrix", "n", "n")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise InvalidProblemError(
            f"matrix: shape {matrix.shape} is not (n, n), at least one of each"
        )
    if len(matrix) > MOST_ROWS:
        raise InvalidProblemError(f"matrix: {len(matrix)} items, but at most {MOST_ROWS}")
    np.fill_diagonal(matrix, 0)
    most = max(int(matrix.max()), -int(matrix.min()))
    if len(matrix) ** 2 * most >= MOST:
        raise InvalidProblemError("matrix: sums may reach 2**62; use larger units")
    return matrix

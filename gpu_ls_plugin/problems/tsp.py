"""The travelling salesman problem: cities and the lengths between them."""

from __future__ import annotations

import hashlib
import math
import numbers
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np

from gpu_ls_plugin import checks
from gpu_ls_plugin.exceptions import (
    FileFormatError,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTypeError,
)
from gpu_ls_plugin.problems import tsplib
from gpu_ls_plugin.problems.metrics import Explicit, ExplicitReal, Metric, find_metric
from gpu_ls_plugin.solution import check_tours, tour_costs

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.problems.metrics import Lengths


class TSP:
    """A travelling salesman problem, validated once and immutable.

    Two problems are equal only if they are the same object; copies are that object, and
    `fingerprint` compares the content.

    Parameters
    ----------
    coordinates : array_like, shape (n, 2)
        One row per city, copied; (latitude, longitude) in DDD.MM for the metric "GEO".
    metric : str or Metric
        A TSPLIB name ("EUC_2D", "CEIL_2D", "ATT", "GEO", "MAN_2D", "MAX_2D"), "EUC" for real
        Euclidean lengths, the name of a plugin's metric, or a Metric.
    name, comment : str
        Free text.
    optimum : int or float, optional
        The optimal length, where it is known: finite and at least 0. Nothing depends on it but
        reports.

    Attributes
    ----------
    n : int
        Number of cities.
    coordinates : float64 array (n, 2), read-only, or None with a matrix
    matrix : int32 or float64 array (n, n), read-only, with a zero diagonal, or None
    metric : Metric
        What computes the lengths.
    symmetric : bool
        Whether both directions of every edge are equally long.
    integer : bool
        Whether lengths are integers.

    Raises
    ------
    InvalidProblemError
        Wrong shape, no city, NaN, infinite or overflowing values.
    InvalidParameterError
        The optimum is negative or not finite.
    InvalidTypeError
        Values that are no numbers.
    UnknownPartError
        No metric of that name is registered.
    """

    n: int
    name: str
    comment: str
    coordinates: NDArray[np.float64] | None
    matrix: NDArray[Any] | None
    metric: Metric
    optimum: float | None

    def __init__(
        self,
        coordinates: ArrayLike,
        metric: str | Metric = "EUC_2D",
        *,
        name: str = "",
        comment: str = "",
        optimum: float | None = None,
    ) -> None:
        found = find_metric(metric)
        if found.explicit:
            raise InvalidParameterError(
                f"metric: {found.name!r} takes its lengths from a matrix, not from coordinates; "
                "use TSP.from_matrix(matrix)"
            )
        points = _coordinates(coordinates)
        found.check(points)
        self._fill(points, None, found, name, comment, optimum)

    @classmethod
    def from_matrix(
        cls,
        matrix: ArrayLike,
        *,
        name: str = "",
        comment: str = "",
        optimum: float | None = None,
    ) -> Self:
        """Make a problem from a matrix of lengths.

        Parameters
        ----------
        matrix : array_like, shape (n, n)
            Length from the row's city to the column's, copied; need not be symmetric. Integers
            make an integer problem, floats a real one, even if they are all whole. The diagonal
            is ignored and may hold anything.
        name, comment, optimum
            As in the constructor.

        Raises
        ------
        InvalidProblemError
            Not square, no city, NaN, infinite, negative or too large entries.
        InvalidParameterError
            The optimum is negative or not finite.
        InvalidTypeError
            Entries that are no numbers.
        """
        values = _numbers(matrix, "matrix")
        if values.ndim != 2 or values.shape[0] != values.shape[1] or not values.size:
            raise InvalidProblemError(
                f"matrix: shape {values.shape}, but lengths between n >= 1 cities are (n, n)"
            )
        np.fill_diagonal(values, 0)
        _check_finite(values, "matrix")
        integer = values.dtype.kind in "iu"
        metric = Explicit() if integer else ExplicitReal()
        metric.check(values)
        stored = np.ascontiguousarray(values, dtype=np.int32 if integer else np.float64)
        return cls._assemble(None, stored, metric, name, comment, optimum)

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, optimum: float | None = None) -> Self:
        """Read a TSPLIB file (.tsp, .atsp).

        Cities are numbered 0..n-1 in the order of the file's node numbers.

        Raises
        ------
        FileNotFoundError
            No such file.
        FileFormatError
            The file is not TSPLIB, is cut off or holds unusable values; file and section are
            named.
        UnsupportedProblemError
            The file holds another kind of problem, or one with fixed edges.
        InvalidParameterError
            The optimum is negative or not finite.
        """
        instance = tsplib.read_instance(path)
        text = {"name": instance.name, "comment": instance.comment}
        try:
            if instance.matrix is not None:
                return cls.from_matrix(instance.matrix, **text, optimum=optimum)
            assert instance.coordinates is not None
            return cls(instance.coordinates, instance.metric, **text, optimum=optimum)
        except InvalidProblemError as error:
            section = (
                "EDGE_WEIGHT_SECTION" if instance.coordinates is None else "NODE_COORD_SECTION"
            )
            raise FileFormatError(f"{path}: {section}: {error}") from error

    @classmethod
    def _assemble(cls, *content: Any) -> Self:
        """Make a problem from content that has been checked."""
        problem = cls.__new__(cls)
        problem._fill(*content)
        return problem

    def _fill(
        self,
        coordinates: NDArray[np.float64] | None,
        matrix: NDArray[Any] | None,
        metric: Metric,
        name: str,
        comment: str,
        optimum: float | None,
    ) -> None:
        values = matrix if coordinates is None else coordinates
        assert values is not None
        values.setflags(write=False)
        self.__dict__.update(
            n=len(values),
            coordinates=coordinates,
            matrix=matrix,
            metric=metric,
            name=name,
            comment=comment,
            optimum=_optimum(optimum),
        )

    @property
    def integer(self) -> bool:
        """Whether lengths are integers."""
        return self.metric.integer

    @property
    def cost_dtype(self) -> np.dtype[Any]:
        """The type of costs: int64 for integer metrics, else float64."""
        return np.dtype(np.int64 if self.integer else np.float64)

    @cached_property
    def symmetric(self) -> bool:
        """Whether both directions of every edge are equally long."""
        return self.matrix is None or bool(np.array_equal(self.matrix, self.matrix.T))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hexadecimal) of the metric's name and the problem's values."""
        values = self.matrix if self.coordinates is None else self.coordinates
        assert values is not None
        digest = hashlib.sha256(f"{self.metric.name} {values.shape} ".encode())
        digest.update(values.tobytes())
        return digest.hexdigest()

    def cost(self, tours: Any) -> Lengths:
        """Return the exact length of every tour, computed from scratch.

        Parameters
        ----------
        tours : array_like of any integer type, shape (P, n) or (n,)
            Zero-based permutations of the cities; not changed. CuPy arrays stay on their device.

        Returns
        -------
        array, shape (P,), int64 for integer metrics, else float64
            CuPy for CuPy input, else NumPy.

        Raises
        ------
        InvalidTourError
            A row is no permutation of the cities.
        InvalidTypeError
            The entries are no integers.
        """
        return tour_costs(self, tours)

    def distance(self, a: ArrayLike, b: ArrayLike) -> Lengths:
        """Return the exact lengths from cities `a` to cities `b`, broadcast against each other.

        Raises
        ------
        InvalidParameterError
            A city is not in 0..n-1.
        InvalidTypeError
            The cities are no integers.
        """
        return self.metric.lengths(self, self._cities(a, "a"), self._cities(b, "b"))

    def write_tour(self, path: str | os.PathLike[str], tour: ArrayLike, comment: str = "") -> None:
        """Write one tour as a TSPLIB tour file, with its length in the comment."""
        row = check_tours(self, tour, parameter="tour")
        length = self.cost(row)[0].item()
        tsplib.write_tour(path, row, name=self.name, length=length, comment=comment)

    def _cities(self, values: ArrayLike, parameter: str) -> NDArray[Any]:
        cities = _numbers(values, parameter)
        if cities.dtype.kind not in "iu":
            raise InvalidTypeError(f"{parameter}: cities must be integers, not {cities.dtype}")
        if cities.size and not (cities.min() >= 0 and cities.max() < self.n):
            raise InvalidParameterError(f"{parameter}: cities must be in 0..{self.n - 1}")
        return cities

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{name}: a TSP is immutable; make a new one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{name}: a TSP is immutable; make a new one")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        content = (self.coordinates, self.matrix, self.metric, self.name, self.comment)
        return type(self)._assemble, (*content, self.optimum)

    def __repr__(self) -> str:
        return f"<TSP {self.name or 'unnamed'}: {self.n} cities, {self.metric.name}>"


def check_problem(problem: object) -> None:
    """Raise InvalidTypeError where an operator is given something else than a problem."""
    if not isinstance(problem, TSP):
        raise InvalidTypeError(
            f"problem: {problem!r:.80} is no TSP; make one by TSP(coordinates), "
            "TSP.from_matrix(matrix) or TSP.read(path)"
        )


def _numbers(values: ArrayLike, parameter: str) -> NDArray[Any]:
    """Return a copy as an array of integers or floats."""
    try:
        array = np.array(values)
    except ValueError as error:
        raise InvalidProblemError(f"{parameter}: rows of different lengths") from error
    except TypeError as error:
        raise InvalidTypeError(f"{parameter}: {error}") from error
    if array.dtype.kind not in "iuf" and array.size:
        raise InvalidTypeError(f"{parameter}: entries must be numbers, not {array.dtype}")
    return array


def _optimum(value: Any) -> int | float | None:
    """Return a known optimum as a Python number; what no tour can cost raises."""
    if value is None or isinstance(value, numbers.Integral):
        return None if value is None else checks.integer("optimum", value, least=0, most=2**63 - 1)
    if not math.isfinite(checks.number("optimum", value, least=0.0)):
        raise InvalidParameterError(f"optimum: {value!r} is not finite; leave it out if unknown")
    return float(value)


def _check_finite(values: NDArray[Any], parameter: str) -> None:
    wrong = np.argwhere(~np.isfinite(values))
    if wrong.size:
        place = tuple(int(index) for index in wrong[0])
        raise InvalidProblemError(f"{parameter}: entry {place} is {values[place]}, must be finite")


def _coordinates(values: ArrayLike) -> NDArray[np.float64]:
    """Return a finite float64 (n, 2) copy."""
    array = _numbers(values, "coordinates")
    if array.ndim != 2 or array.shape[1] != 2 or not len(array):
        raise InvalidProblemError(
            f"coordinates: shape {array.shape}, but n >= 1 cities in the plane are (n, 2)"
        )
    with np.errstate(over="ignore"):
        points = np.ascontiguousarray(array, dtype=np.float64)
    _check_finite(points, "coordinates")
    if array.dtype.kind in "iu" and max(int(array.max()), -int(array.min())) > 2**53:
        raise InvalidProblemError(
            "coordinates: integers beyond 2**53 do not fit float64; subtract an offset first"
        )
    return points

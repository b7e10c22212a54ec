"""The travelling salesman problem: cities and the lengths between them."""

from __future__ import annotations

import hashlib
import warnings
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypedDict

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    FileFormatError,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTypeError,
    PrecisionWarning,
)
from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.core.problem_data import array_of, check_finite, labels, points_of
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.core.rows import canonical, check_permutations, new_edges
from gpu_ls_plugin.core.text import OWN_OBJECTIVE
from gpu_ls_plugin.tours.problem import tsplib
from gpu_ls_plugin.tours.problem.metrics import Explicit, ExplicitReal, Metric, find_metric
from gpu_ls_plugin.tours.problem.objective import Length, Objective
from gpu_ls_plugin.tours.problem.referee import tour_costs

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.tours.problem.metrics import Cities, Lengths

LENGTH = Length()


class Writing(TypedDict, total=False):
    """Keyword arguments that say which permutations represent the same solution."""

    symmetric: bool  # whether a tour and its reverse are the same solution; True by default
    customers: int  # number in a giant tour; the other cities are copies of the depot, city 0


class TSP(Problem):
    """A travelling salesman problem, validated once and immutable.

    Two problems are equal only if they are the same object; copying returns the object itself. To
    compare contents, use `fingerprint`.

    Parameters
    ----------
    coordinates : array_like, shape (n, 2)
        One row per city, copied. The metric "GEO" takes (latitude, longitude) in DDD.MM,
        "HAVERSINE" in decimal degrees.
    metric : str or Metric
        "EUC" for real Euclidean lengths, "HAVERSINE" for kilometres on the globe, a TSPLIB name
        for rounded lengths ("EUC_2D", "CEIL_2D", "FLOOR_2D", "ATT", "GEO", "MAN_2D", "MAX_2D"),
        the name of a plugin's metric, or a Metric.
    name, comment : str
        Free text.
    optimum : int or float, optional
        The optimal length, if known: finite and at least 0. Only reports use it.

    Attributes
    ----------
    n : int
        Number of cities.
    coordinates : float64 array (n, 2), read-only, or None with a matrix
    matrix : int32 or float64 array (n, n), read-only, with a zero diagonal, or None
    metric : Metric
        Computes the lengths.
    symmetric : bool
        Whether both directions of every edge are equally long.
    integer : bool
        Whether lengths are integers.
    objective : Objective
        Adds a cost to the length of a tour; by default, nothing. See `under`.

    Raises
    ------
    InvalidProblemError
        The shape is wrong, there is no city, or values are NaN, infinite or too large.
    InvalidParameterError
        The optimum is negative or not finite.
    InvalidTypeError
        The values are not numbers.
    UnknownPartError
        No metric of that name is registered.

    Warns
    -----
    PrecisionWarning
        The metric rounds most lengths to 0 or 1.
    """

    comment: str
    coordinates: NDArray[np.float64] | None
    matrix: NDArray[Any] | None
    metric: Metric
    objective: Objective

    def __init__(
        self,
        coordinates: ArrayLike,
        metric: str | Metric = "EUC",
        *,
        name: str = "",
        comment: str = "",
        optimum: float | None = None,
    ) -> None:
        self._place(coordinates, metric, name, comment, optimum)

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
            Lengths from the row's city to the column's, copied. The matrix need not be symmetric.
            Integers make an integer problem, floats a real one. The diagonal is ignored.
        name, comment, optimum
            As in the constructor.

        Raises
        ------
        InvalidProblemError
            The matrix is empty or not square, or entries are NaN, infinite, negative or too large.
        InvalidParameterError
            The optimum is negative or not finite.
        InvalidTypeError
            The entries are not numbers.
        """
        values = array_of(matrix, "matrix")
        if values.ndim != 2 or values.shape[0] != values.shape[1] or not values.size:
            raise InvalidProblemError(
                f"matrix: shape {values.shape}, but lengths between n >= 1 cities are (n, n)"
            )
        np.fill_diagonal(values, 0)
        check_finite(values, "matrix")
        integer = values.dtype.kind in "iu"
        metric = Explicit() if integer else ExplicitReal()
        metric.check(values)
        stored = np.ascontiguousarray(values, dtype=np.int32 if integer else np.float64)
        return cls._assemble(None, stored, metric, *labels(name, comment, optimum))

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, optimum: float | None = None) -> Self:
        """Read a TSPLIB file (.tsp, .atsp).

        Cities are numbered 0..n-1 in the order of the file's node numbers.

        Parameters
        ----------
        path : path
        optimum : int or float, optional
            The optimal length, if known; by default unknown, even for instances of TSPLIB.

        Raises
        ------
        FileNotFoundError
            There is no such file.
        FileFormatError
            The file is not a TSPLIB file, is cut off or contains unusable values. The message names
            the file and the section.
        UnsupportedProblemError
            The file contains another kind of problem, or one with fixed edges.
        InvalidParameterError
            The optimum is negative or not finite.

        Warns
        -----
        PrecisionWarning
            The file's metric rounds most lengths to 0 or 1.
        """
        instance = tsplib.read_instance(path)
        text = {"name": instance.name, "comment": instance.comment}
        try:
            if instance.matrix is not None:
                return cls.from_matrix(instance.matrix, **text, optimum=optimum)
            assert instance.coordinates is not None
            problem = cls.__new__(cls)
            problem._place(instance.coordinates, instance.metric, **text, optimum=optimum)
            return problem
        except InvalidProblemError as error:
            section = (
                "EDGE_WEIGHT_SECTION" if instance.coordinates is None else "NODE_COORD_SECTION"
            )
            raise FileFormatError(f"{path}: {section}: {error}") from error

    def _place(
        self,
        coordinates: ArrayLike,
        metric: str | Metric,
        name: str,
        comment: str,
        optimum: float | None,
    ) -> None:
        """Check and store coordinates; warnings point at the caller's caller."""
        found = find_metric(metric)
        if found.explicit:
            raise InvalidParameterError(
                f"metric: {found.name!r} takes its lengths from a matrix, not from coordinates; "
                "use TSP.from_matrix(matrix)"
            )
        points = points_of(coordinates)
        found.check(points)
        if found.rounds_away(points):
            warnings.warn(
                f"coordinates: {found.name} rounds lengths to integers, most of them to 0 or 1 "
                'here; use metric="EUC" for real lengths, or scale the coordinates up',
                PrecisionWarning,
                stacklevel=3,
            )
        self._fill(points, None, found, *labels(name, comment, optimum))

    @classmethod
    def _assemble(cls, *content: Any) -> Self:
        """Make a problem from checked content."""
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
        objective: Objective = LENGTH,
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
            optimum=optimum,
            objective=objective,
            constrained=type(objective).feasible is not Objective.feasible,
        )

    def under(self, objective: str | Objective) -> Self:
        """Return the same problem with another objective; its optimum is unknown.

        Parameters
        ----------
        objective : str or Objective
            The objective or its registered name.

        Raises
        ------
        UnknownPartError
            No objective of that name is registered.
        InvalidTypeError
            `objective` is neither a string nor an Objective.
        UnsupportedProblemError
            The objective does not fit the problem.
        """
        made = (
            registry.lookup("objective", objective)() if isinstance(objective, str) else objective
        )
        if not isinstance(made, Objective):
            raise InvalidTypeError(f"objective: {objective!r:.80} is not an objective")
        content = (self.coordinates, self.matrix, self.metric, self.name, self.comment)
        problem = type(self)._assemble(*content, None, made)
        made.check(problem)
        return problem

    @property
    def integer(self) -> bool:
        return self.metric.integer

    @property
    def rows(self) -> int | None:
        """The number of tours in a batch if each row has different lengths, else None."""
        return None

    @property
    def listed(self) -> TSP:
        """The problem whose candidate lists searches use: the problem itself."""
        return self

    @property
    def crossed(self) -> TSP:
        """The problem whose lengths crossovers use: the problem itself."""
        return self

    def lists_by(self, build: Callable[[TSP], Any]) -> Any:
        """Return the candidate lists that `build` makes."""
        return build(self)

    def require_rows(self, count: int) -> None:
        """Raise InvalidParameterError if a batch cannot have `count` tours; a TSP allows any."""

    @property
    def tsp(self) -> Self:
        """The problem itself."""
        return self

    @property
    def values(self) -> NDArray[Any]:
        """The data of the metric: the coordinates or the matrix."""
        values = self.matrix if self.coordinates is None else self.coordinates
        assert values is not None
        return values

    @cached_property
    def symmetric(self) -> bool:
        """Whether both directions of every edge are equally long."""
        return self.matrix is None or bool(np.array_equal(self.matrix, self.matrix.T))

    @property
    def writing(self) -> Writing:
        """Which permutations represent the same solution."""
        return {"symmetric": self.symmetric and not self.objective.directed}

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hexadecimal) of the metric's name and the problem's values."""
        digest = hashlib.sha256(f"{self.metric.name} {self.values.shape} ".encode())
        digest.update(self.values.tobytes())
        return digest.hexdigest()

    def check(self, tours: ArrayLike, *, parameter: str = "tours") -> NDArray[np.int32]:
        """Return tours as an array, or raise an error that names the row; see `Problem.check`."""
        return check_permutations(tours, self.n, parameter=parameter)

    def cost(self, tours: Any) -> Lengths:
        """Return the exact cost of every tour: its length plus what the objective adds.

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
            A row is not a permutation of the cities.
        InvalidTypeError
            The entries are not integers.
        """
        return tour_costs(self, tours)

    def feasible(self, tours: ArrayLike) -> NDArray[np.bool_]:
        """Return which tours are feasible under the objective, shape (P,)."""
        return self.objective.feasible(self, self.check(tours))

    def excess(self, tours: ArrayLike) -> NDArray[Any]:
        """Return by how much tours violate constraints; see `Problem.excess`."""
        return self.objective.violated(self, self.check(tours))

    def canonical(self, tours: ArrayLike) -> NDArray[np.int32]:
        """Return tours with city 0 first; if symmetric, with its smaller neighbour second."""
        return canonical(self.check(tours), symmetric=self.writing["symmetric"])

    def difference(self, tour: NDArray[Any]) -> Callable[[NDArray[Any]], float]:
        """Return a function that computes the share of a tour's edges that `tour` lacks.

        Edges are undirected.
        """
        return new_edges(tour)

    def device_data(self) -> Mapping[str, NDArray[Any]]:
        return {"metric_data": self.metric.data(self.values)}

    def lengths(self, a: Cities, b: Cities) -> Lengths:
        """Return the exact lengths from cities `a` to cities `b`, without checks."""
        return self.metric.lengths(self.values, a, b)

    def distance(self, a: ArrayLike, b: ArrayLike) -> Lengths:
        """Return the exact lengths from cities `a` to cities `b`, broadcast against each other.

        Raises
        ------
        InvalidParameterError
            A city is not in 0..n-1.
        InvalidTypeError
            The cities are not integers.
        """
        return self.lengths(self._cities(a, "a"), self._cities(b, "b"))

    def write_tour(self, path: str | os.PathLike[str], tour: ArrayLike, comment: str = "") -> None:
        """Write one tour as a TSPLIB tour file, with its length in the comment.

        The file is written completely or not at all, and replaces an older one.

        Parameters
        ----------
        path : path
        tour : array_like, shape (n,), integer
            A zero-based tour; not changed. The file counts from 1.
        comment : str
            Text in front of the length.

        Raises
        ------
        InvalidTourError, InvalidTypeError
            `tour` is not a permutation of the cities, or `comment` is not a string.
        OSError
            The file cannot be written.
        """
        row = self.check(tour, parameter="tour")
        length = self.cost(row)[0].item()
        text = checks.text("comment", comment)
        tsplib.write_tour(path, row, name=self.name, length=length, comment=text)

    def _cities(self, values: ArrayLike, parameter: str) -> NDArray[Any]:
        cities = array_of(values, parameter)
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
        return type(self)._assemble, (*content, self.optimum, self.objective)

    def __repr__(self) -> str:
        return f"<TSP {self.name or 'unnamed'}: {self.n} cities, {self.metric.name}>"


def tour_problem(problem: object) -> TSP:
    """Return the TSP of a problem whose rows are tours, or raise InvalidTypeError."""
    tsp = problem.tsp if isinstance(problem, Problem) else None
    if not isinstance(tsp, TSP):
        raise InvalidTypeError(
            f"problem: {problem!r:.80} is not a TSP; make one with TSP(coordinates), "
            "TSP.from_matrix(matrix) or TSP.read(path), or from a pymoo problem with "
            "gpu_ls_pymoo.as_tsp(problem); gls.solve(problem) searches problems of any kind, and "
            f"LocalSearch([Insertion()]) sequences. {OWN_OBJECTIVE}"
        )
    return tsp

"""The base class of problems, whose solutions are rows of integers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import GpuLsError, InvalidTypeError, UnsupportedProblemError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray


MAKE_ROUTES = "CVRP(coordinates, demands, capacity), CVRP.from_matrix(...) or CVRP.read(path)"


class Problem(ABC):
    """A problem whose solutions are rows of integers. It is validated once and immutable.

    A subclass sets the attributes and defines `integer`, `check` and `cost`. The defaults of all
    other methods suit rows in which each position is a separate variable, as in assignment
    problems. Results, files, hashes and distances call these methods, so that rows need not be
    permutations. A problem must be hashable, since caches use it as a key; by default, it is equal
    only to itself.

    Attributes
    ----------
    n : int
        Length of a row.
    name : str
        Free text.
    optimum : int or float, optional
        The optimal cost, if it is known.
    integer : bool
        Whether costs are integers.
    constrained : bool
        Whether solutions may break constraints; `feasible` says which rows break none.
    tsp : Problem, optional
        The travelling salesman problem that has the same rows, costs and constraints, for parts
        that need lengths of edges.
    """

    n: int
    name: str = ""
    optimum: float | None = None
    constrained: bool = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name or 'unnamed'}: rows of {self.n}>"

    @property
    @abstractmethod
    def integer(self) -> bool:
        """Whether costs are integers."""

    @property
    def cost_dtype(self) -> np.dtype[Any]:
        """The type of costs: int64 if they are integers, otherwise float64."""
        return np.dtype(np.int64 if self.integer else np.float64)

    @property
    def tsp(self) -> Problem | None:
        """The travelling salesman problem with the same rows; None unless overridden."""
        return None

    @abstractmethod
    def check(self, rows: Any, /, *, parameter: str = "rows") -> NDArray[np.int32]:
        """Return solutions as an array.

        `check_permutations` and `check_values` of `core.rows` check common kinds of rows.

        Parameters
        ----------
        rows : array_like of any integer type, shape (P, n) or (n,)
            Not changed.
        parameter : str
            Name of the rows in messages.

        Returns
        -------
        int32 array, shape (P, n), C-contiguous
            A view if `rows` is such an array, otherwise a copy.

        Raises
        ------
        InvalidTourError
            Wrong shape, no row, or a row that is not a solution; the message names row and reason.
        InvalidTypeError
            The entries are not integers.
        """

    @abstractmethod
    def cost(self, rows: Any, /) -> NDArray[Any]:
        """Return the exact cost of every row, computed from scratch.

        Parameters
        ----------
        rows : array_like of any integer type, shape (P, n) or (n,)
            Checked; not changed.

        Returns
        -------
        array, shape (P,), of `cost_dtype`

        Raises
        ------
        InvalidTourError, InvalidTypeError
            As `check`.
        """

    def published(self, cost: Any, /) -> Any:
        """Return a cost as reports show it: a number, or an array of numbers.

        `gpu-ls`, displays, tables and titles of plots show published costs, whereas a `Result` has
        the costs that `cost` returns. Unless overridden, both are the same. A problem overrides
        this method if, for example, its costs are ten times those in files.
        """
        return cost

    def costs_on(self, backend: Any, rows: Any, /) -> Any:
        """Return the costs of checked int32 rows (P, n) on a backend, as an array of that backend.

        Unless overridden, the host computes the costs.
        """
        return backend.xp.asarray(self.cost(backend.to_numpy(rows)))

    def compared_costs(self, backend: Any, rows: Any, costs: Any, /) -> Any:
        """Return the costs that searches use to compare checked rows: `costs`, unless overridden.

        A problem overrides this method if searches add penalties for violations.
        """
        return costs

    def feasible(self, rows: Any, /) -> NDArray[np.bool_]:
        """Return which solutions break no constraint, shape (P,); all, unless overridden."""
        return np.ones(len(self.check(rows)), np.bool_)

    def excess(self, rows: Any, /) -> NDArray[Any]:
        """Return by how much solutions break constraints, shape (P,), in a unit of the problem.

        Of two infeasible solutions, the one with the smaller excess is better. Unless overridden,
        the excess is 0 for feasible solutions and 1 for all others.
        """
        return (~self.feasible(rows)).astype(np.int64)

    def canonical(self, rows: Any, /) -> NDArray[np.int32]:
        """Return new rows that are equal if and only if the solutions are equal, for hashing.

        Parameters
        ----------
        rows : array_like of any integer type, shape (P, n) or (n,)
            Checked; not changed.

        Returns
        -------
        int32 array, shape (P, n)
            A copy of the rows, unless overridden.

        Raises
        ------
        InvalidTourError, InvalidTypeError
            As `check`.
        """
        return np.array(self.check(rows))

    def difference(self, row: NDArray[Any], /) -> Callable[[NDArray[Any]], float]:
        """Return a function that measures the distance of another row from this one.

        Parameters
        ----------
        row : integer array, shape (n,)
            A solution.

        Returns
        -------
        callable
            Takes another solution; returns the share of it, from 0 to 1, that is not in `row`. The
            share is 0 for the same solution. Unless overridden, it is the share of positions at
            which the canonical rows differ.
        """
        own = self.canonical(row)[0]

        def apart(other: NDArray[Any]) -> float:
            return np.count_nonzero(self.canonical(other)[0] != own) / self.n

        return apart

    @property
    def has_routes(self) -> bool:
        """Whether rows are routes of vehicles; False unless overridden."""
        return False

    def routes(self, row: Any, /) -> list[list[int]]:
        """Return the routes of a solution: the customers of each, in the order of driving.

        Parameters
        ----------
        row : array_like of any integer type, shape (n,)

        Raises
        ------
        UnsupportedProblemError
            The problem has no routes. Unless overridden, the method always raises it.
        InvalidTourError, InvalidTypeError
            As `check`.
        """
        raise without_routes(self)

    def device_data(self) -> Mapping[str, NDArray[Any]]:
        """Return the arrays that kernels read, by name of the kernel's parameter.

        Each backend copies them once. Unless overridden, there are no arrays.
        """
        return {}

    def device_arrays(self, backend: Any) -> Mapping[str, Any]:
        """Return `device_data` as arrays of a backend."""
        return {
            name: backend.xp.asarray(np.ascontiguousarray(array))
            for name, array in self.device_data().items()
        }


def without_routes(problem: object) -> GpuLsError:
    """Return the error for an object that has no routes of vehicles."""
    if isinstance(problem, Problem):
        return UnsupportedProblemError(
            f"problem: {problem!r:.80} has no routes; make a vehicle routing problem with "
            f"{MAKE_ROUTES}"
        )
    return InvalidTypeError(
        f"problem: {problem!r:.80} is not a vehicle routing problem; make one with {MAKE_ROUTES}"
    )

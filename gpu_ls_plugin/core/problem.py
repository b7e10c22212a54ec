"""What every problem says of itself and of the rows that are its solutions."""

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
    """A problem whose solutions are rows of integers, validated once and immutable.

    Results, files, hashes and distances of solutions ask the problem what its rows are, and do not
    take them for permutations. A subclass sets the attributes and gives `integer`, `check` and
    `cost`; the other methods have defaults that suit rows in which every position stands for
    itself, as in assignment problems. What is made of a problem is kept as long as it lives, so
    that it must be hashable: by default each is equal to itself alone.

    Attributes
    ----------
    n : int
        Length of a row.
    name : str
        Free text.
    optimum : int or float, optional
        The optimal cost, where it is known.
    integer : bool
        Whether costs are integers.
    constrained : bool
        Whether solutions may break constraints, which `feasible` knows.
    tsp : Problem, optional
        The travelling salesman problem of whose tours the rows are, where nothing else decides
        what a row costs and whether it is allowed: parts that need lengths take it.
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
        """The type of costs: int64 where they are integers, else float64."""
        return np.dtype(np.int64 if self.integer else np.float64)

    @property
    def tsp(self) -> Problem | None:
        """The travelling salesman problem behind this one; None unless overridden."""
        return None

    @abstractmethod
    def check(self, rows: Any, /, *, parameter: str = "rows") -> NDArray[np.int32]:
        """Return solutions as an array, or say which row is not one.

        `core.rows` has the checks of common rows: `check_permutations`, `check_values`.

        Parameters
        ----------
        rows : array_like of any integer type, shape (P, n) or (n,)
            Not changed.
        parameter : str
            What messages call the rows.

        Returns
        -------
        int32 array, shape (P, n), C-contiguous
            A view where `rows` is such an array already, else a copy.

        Raises
        ------
        InvalidTourError
            Wrong shape, no row, or a row that is not a solution; the row and the reason are named.
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

    def costs_on(self, backend: Any, rows: Any, /) -> Any:
        """Return what `cost` says of checked int32 rows (P, n) of a backend, as an array of it.

        The host computes them, unless overridden.
        """
        return backend.xp.asarray(self.cost(backend.to_numpy(rows)))

    def compared_costs(self, backend: Any, rows: Any, costs: Any, /) -> Any:
        """Return the costs by which searches compare checked rows, which cost `costs`: these.

        Overridden where rows pay for violations while they are searched.
        """
        return costs

    def feasible(self, rows: Any, /) -> NDArray[np.bool_]:
        """Return which solutions break no constraint, shape (P,): all, unless overridden."""
        return np.ones(len(self.check(rows)), np.bool_)

    def excess(self, rows: Any, /) -> NDArray[Any]:
        """Return by how much solutions break constraints, shape (P,), in a unit of the problem's.

        Among infeasible solutions, those with less are better. 0 for each feasible solution and 1
        for each other one, unless overridden.
        """
        return (~self.feasible(rows)).astype(np.int64)

    def canonical(self, rows: Any, /) -> NDArray[np.int32]:
        """Return solutions as new rows, equal where the solutions are: what is hashed.

        Parameters
        ----------
        rows : array_like of any integer type, shape (P, n) or (n,)
            Checked; not changed.

        Returns
        -------
        int32 array, shape (P, n)
            The rows as they are, unless overridden.

        Raises
        ------
        InvalidTourError, InvalidTypeError
            As `check`.
        """
        return np.array(self.check(rows))

    def difference(self, row: NDArray[Any], /) -> Callable[[NDArray[Any]], float]:
        """Return a function that says how far other rows are from this one.

        Parameters
        ----------
        row : integer array, shape (n,)
            A solution.

        Returns
        -------
        callable
            For another solution, the share of it, from 0 to 1, that is not in `row`; 0 for the same
            solution. The share of the positions at which the canonical rows differ, unless
            overridden.
        """
        own = self.canonical(row)[0]

        def apart(other: NDArray[Any]) -> float:
            return np.count_nonzero(self.canonical(other)[0] != own) / self.n

        return apart

    @property
    def has_routes(self) -> bool:
        """Whether the rows stand for routes of vehicles: no, unless overridden."""
        return False

    def routes(self, row: Any, /) -> list[list[int]]:
        """Return the routes of a solution: the customers of each, in the order of driving.

        Parameters
        ----------
        row : array_like of any integer type, shape (n,)

        Raises
        ------
        UnsupportedProblemError
            The problem has no routes: always, unless overridden.
        InvalidTourError, InvalidTypeError
            As `check`.
        """
        raise without_routes(self)

    def device_data(self) -> Mapping[str, NDArray[Any]]:
        """Return the arrays that kernels read, by the name of the kernel's parameter.

        Each backend copies them once; none unless overridden.
        """
        return {}

    def device_arrays(self, backend: Any) -> Mapping[str, Any]:
        """Return the same as arrays of a backend."""
        return {
            name: backend.xp.asarray(np.ascontiguousarray(array))
            for name, array in self.device_data().items()
        }


def without_routes(problem: object) -> GpuLsError:
    """Return the error of something that should have routes of vehicles."""
    if isinstance(problem, Problem):
        return UnsupportedProblemError(
            f"problem: {problem!r:.80} has no routes; make a vehicle routing problem by "
            f"{MAKE_ROUTES}"
        )
    return InvalidTypeError(
        f"problem: {problem!r:.80} is not a vehicle routing problem; make one by {MAKE_ROUTES}"
    )

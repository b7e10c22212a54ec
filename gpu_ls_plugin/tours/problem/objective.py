"""Objectives: what tours cost in addition to their length, and which tours may be results."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.core.trust import foreign

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem

DIRECTED = (
    "a directed objective has directed = True in Python, kDirected = true in C++, and builds "
    "TourSegments(change, change.place(0)) in gain()"
)


class Objective(ABC):
    """A cost of tours in addition to their length, and a rule for which tours may be results.

    ``problem.under(objective)`` sets the objective of a problem. Searches still select moves by
    lengths, but the objective computes the gain of each move.

    Attributes
    ----------
    name : str
        Name in the registry.
    functor : str
        The C++ type; `tours/problem/objective.cuh` describes its interface.
    header : str
        The C++ header that defines the functor, as a path within the package.
    length_alone : bool
        Whether the objective adds nothing; kernels then contain no objective.
    by_edges : bool
        Whether the cost is a sum over the edges of a tour. The gains of moves without common edges
        then add up, and a part of a tour can be searched without the rest.
    directed : bool
        Whether a tour and its reverse may have different costs even if lengths are symmetric. The
        functor then has ``static constexpr bool kDirected = true``, and its `gain` builds the tour
        after a change as ``TourSegments(change, change.place(0))``. City t1 is at end 0, and moves
        never reverse the segment that contains t1, which shows the direction of the new tour.
    """

    name: ClassVar[str]
    functor: ClassVar[str]
    header: ClassVar[str] = "tours/problem/objective.cuh"
    length_alone: ClassVar[bool] = False
    by_edges: ClassVar[bool] = False
    directed: bool = False

    def source(self) -> str:
        """Return the C++ code of the functor; an empty string if `header` defines it."""
        return ""

    def check(self, problem: Problem) -> None:
        """Raise UnsupportedProblemError if the objective does not fit the problem."""

    def words(self, backend: Any, problem: Problem) -> list[Any]:
        """Return the functor's parameters: integers, floats, or arrays of the backend."""
        return []

    def row_words(self, backend: Any, problem: Any) -> tuple[Any, Any]:
        """Return the parameters of each row, uint64 (P, k), if each row has different lengths.

        Also return the arrays to which the parameters point; the caller keeps them alive.
        """
        raise UnsupportedProblemError(
            f"problem: the objective {self.name!r} does not support rows with their own lengths"
        )

    @property
    def proven(self) -> bool:
        """Whether the library's tests compare the functor with this class."""
        return not foreign(self)

    @property
    def keeps(self) -> bool:
        """Whether the functor keeps data of tours: `kept_bytes` is overridden."""
        return type(self).kept_bytes is not Objective.kept_bytes

    def kept_bytes(self, problem: Problem) -> int:
        """Return the bytes of functor data per tour, a multiple of 16; by default, 0."""
        return 0

    def most(self, problem: Problem) -> float:
        """Return a bound on |gain of a move - length that it saves|; by default, infinity."""
        return math.inf

    @abstractmethod
    def costs(self, problem: Problem, rows: NDArray[np.int32]) -> NDArray[Any]:
        """Return the exact costs of tours (P, n) besides their length, of type `cost_dtype`."""

    def feasible(self, problem: Problem, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which tours (P, n) are feasible, as bools (P,); by default, all are."""
        return np.ones(len(rows), dtype=np.bool_)

    def violated(self, problem: Problem, rows: NDArray[np.int32]) -> NDArray[Any]:
        """Return by how much tours (P, n) violate constraints, shape (P,); see `Problem.excess`."""
        return (~self.feasible(problem, rows)).astype(np.int64)


class Length(Objective):
    """The length of a tour alone: the default objective of a problem."""

    name = "length"
    functor = "gls::LengthObjective"
    length_alone = by_edges = True

    def most(self, problem: Problem) -> float:
        return 0.0

    def costs(self, problem: Problem, rows: NDArray[np.int32]) -> NDArray[Any]:
        return np.zeros(len(rows), dtype=problem.cost_dtype)

    def __repr__(self) -> str:
        return "Length()"


def require_length(objective: Objective, search: str) -> None:
    """Raise UnsupportedProblemError unless the costs of tours are their lengths."""
    if not objective.length_alone:
        raise UnsupportedProblemError(
            f"problem: {search} compares lengths alone, but the objective is "
            f"{objective.name!r}; use problem.under('length')"
        )


def require_by_edges(objective: Objective, search: str) -> None:
    """Raise UnsupportedProblemError unless the cost is a sum over the edges of a tour."""
    if not objective.by_edges:
        raise UnsupportedProblemError(
            f"problem: {search} adds up the gains of parts of a tour, but the objective "
            f"{objective.name!r} is not a sum over edges; use First() on whole tours"
        )


def require_additive(objective: Objective, problem: Problem, search: str) -> None:
    """Raise UnsupportedProblemError unless it is known which gains of moves add up.

    An objective that keeps data of tours has a C++ function `add_up`. Any other objective must be a
    sum over edges. In both cases, the direction of a tour must not matter.
    """
    if not objective.kept_bytes(problem):
        require_by_edges(objective, search)
    require_undirected(objective, search)


def require_nothing_kept(objective: Objective, problem: Problem, search: str) -> None:
    """Raise UnsupportedProblemError if the objective keeps data of tours."""
    if objective.kept_bytes(problem):
        raise UnsupportedProblemError(
            f"problem: {search} does not keep the data of tours that the objective "
            f"{objective.name!r} needs; use Best() or First()"
        )


def require_undirected(objective: Objective, search: str) -> None:
    """Raise UnsupportedProblemError if the direction of a tour matters."""
    if objective.directed:
        raise UnsupportedProblemError(
            f"problem: {search} reverses tours, but their direction matters for the objective "
            f"{objective.name!r}; use First() or Best() on lists, such as Nearest(20)"
        )

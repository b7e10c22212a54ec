"""What every objective says of itself."""

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
    """What a problem's tours cost in addition to length, and which of them may be results.

    A problem names its objective: ``problem.under(objective)``. Searches find moves by their
    lengths, as they do without one; what a move gains is for the objective to say.

    Attributes
    ----------
    name : str
        Name in the registry.
    functor : str
        C++ type, as `tours/problem/objective.cuh` describes it.
    header : str
        File that defines it, found like a kernel's header.
    length_alone : bool
        Whether nothing is added, so that searches are those without an objective.
    by_edges : bool
        Whether the cost is a sum over the edges of a tour, so that what moves gain that have no
        edge in common adds up, and a part of a tour may be searched without the rest.
    directed : bool
        Whether a tour and its reverse may cost differently although lengths have no directions.
        Then the functor has ``static constexpr bool kDirected = true``, and its `gain` builds the
        tour after a change as ``TourSegments(change, change.place(0))``: moves leave the segment
        of t1, the city at end 0, as it is.
    """

    name: ClassVar[str]
    functor: ClassVar[str]
    header: ClassVar[str] = "tours/problem/objective.cuh"
    length_alone: ClassVar[bool] = False
    by_edges: ClassVar[bool] = False
    directed: bool = False

    def source(self) -> str:
        """Return the C++ text that defines the functor, empty where `header` does."""
        return ""

    def check(self, problem: Problem) -> None:
        """Raise UnsupportedProblemError where the objective makes no sense on the problem."""

    def words(self, backend: Any, problem: Problem) -> list[Any]:
        """Return the functor's parameters: integers, floats, or arrays of the backend."""
        return []

    def row_words(self, backend: Any, problem: Any) -> tuple[Any, Any]:
        """Return the parameters of each row, uint64 (P, k), where rows have lengths of their own.

        And what has to stay as long as they are used.
        """
        raise UnsupportedProblemError(
            f"problem: the objective {self.name!r} is not one of rows with lengths of their own"
        )

    @property
    def proven(self) -> bool:
        """Whether the library's tests compare the functor with this class."""
        return not foreign(self)

    @property
    def keeps(self) -> bool:
        """Whether the functor keeps something of a tour: where it says how many bytes."""
        return type(self).kept_bytes is not Objective.kept_bytes

    def kept_bytes(self, problem: Problem) -> int:
        """Return what the functor keeps of a tour, a multiple of 16; nothing unless overridden."""
        return 0

    def evaluated(self, problem: Any) -> Any:
        """Return a problem whose tours cost the same, of which less is kept: itself by default."""
        return problem

    def most(self, problem: Problem) -> float:
        """Return a bound of what a move may gain or lose beside lengths: infinity by default."""
        return math.inf

    @abstractmethod
    def costs(self, problem: Problem, rows: NDArray[np.int32]) -> NDArray[Any]:
        """Return what tours (P, n) cost in addition to length: exact, in the type of its costs."""

    def feasible(self, problem: Problem, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which tours (P, n) may be results: all unless overridden."""
        return np.ones(len(rows), dtype=np.bool_)

    def violated(self, problem: Problem, rows: NDArray[np.int32]) -> NDArray[Any]:
        """Return by how much tours (P, n) break constraints; see `Problem.excess`."""
        return (~self.feasible(problem, rows)).astype(np.int64)


def require_length(objective: Objective, search: str) -> None:
    """Raise UnsupportedProblemError where a search compares lengths, but these do not say all."""
    if not objective.length_alone:
        raise UnsupportedProblemError(
            f"problem: {search} compares lengths alone, but the objective is "
            f"{objective.name!r}; leave it out, or search problem.under('length')"
        )


def require_by_edges(objective: Objective, search: str) -> None:
    """Raise UnsupportedProblemError where a search works on parts of an indivisible objective."""
    if not objective.by_edges:
        raise UnsupportedProblemError(
            f"problem: {search} adds up what parts of a tour gain, but the objective "
            f"{objective.name!r} is not a sum over edges; use First() on whole tours"
        )


def require_additive(objective: Objective, problem: Problem, search: str) -> None:
    """Raise UnsupportedProblemError where nobody knows which moves gain as much together."""
    if not objective.kept_bytes(problem):
        require_by_edges(objective, search)
    require_undirected(objective, search)


def require_nothing_kept(objective: Objective, problem: Problem, search: str) -> None:
    """Raise UnsupportedProblemError where a search does not keep what an objective needs."""
    if objective.kept_bytes(problem):
        raise UnsupportedProblemError(
            f"problem: {search} does not keep what the objective {objective.name!r} needs of a "
            "tour; use Best() or First()"
        )


def require_undirected(objective: Objective, search: str) -> None:
    """Raise UnsupportedProblemError where a search turns tours round that must not be."""
    if objective.directed:
        raise UnsupportedProblemError(
            f"problem: {search} turns tours round, but under the objective {objective.name!r} the "
            "way that they are run matters; use First() or Best() on lists, such as Nearest(20)"
        )

"""The base class of neighbourhoods."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.problem.tsp import TSP

USUAL_EDGES, DEEPEST_EDGES = (
    constant("tours/moves/move.cuh", name) for name in ("kUsualExchange", "kDeepestExchange")
)


class Neighbourhood(ABC):
    """A set of moves that change a tour.

    Attributes
    ----------
    name : str
        Name in the registry.
    header : str
        Path in the package of the header that defines the functor.
    reverses : bool
        Whether the moves reverse paths, which requires symmetric lengths.
    alone : bool
        Whether the neighbourhood has a separate engine. It then has no functor and cannot be
        combined with other neighbourhoods.
    """

    name: ClassVar[str]
    header: ClassVar[str] = "tours/moves/move.cuh"
    reverses: ClassVar[bool] = True
    alone: ClassVar[bool] = False

    @property
    def deep(self) -> bool:
        """Whether moves exchange more than three edges, which takes many registers.

        False by default. A plugin with such moves sets ``deep = True`` in its class.
        """
        return False

    @property
    def most_edges(self) -> int:
        """Largest number of edges that a move exchanges.

        8 by default, also if all moves exchange fewer; a plugin sets it only if it needs more.
        Moves of more than 8 edges (up to 12) work only on the CPU backend; their functor must
        declare the number as ``static constexpr int kMostEdges``.
        """
        return USUAL_EDGES

    @abstractmethod
    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city; `tours/moves/move.cuh` describes it.

        If lengths are not `symmetric`, the type must not contain moves that reverse paths.
        """

    def source(self) -> str:
        """Return the C++ source that defines the functor; empty if `header` defines it."""
        return ""

    def first_breadth(self, degree: int) -> int:
        """Return how many of the `degree` candidates of t2 are tried as t3; by default all."""
        return degree

    @abstractmethod
    def variants(self, degree: int, symmetric: bool) -> int:
        """Return the number of moves that share a first step (for statistics only).

        It is at least the number that the functor's `variants` returns.
        """

    def check_backend(self, backend: Backend) -> None:
        """Raise InvalidParameterError if moves exchange too many edges for the backend."""
        if self.most_edges > USUAL_EDGES and backend.name != "cpu":
            raise InvalidParameterError(
                f"{self!r}: moves of {self.most_edges} edges need the CPU backend; on a GPU the "
                f"limit is {USUAL_EDGES}"
            )

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError if the moves do not work on the problem."""
        if self.reverses and not problem.symmetric:
            raise UnsupportedProblemError(
                f"problem: {self.name} reverses paths, which changes the lengths of an asymmetric "
                "problem; use OrOpt() or ThreeOpt(), or Symmetrised() if lengths are integers"
            )

"""What every neighbourhood says of itself."""

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
    """A set of moves from one tour to others.

    Attributes
    ----------
    name : str
        Name in the registry.
    header : str
        File that defines the functor, found like a kernel's header.
    reverses : bool
        Whether its moves have to reverse paths, so that lengths must be symmetric.
    alone : bool
        Whether an engine of its own searches it alone: it has no functor of moves at a city.
    """

    name: ClassVar[str]
    header: ClassVar[str] = "tours/moves/move.cuh"
    reverses: ClassVar[bool] = True
    alone: ClassVar[bool] = False

    @property
    def deep(self) -> bool:
        """Whether moves exchange more than three edges, so that kernels need many registers."""
        return False

    @property
    def most_edges(self) -> int:
        """How many edges a move exchanges at most.

        More than 8, up to 12, are for the CPU backend alone; the functor has to say as much by
        ``static constexpr int kMostEdges``.
        """
        return USUAL_EDGES

    @property
    def chooses(self) -> bool:
        """Whether a move also looks for places, so that descents need more registers still."""
        return False

    @abstractmethod
    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city, as `tours/moves/move.cuh` describes it.

        Where lengths are not `symmetric`, of the moves that reverse no path.
        """

    def source(self) -> str:
        """Return the C++ text that defines the functor, empty where `header` does."""
        return ""

    def first_breadth(self, degree: int) -> int:
        """Return how many of `degree` candidates are tried as t3: all unless overridden."""
        return degree

    @abstractmethod
    def variants(self, degree: int, symmetric: bool) -> int:
        """Return how many moves begin with one first step (statistics only)."""

    def check_backend(self, backend: Backend) -> None:
        """Raise InvalidParameterError where moves exchange too many edges for a backend."""
        if self.most_edges > USUAL_EDGES and backend.name != "cpu":
            raise InvalidParameterError(
                f"{self!r}: moves of {self.most_edges} edges are for the CPU backend; on a GPU "
                f"they have {USUAL_EDGES} at most"
            )

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError where the moves make no sense on the problem."""
        if self.reverses and not problem.symmetric:
            raise UnsupportedProblemError(
                f"problem: {self.name} reverses paths, which changes the lengths of an asymmetric "
                "problem; search with OrOpt() or ThreeOpt(), or Symmetrised() of integer lengths"
            )

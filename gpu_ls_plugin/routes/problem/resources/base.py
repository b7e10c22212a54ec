"""What every resource of routes says of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.giant_tours import RoutedProblem


class Resource(ABC):
    """What a route uses up on its way, and how much of it is too much.

    A classical resource extension function (Schulz 2013, section 4.3), aggregated over segments of
    a giant tour.

    Attributes
    ----------
    name : str
        Name in the registry.
    segments : int
        How many are kept of each place: 1 where they are sums (`kAdds`), else 2.
    """

    name: ClassVar[str]
    segments: ClassVar[int] = 2

    def check(self, problem: RoutedProblem) -> None:
        """Raise UnsupportedProblemError where the resource makes no sense on the problem."""

    @abstractmethod
    def functor(self, problem: RoutedProblem) -> str:
        """Return the C++ type, as `routes/problem/resources/resource.cuh` describes it."""

    def source(self) -> str:
        """Return the C++ text that defines the functor, empty where it is built in."""
        return ""

    @abstractmethod
    def segment_bytes(self, problem: RoutedProblem) -> int:
        """Return the size of a `Segment`, of which `segments` are kept of each place."""

    @abstractmethod
    def words(self, backend: Any, problem: RoutedProblem) -> list[Any]:
        """Return the functor's parameters, `kWords` many: integers, floats, arrays of a backend."""

    @abstractmethod
    def excess(self, problem: RoutedProblem, rows: NDArray[Any]) -> NDArray[Any]:
        """Return by how much giant tours (P, n) use too much: the referee's, from scratch."""

    @abstractmethod
    def weight(self, problem: RoutedProblem) -> float:
        """Return what a unit of excess costs a search where constraints are hard."""

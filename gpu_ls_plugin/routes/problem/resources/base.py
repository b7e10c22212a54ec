"""The base class of resources of routes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.giant_tours import RoutedProblem


class Resource(ABC):
    """A quantity that a vehicle consumes on its route, up to a limit.

    A classical resource extension function (Schulz 2013, section 4.3), aggregated over segments of
    a giant tour.

    Attributes
    ----------
    name : str
        Name in the registry.
    segments : int
        Segments stored for each place: 1 if segments are sums (`kAdds`), else 2.
    """

    name: ClassVar[str]
    segments: ClassVar[int] = 2

    def check(self, problem: RoutedProblem) -> None:
        """Raise UnsupportedProblemError if the problem does not limit the resource."""

    @abstractmethod
    def functor(self, problem: RoutedProblem) -> str:
        """Return the C++ type, as `routes/problem/resources/resource.cuh` describes it."""

    def source(self) -> str:
        """Return the C++ text that defines the functor; empty if it is built in."""
        return ""

    @abstractmethod
    def segment_bytes(self, problem: RoutedProblem) -> int:
        """Return the size of a `Segment` in bytes."""

    @abstractmethod
    def words(self, backend: Any, problem: RoutedProblem) -> list[Any]:
        """Return the `kWords` parameters of the functor: integers, floats, arrays of a backend."""

    @abstractmethod
    def excess(self, problem: RoutedProblem, rows: NDArray[Any]) -> NDArray[Any]:
        """Return the excess of each giant tour (P, n), computed from scratch, shape (P,)."""

    @abstractmethod
    def weight(self, problem: RoutedProblem) -> float:
        """Return the price of a unit of excess if constraints are hard."""

"""The base class of resources that vehicles consume on their routes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.giant_tours import RoutedProblem


class Resource(ABC):
    """A quantity that a vehicle consumes on its route, up to a limit.

    A resource defines a classical resource extension function (Schulz 2013, section 4.3), which is
    aggregated over segments of a giant tour.

    Attributes
    ----------
    name : str
        Name in the registry.
    segments : int
        Number of segments stored for each place of a tour: 1 if segments are sums (`kAdds`),
        otherwise 2: one up to the place and one from it on.
    scaled : bool
        Whether the excess is a length or a time, which reports show in units of files
        (`CVRP.published`).
    """

    name: ClassVar[str]
    segments: ClassVar[int] = 2
    scaled: ClassVar[bool] = False

    def check(self, problem: RoutedProblem) -> None:
        """Raise UnsupportedProblemError if the problem does not limit the resource."""

    def of_nodes(self, nodes: NDArray[np.int64]) -> Resource | None:
        """Return the resource of a problem with some of the nodes, the depot first.

        None means that the resource is not known for such a problem, so that routes are not
        searched in parts.
        """
        return None

    def soft_price(self, problem: RoutedProblem) -> float | None:
        """Return the price of a unit of excess at which `solve` begins under soft constraints.

        Searches adapt it. None, the default, keeps the limit of the resource hard.
        """
        return None

    def apart(self, problem: RoutedProblem, a: NDArray[Any], b: NDArray[Any]) -> Any:
        """Return an extra distance of node b after node a, in units of length; by default 0.

        The candidates of a customer are the nodes with the smallest sum of length and extra
        distance, in either order.
        """
        return 0

    @abstractmethod
    def functor(self, problem: RoutedProblem) -> str:
        """Return the C++ type, which `routes/problem/resources/resource.cuh` describes."""

    def source(self) -> str:
        """Return the C++ text that defines the functor; empty if it is built in."""
        return ""

    @abstractmethod
    def segment_bytes(self, problem: RoutedProblem) -> int:
        """Return the size of a `Segment` in bytes."""

    def turns(self, problem: RoutedProblem) -> bool:
        """Return `kTurns`: whether segments or the excess depend on the direction of a route."""
        return self.segments > 1

    @abstractmethod
    def words(self, backend: Any, problem: RoutedProblem) -> list[Any]:
        """Return the `kWords` parameters of the functor: numbers or arrays of the backend."""

    @abstractmethod
    def excess(self, problem: RoutedProblem, rows: NDArray[Any]) -> NDArray[Any]:
        """Return the excess of each giant tour over the limit, shape (P,), computed from scratch.

        `rows` are checked giant tours, shape (P, n).
        """

    @abstractmethod
    def weight(self, problem: RoutedProblem) -> float:
        """Return the price of a unit of excess under hard constraints."""

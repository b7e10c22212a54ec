"""What every heuristic says of itself, and two functors as one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin.backends.structs import in_order, words_of
from gpu_ls_plugin.backends.tuning import padded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem

PAIR = "assignment/heuristics/pair.cuh"


class Functor(ABC):
    """What has a functor of which the generation of successors is composed.

    Attributes
    ----------
    name : str
        Name in the registry, and in listings of kernels.
    header : str
        The functor's file by its path in the package, empty where `source` has it.
    side_by_side : bool
        Whether the functor takes states of any type, as `heuristic.cuh` says, so that a thread of a
        CPU generates some side by side. Said beside `functor`: who overrides that alone has one for
        `gls::State`.
    """

    name: ClassVar[str]
    header: ClassVar[str] = ""
    side_by_side: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "functor" in vars(cls) and "side_by_side" not in vars(cls):
            cls.side_by_side = False

    @abstractmethod
    def functor(self) -> str:
        """Return the C++ type."""

    def source(self) -> str:
        """Return the C++ text that defines the functor, empty where it is built in."""
        return ""

    @property
    def headers(self) -> tuple[str, ...]:
        """The files that the functor is made of."""
        return (self.header,) if self.header else ()

    @property
    def parts(self) -> tuple[Functor, ...]:
        """All that is composed: this one, and behind it the parts of what it is made of."""
        return (self,)


class Heuristic(Functor):
    """What guides the assignment of values to variables, one variable after the other.

    Its functor rates the values of a variable in a state, each by itself, and turns a rating, and
    the aggregate of all ratings, into a weight: how likely the value is to be chosen.

    Attributes
    ----------
    name : str
        Name in the registry.
    rating_bytes : int
        Size of the functor's `Rating`.
    header : str
        The functor's file by its path in the package, empty where `source` has it.
    """

    rating_bytes: int = 8

    def on(self, problem: Problem | None) -> Heuristic:
        """Return the heuristic as it is on a problem: itself, unless its functor depends on it."""
        return self

    @abstractmethod
    def sizes(self, problem: Problem | None) -> NDArray[Any]:
        """Return how many values each variable may have at most, shape (m,).

        Raises
        ------
        UnsupportedProblemError
            The heuristic is not one for this problem.
        """

    @abstractmethod
    def functor(self) -> str:
        """Return the C++ type, as `assignment/heuristics/heuristic.cuh` describes it."""

    @abstractmethod
    def words(self, backend: Backend, problem: Problem | None) -> list[Any]:
        """Return what the functor is made of: integers, floats, NumPy arrays.

        They are asked for once for each backend and problem.
        """

    def kept_bytes(self, problem: Problem | None) -> int:
        """Return the bytes that the functor keeps beside a state; none unless overridden."""
        return 0


def pair_words(first: list[Any], kept_by_first: int, second: list[Any]) -> list[Any]:
    """Return the parameters of a `gls::FunctorPair`."""
    begin = words_of(PAIR, "FunctorPairData") + len(first)
    data = {"second": begin, "kept_by_first": padded(kept_by_first)}
    return [*in_order(PAIR, "FunctorPairData", data), *first, *second]


def pair_kept_bytes(first: int, second: int) -> int:
    """Return the bytes that both keep, the second behind the first."""
    return padded(first) + second

"""What every filter says of itself, how filters combine, and the one that drops nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.candidates.base import Candidates
    from gpu_ls_plugin.tours.problem.tsp import TSP


@dataclass(frozen=True)
class Setting:
    """Where a filter is used.

    Attributes
    ----------
    backend : Backend
    problem : TSP
    dtype : str
        Type of the lengths in which the kernels calculate.
    seed : int
        Of the call.
    """

    backend: Backend
    problem: TSP
    dtype: str
    seed: int


class Filter(ABC):
    """A test that says which moves of a complete neighbourhood are evaluated.

    Filters combine: ``a & b`` keeps what both keep, ``a | b`` what one of them keeps, ``~a`` what
    the filter drops. Whatever is combined becomes one functor of the kernel.

    Attributes
    ----------
    name : str
        Name in the registry.
    header : str
        File that defines the functor, found like a kernel's header.
    """

    name: ClassVar[str]
    header: ClassVar[str] = "tours/filters/filter.cuh"

    @abstractmethod
    def functor(self) -> str:
        """Return the C++ type of the test, as `tours/filters/filter.cuh` describes it."""

    def source(self) -> str:
        """Return the C++ text that defines the functor, empty where `header` does."""
        return ""

    @property
    def opens(self) -> bool:
        """Whether openings are tested, so that most moves need not even be enumerated."""
        return False

    def rotations(self, edges: int) -> int:
        """Return the functor's `kRotations` for moves that take out `edges` edges."""
        return 1

    @property
    def candidate_sets(self) -> tuple[Candidates, ...]:
        """The candidate sets whose lists `words` needs."""
        return ()

    def words(self, setting: Setting) -> list[Any]:
        """Return the functor's parameters: integers, floats, or arrays of the backend."""
        return []

    def state_words(self, n: int) -> int:
        """Return how many 8-byte words the functor keeps of a tour; it finds each byte 1."""
        return 0

    @property
    def parts(self) -> tuple[Filter, ...]:
        """The filters that this one is made of."""
        return (self,)

    def __and__(self, other: object) -> Filter:
        """Return the filter that keeps what both keep."""
        return And(self, other) if isinstance(other, Filter) else NotImplemented

    def __or__(self, other: object) -> Filter:
        """Return the filter that keeps what one of both keeps."""
        return Or(self, other) if isinstance(other, Filter) else NotImplemented

    def __invert__(self) -> Filter:
        """Return the filter that keeps what this one drops."""
        return Not(self)


@dataclass(frozen=True)
class _Pair(Filter):
    """Two filters in one: the parameters and the state of the first, then the second's."""

    first: Filter
    second: Filter

    type: ClassVar[str]
    sign: ClassVar[str]

    def functor(self) -> str:
        return f"gls::{self.type}<{self.first.functor()}, {self.second.functor()}>"

    def words(self, setting: Setting) -> list[Any]:
        return self.first.words(setting) + self.second.words(setting)

    def state_words(self, n: int) -> int:
        return self.first.state_words(n) + self.second.state_words(n)

    @property
    def parts(self) -> tuple[Filter, ...]:
        return self.first.parts + self.second.parts

    def __repr__(self) -> str:
        return f"({self.first!r} {self.sign} {self.second!r})"


class And(_Pair):
    """Keep what both filters keep."""

    type, sign = "Both", "&"

    @property
    def opens(self) -> bool:
        """One that tests openings is enough."""
        return self.first.opens or self.second.opens

    def rotations(self, edges: int) -> int:
        """Return the first filter's, unless one is enough for it."""
        first = self.first.rotations(edges)
        return first if first > 1 else self.second.rotations(edges)


class Or(_Pair):
    """Keep what one of two filters keeps."""

    type, sign = "OneOf", "|"

    @property
    def opens(self) -> bool:
        """An opening is rejected by both or not at all."""
        return self.first.opens and self.second.opens

    def rotations(self, edges: int) -> int:
        """Return the larger number."""
        return max(self.first.rotations(edges), self.second.rotations(edges))


@dataclass(frozen=True)
class Not(Filter):
    """Keep what a filter drops."""

    filter: Filter

    def functor(self) -> str:
        """Return the C++ type of the test."""
        return f"gls::Not<{self.filter.functor()}>"

    def words(self, setting: Setting) -> list[Any]:
        """Return the parameters of what is turned round."""
        return self.filter.words(setting)

    def state_words(self, n: int) -> int:
        """Return the state of what is turned round."""
        return self.filter.state_words(n)

    @property
    def parts(self) -> tuple[Filter, ...]:
        """The parts of what is turned round."""
        return self.filter.parts

    def __repr__(self) -> str:
        return f"~{self.filter!r}"


@dataclass(frozen=True)
class Everything(Filter):
    """Keep all moves: what filters are measured against."""

    name = "everything"

    def functor(self) -> str:
        """Return the C++ type of the test."""
        return "gls::Everything"

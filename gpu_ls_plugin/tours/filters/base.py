"""The base class of filters, and their combinations."""

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
    """The search in which a filter is used.

    Attributes
    ----------
    backend : Backend
    problem : TSP
    dtype : str
        NumPy name of the type of lengths in the kernels.
    seed : int
        Seed of the call.
    """

    backend: Backend
    problem: TSP
    dtype: str
    seed: int


class Filter(ABC):
    """A test that decides which moves of a complete neighbourhood are evaluated.

    Filters combine: ``a & b`` keeps moves that both keep, ``a | b`` moves that at least one keeps,
    and ``~a`` moves that `a` drops. The combination becomes one functor of the kernel.

    Attributes
    ----------
    name : str
        Name in the registry.
    header : str
        Path in the package of the header that defines the functor.
    """

    name: ClassVar[str]
    header: ClassVar[str] = "tours/filters/filter.cuh"

    @abstractmethod
    def functor(self) -> str:
        """Return the C++ type of the test; `tours/filters/filter.cuh` describes it."""

    def source(self) -> str:
        """Return the C++ source that defines the functor; empty if `header` defines it."""
        return ""

    @property
    def opens(self) -> bool:
        """Whether the filter rejects openings: moves with one open position (complete.cuh)."""
        return False

    def rotations(self, edges: int) -> int:
        """Return the functor's `kRotations` for moves that remove `edges` edges."""
        return 1

    @property
    def candidate_sets(self) -> tuple[Candidates, ...]:
        """The candidate sets that `words` reads."""
        return ()

    def words(self, setting: Setting) -> list[Any]:
        """Return the functor's parameters: integers, floats, or arrays of the backend."""
        return []

    def state_words(self, n: int) -> int:
        """Return the number of 8-byte words of state per tour; initially, all bytes are 1."""
        return 0

    @property
    def parts(self) -> tuple[Filter, ...]:
        """The filters that this filter combines; by default, only itself."""
        return (self,)

    def __and__(self, other: object) -> Filter:
        """Return the filter that keeps the moves that both filters keep."""
        return And(self, other) if isinstance(other, Filter) else NotImplemented

    def __or__(self, other: object) -> Filter:
        """Return the filter that keeps the moves that at least one of the two keeps."""
        return Or(self, other) if isinstance(other, Filter) else NotImplemented

    def __invert__(self) -> Filter:
        """Return the filter that keeps the moves that this filter drops."""
        return Not(self)


@dataclass(frozen=True)
class _Pair(Filter):
    """Two filters as one. Parameters and state of the first precede those of the second."""

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
    """Keep moves that both filters keep."""

    type, sign = "Both", "&"

    @property
    def opens(self) -> bool:
        """Whether at least one of the filters rejects openings."""
        return self.first.opens or self.second.opens

    def rotations(self, edges: int) -> int:
        """Return the first filter's number of rotations; if that is 1, the second filter's."""
        first = self.first.rotations(edges)
        return first if first > 1 else self.second.rotations(edges)


class Or(_Pair):
    """Keep moves that at least one of two filters keeps."""

    type, sign = "OneOf", "|"

    @property
    def opens(self) -> bool:
        """Whether both filters reject openings."""
        return self.first.opens and self.second.opens

    def rotations(self, edges: int) -> int:
        """Return the larger of the two filters' numbers of rotations."""
        return max(self.first.rotations(edges), self.second.rotations(edges))


@dataclass(frozen=True)
class Not(Filter):
    """Keep moves that a filter drops."""

    filter: Filter

    def functor(self) -> str:
        return f"gls::Not<{self.filter.functor()}>"

    def words(self, setting: Setting) -> list[Any]:
        return self.filter.words(setting)

    def state_words(self, n: int) -> int:
        return self.filter.state_words(n)

    @property
    def parts(self) -> tuple[Filter, ...]:
        return self.filter.parts

    def __repr__(self) -> str:
        return f"~{self.filter!r}"

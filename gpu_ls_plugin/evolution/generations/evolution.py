"""The interface of objects that make a population and its generations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from numpy.random import Generator

    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.runs.framework_run import FrameworkRun


class Bred(Protocol):
    """A population on a backend. Copies and pickles are on the host; a run can continue from them.

    Attributes
    ----------
    tours : array of the backend, shape (P, n), int32
    costs : array of the backend, shape (P,)
    """

    @property
    def tours(self) -> Any: ...

    @property
    def costs(self) -> Any: ...

    def __len__(self) -> int: ...


Kind = TypeVar("Kind", bound=Bred)


class Evolution(ABC, Generic[Kind]):
    """Makes a population and its later generations; it is stateless.

    The same random state gives the same populations. A `FrameworkRun` limits the time of searches
    and counts them.
    """

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of tours in a population; it has fewer if too few are distinct."""

    def text(self, problem: Any) -> str:
        """Return the parts that make generations of a problem's rows, for readers."""
        return type(self).__name__

    @abstractmethod
    def prepare(self, problem: Any) -> None:
        """Compile ahead of a run."""

    @abstractmethod
    def start(
        self, problem: Any, random_state: Generator, run: FrameworkRun, given: Tours | None = None
    ) -> Kind:
        """Return a population of improved tours.

        Parameters
        ----------
        problem : TSP or Assignment
            The problem to search.
        random_state : numpy.random.Generator
        run : FrameworkRun
        given : int32 array, shape (K, n), optional
            Initial tours of the population; those beyond its size are ignored, and better tours may
            replace the others.
        """

    @abstractmethod
    def next(
        self, problem: Any, population: Kind, random_state: Generator, run: FrameworkRun
    ) -> Kind:
        """Return the next generation, which may be `population` itself, changed in place."""

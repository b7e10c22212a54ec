"""How a population goes from generation to generation where it is searched."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    import numpy as np

    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.runs.framework_run import FrameworkRun


class Bred(Protocol):
    """Tours on a backend. A copy, or what comes of a pickle, lies on the host and can go on.

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
    """What makes a population and its next generations; it keeps nothing of a run by itself.

    The same numbers drawn from a random state give the same populations. A `FrameworkRun` limits
    the searches in time and is told of them.
    """

    @property
    @abstractmethod
    def size(self) -> int:
        """Tours of a population, if there are so many."""

    @abstractmethod
    def prepare(self, problem: Any) -> None:
        """Compile what a run needs, ahead of it."""

    @abstractmethod
    def start(
        self,
        problem: Any,
        random_state: np.random.Generator,
        run: FrameworkRun,
        given: Tours | None = None,
    ) -> Kind:
        """Return a population of searched tours.

        Parameters
        ----------
        problem : TSP or Assignment
            As the evolution searches.
        random_state : numpy.random.Generator
        run : FrameworkRun
        given : int32 array, shape (K, n), optional
            Tours of which the first ones are in the population, or better ones in their place.
        """

    @abstractmethod
    def next(
        self, problem: Any, population: Kind, random_state: np.random.Generator, run: FrameworkRun
    ) -> Kind:
        """Return the next generation; the population may be the same object, changed."""

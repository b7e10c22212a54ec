"""How a population goes from generation to generation where it is searched."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    import numpy as np

    from gpu_ls_plugin.evolution.rows import Tours
    from gpu_ls_plugin.evolution.run import Run
    from gpu_ls_plugin.problems.tsp import TSP


class Population(Protocol):
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


Kind = TypeVar("Kind", bound=Population)


class Evolution(ABC, Generic[Kind]):
    """What makes a population and its next generations; it keeps nothing of a run by itself.

    The same numbers drawn from a random state give the same populations. A `Run` limits the
    searches in time and is told of them.
    """

    @abstractmethod
    def prepare(self, problem: TSP, size: int) -> None:
        """Compile for a population of `size`, ahead of a timed run."""

    @abstractmethod
    def start(
        self,
        problem: TSP,
        size: int,
        random_state: np.random.Generator,
        run: Run,
        given: Tours | None = None,
    ) -> Kind:
        """Return a population of searched tours.

        Parameters
        ----------
        problem : TSP
        size : int
            Number of tours, at least 1.
        random_state : numpy.random.Generator
        run : Run
        given : int32 array, shape (K, n), optional
            Tours of which the first `size` are in the population, or better ones in their place.
        """

    @abstractmethod
    def next(
        self, problem: TSP, population: Kind, random_state: np.random.Generator, run: Run
    ) -> Kind:
        """Return the next generation; the population may be the same object, changed."""

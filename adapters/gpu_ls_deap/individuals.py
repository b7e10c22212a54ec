"""Access to the rows and fitness of DEAP's individuals; a base class of in-place mutations."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from array import array
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.evolution.shown_parameters import ShownParameters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray


def random_state() -> Generator:
    """Return a generator seeded from Python's `random`, which DEAP uses."""
    return np.random.default_rng(random.getrandbits(64))


def rows_of(individuals: Sequence[Any]) -> list[Any]:
    """Return individuals as arrays, unchecked."""
    return [np.asarray(individual) for individual in individuals]


def write(individuals: Iterable[Any], tours: NDArray[np.int32]) -> None:
    """Write new tours into individuals, which are lists, `array.array` or NumPy arrays."""
    for individual, tour in zip(individuals, tours, strict=True):
        if isinstance(individual, np.ndarray):
            individual[:] = tour
        elif isinstance(individual, array):
            individual[:] = array(individual.typecode, tour.tolist())
        else:
            individual[:] = tour.tolist()
        invalidate(individual)


def valid(individual: Any) -> bool:
    """Return whether an individual has a valid fitness."""
    fitness = getattr(individual, "fitness", None)
    return fitness is not None and bool(fitness.valid)


def invalidate(individual: Any) -> None:
    """Delete the fitness values of an individual, if it has any."""
    if valid(individual):
        del individual.fitness.values


class InPlaceMutation(ShownParameters, ABC):
    """A mutation for ``toolbox.register("mutate", ...)``; `batch` mutates a list of individuals."""

    def __call__(self, individual: Any) -> tuple[Any]:
        """Mutate an individual (in place) and return it in a tuple, as DEAP's mutations do."""
        self._mutate([individual])
        return (individual,)

    def batch(self, individuals: Sequence[Any], known: Iterable[Any] = ()) -> Sequence[Any]:
        """Mutate the individuals whose fitness is not valid (in place), and return all of them.

        `known` has no effect; `var_and` passes it to each mutation.
        """
        chosen = [individual for individual in individuals if not valid(individual)]
        if chosen:
            self._mutate(chosen)
        return individuals

    def _mutate(self, individuals: list[Any]) -> None:
        write(individuals, self._mutated(rows_of(individuals), random_state()))

    @abstractmethod
    def _mutated(self, rows: list[Any], state: Generator) -> NDArray[Any]:
        """Return the mutated rows; `rows` are not checked yet."""

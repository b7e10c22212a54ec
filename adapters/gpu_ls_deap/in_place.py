"""Mutations that change individuals in place: one of them, or a list in one batch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from gpu_ls_deap.individuals import random_state, rows_of, valid, write
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray


class InPlaceMutation(ShownParameters, ABC):
    """A mutation for ``toolbox.register("mutate", ...)``; `batch` mutates a list."""

    def __call__(self, individual: Any) -> tuple[Any]:
        """Mutate an individual (in place) and return it in a tuple, as DEAP's mutations do."""
        self._mutate([individual])
        return (individual,)

    def batch(self, individuals: Sequence[Any], known: Iterable[Any] = ()) -> Sequence[Any]:
        """Mutate the individuals whose fitness is not valid (in place), and return all."""
        chosen = [individual for individual in individuals if not valid(individual)]
        if chosen:
            self._mutate(chosen)
        return individuals

    def _mutate(self, individuals: list[Any]) -> None:
        write(individuals, self._mutated(rows_of(individuals), random_state()))

    @abstractmethod
    def _mutated(self, rows: list[Any], state: np.random.Generator) -> NDArray[Any]:
        """Return the mutated rows; the given ones are unchecked."""

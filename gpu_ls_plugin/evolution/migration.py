"""Migration between populations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.core import checks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.evolution.tour_population import TourPopulation


@dataclass(frozen=True)
class RingMigration:
    """Replaces the worst tours of each population with the best ones of the population before it.

    Populations form a ring: the first one gets tours from the last one. All emigrants are chosen
    before any replacement, so that a tour advances by only one population. Tours that a
    population already has are not copied into it. Each population keeps its best tour and its size.
    (`gpu_ls_plugin.Migration` is for the chains of one search.)

    Parameters
    ----------
    every : int
        Number of generations between two migrations, at least 1.
    migrants : int
        Number of tours that are copied from each population, at least 1.

    Raises
    ------
    InvalidTypeError, InvalidParameterError
        A parameter is not an integer of at least 1.

    References
    ----------
    Whitley, Rana and Heckendorn (1999), The Island Model Genetic Algorithm: On Separability,
    Population Size and Convergence, Journal of Computing and Information Technology 7(1), 33-47.
    """

    every: int = 10
    migrants: int = 1

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "every", "migrants", least=1)

    def __call__(
        self, generation: int, populations: Sequence[TourPopulation]
    ) -> list[TourPopulation]:
        """Return the populations after a migration, if one is due.

        Parameters
        ----------
        generation : int
            The generation that all populations have just made, counted from 1.
        populations : sequence of TourPopulation
            At least one tour each, all on one device; not changed.

        Returns
        -------
        list of TourPopulation
            The new populations, each with the cheapest tours first, or the given populations if no
            migration is due.
        """
        if generation % self.every or len(populations) == 1:
            return list(populations)
        emigrants = [population.best(self.migrants) for population in populations]
        guests = [emigrants[-1], *emigrants[:-1]]
        return [_joined(*both) for both in zip(populations, guests, strict=True)]


def _joined(population: TourPopulation, guests: TourPopulation) -> TourPopulation:
    """Return the population with its worst tours replaced by guests that are new to it."""
    size = len(population)
    new = population.joined(guests).first_of_each()[size:]
    arriving = guests.take(population.xp.flatnonzero(new)[: size - 1])
    return population.best(size - len(arriving)).joined(arriving).best(size)

"""Tours that go from population to population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.core import checks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.evolution.tour_population import TourPopulation


@dataclass(frozen=True)
class RingMigration:
    """Copy the best tours of each population into the next one, in place of its worst.

    Populations stand in a ring: the last one's tours go into the first. All leave before any
    arrives, so that a tour goes one population further at a time. What a population has already
    does not arrive, its own best tour stays, and its size as well. (`gpu_ls_plugin.Migration` is
    for the chains of one search.)

    Parameters
    ----------
    every : int
        Generations between two migrations, at least 1.
    migrants : int
        Tours that leave each population, at least 1.

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
        """Return the populations after a generation.

        Parameters
        ----------
        generation : int
            That all of them have made, counted from 1.
        populations : sequence of TourPopulation
            At least one tour each, all on one device; not changed.

        Returns
        -------
        list of TourPopulation
            The cheapest tours first; the same populations where it is not time yet.
        """
        if generation % self.every or len(populations) == 1:
            return list(populations)
        emigrants = [population.best(self.migrants) for population in populations]
        guests = [emigrants[-1], *emigrants[:-1]]
        return [_joined(*both) for both in zip(populations, guests, strict=True)]


def _joined(population: TourPopulation, guests: TourPopulation) -> TourPopulation:
    """Return the population with new guests instead of its worst tours."""
    size = len(population)
    new = population.joined(guests).first_of_each()[size:]
    arriving = guests.take(population.xp.flatnonzero(new)[: size - 1])
    return population.best(size - len(arriving)).joined(arriving).best(size)

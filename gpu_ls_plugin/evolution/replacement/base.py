"""What a generation asks of a replacement rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.tour_population import TourPopulation


class Replacement(Protocol):
    """A rule without state, on arrays of NumPy or of CuPy."""

    def __call__(
        self,
        problem: Problem,
        population: TourPopulation,
        children: TourPopulation,
        parents: tuple[Any, Any],
        size: int,
    ) -> TourPopulation:
        """Return the next population, the cheapest first; it holds the best tour of all.

        Parameters
        ----------
        problem : Problem
        population, children : TourPopulation
            At least one tour each; not changed.
        parents : tuple of two int64 arrays, shape (children,)
            Rows of the population that each child was crossed from.
        size : int
            Of the next population, at least 1.

        Returns
        -------
        TourPopulation
            Different tours; fewer than `size` where so few differ.
        """
        ...

"""Populations of islands: each goes on from where it stood, stretch by stretch."""

from __future__ import annotations

from gpu_ls_plugin.distributed.populations.base import Place, Population, Seen
from gpu_ls_plugin.distributed.populations.called import CalledPopulation
from gpu_ls_plugin.distributed.populations.chained import ChainedPopulation
from gpu_ls_plugin.distributed.populations.stated import StatedPopulation
from gpu_ls_plugin.searches import IteratedLocalSearch
from gpu_ls_plugin.searches.successors import SuccessorSearch

__all__ = ["Place", "Population", "Seen", "population_of"]


def population_of(place: Place, rows: object, seconds: float, parts: int = 1) -> Population:
    """Return a population that begins with some rows, by whatever searches it.

    Parameters
    ----------
    place : Place
    rows : int32 array, shape (P, n), or None
        None where the search makes its own.
    seconds : float
        That the first search of the rows may take ...
    parts : int
        ... in so many parts, of which those that are begun in time are the population.
    """
    if isinstance(place.search, IteratedLocalSearch):
        return ChainedPopulation(place, rows, seconds, parts)
    if isinstance(place.search, SuccessorSearch):
        return StatedPopulation(place, rows)
    return CalledPopulation(place, rows)

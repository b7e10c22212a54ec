"""Deterministic crowding: a child competes with the parent that it is more like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.evolution.diversity import distance

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.tour_population import TourPopulation


@dataclass(frozen=True)
class Crowding:
    """Put a child in the place of the more similar of its parents where it is cheaper.

    Similar are tours with many common edges; parents that are equally similar are taken in their
    order. Of several children with the same rival the cheapest stays, of these the first. A child
    that is in the population already replaces nobody. Members that are no child's rival stay, so
    that a population of optima in different regions is kept.

    Where the population is to grow, the best of the rest join it.

    References
    ----------
    Mahfoud (1992), Crowding and Preselection Revisited, Parallel Problem Solving from Nature 2,
    27-36. There each member is a parent once in a generation; here parents are as they were drawn.
    """

    def __call__(
        self,
        problem: Problem,
        population: TourPopulation,
        children: TourPopulation,
        parents: tuple[Any, Any],
        size: int,
    ) -> TourPopulation:
        """Return the next population; see `Replacement`."""
        xp, both = population.xp, population.joined(children)
        rival = _rivals(problem, population, children, parents)
        fresh = both.first_of_each()
        ranked = children.by_cost()
        new = ranked[fresh[len(population) :][ranked]]
        winners = _first_of_each(xp, rival, new[children.costs[new] < population.costs[rival[new]]])
        rows = xp.arange(len(population))
        rows[rival[winners]] = len(population) + winners
        fresh[rows] = False
        rest = both.take(xp.flatnonzero(fresh)).best(max(0, size - len(population)))
        return both.take(rows).joined(rest).best(size)


def _rivals(
    problem: Problem, population: TourPopulation, children: TourPopulation, parents: tuple[Any, Any]
) -> Any:
    """Return the row of the parent that each child shares more edges with."""
    first, second = parents
    one, other = (distance(problem, children.tours, population.tours[rows]) for rows in parents)
    return population.xp.where(other < one, second, first)


def _first_of_each(xp: Any, rival: Any, children: Any) -> Any:
    """Return the children before which no other has the same rival."""
    rivals = rival[children]
    order = xp.lexsort(xp.stack([xp.arange(len(children)), rivals]))
    first = xp.ones(len(children), dtype=bool)
    first[1:] = rivals[order[1:]] != rivals[order[:-1]]
    return children[order[first]]

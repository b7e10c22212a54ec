"""Rules of replacement, which choose the next population from parents and children."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.evolution.diversity import distance
from gpu_ls_plugin.evolution.far_apart import far_apart
from gpu_ls_plugin.runs.domain import domain_of

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.tour_population import TourPopulation


class Replacement(Protocol):
    """A stateless rule of replacement, for arrays of NumPy or CuPy."""

    def __call__(
        self,
        problem: Problem,
        population: TourPopulation,
        children: TourPopulation,
        parents: tuple[Any, Any],
        size: int,
    ) -> TourPopulation:
        """Return the next population, the cheapest tour first; it always contains the best tour.

        Parameters
        ----------
        problem : Problem
        population, children : TourPopulation
            At least one tour each; not changed.
        parents : tuple of two int64 arrays, shape (children,)
            Indices in `population` of the first and the second parent of each child.
        size : int
            Size of the next population, at least 1.

        Returns
        -------
        TourPopulation
            Distinct tours; fewer than `size` if there are too few distinct tours.
        """
        ...


@dataclass(frozen=True)
class BestDistinct:
    """Keep the best distinct tours of parents and children (a plus strategy)."""

    def __call__(
        self,
        problem: Problem,
        population: TourPopulation,
        children: TourPopulation,
        parents: tuple[Any, Any],
        size: int,
    ) -> TourPopulation:
        return population.joined(children).best(size)


@dataclass(frozen=True)
class EdgeDistance:
    """Keep the best tours of parents and children that differ from each other by enough edges.

    Tours are considered in order of increasing cost. A tour is skipped if it differs from a chosen
    tour by fewer than `edges` edges (clearing with niches of one tour). If too few tours are
    chosen, the best skipped ones are added. The best tour always survives.

    Parameters
    ----------
    edges : int
        Minimum number of edges in which two survivors differ, at least 0.

    Raises
    ------
    InvalidTypeError, InvalidParameterError
        `edges` is not an integer of at least 0.

    References
    ----------
    Pétrowski (1996), A Clearing Procedure as a Niching Method for Genetic Algorithms, IEEE
    International Conference on Evolutionary Computation, 798-803.
    """

    edges: int = 4

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "edges", least=0)

    def __call__(
        self,
        problem: Problem,
        population: TourPopulation,
        children: TourPopulation,
        parents: tuple[Any, Any],
        size: int,
    ) -> TourPopulation:
        both = population.joined(children)
        ranked = both.best(len(both))
        count = min(size, len(ranked))
        features = domain_of(problem).features(problem, both.xp, ranked.tours)
        chosen = far_apart(both.xp, features, count, self.edges)
        return ranked.take(chosen)


@dataclass(frozen=True)
class Crowding:
    """Let each child replace the more similar of its parents, if the child is cheaper.

    The more similar parent has more edges in common with the child; on a tie, it is the first
    parent. If several children compete with the same parent, only the cheapest may replace it; on
    a tie, the first one. A child whose tour is already in the population replaces nothing. All
    other tours stay, so that optima in different regions are kept.

    If the next population is to be larger than the current one, the best remaining tours join it.

    References
    ----------
    Mahfoud (1992), Crowding and Preselection Revisited, Parallel Problem Solving from Nature 2,
    27-36. There, each member is a parent once per generation; here, parents are drawn at random.
    """

    def __call__(
        self,
        problem: Problem,
        population: TourPopulation,
        children: TourPopulation,
        parents: tuple[Any, Any],
        size: int,
    ) -> TourPopulation:
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
    """Return the index of the more similar parent of each child."""
    first, second = parents
    one, other = (distance(problem, children.tours, population.tours[rows]) for rows in parents)
    return population.xp.where(other < one, second, first)


def _first_of_each(xp: Any, rival: Any, children: Any) -> Any:
    """Return, for each parent that children compete with, the first of these children."""
    rivals = rival[children]
    order = xp.lexsort(xp.stack([xp.arange(len(children)), rivals]))
    first = xp.ones(len(children), dtype=bool)
    first[1:] = rivals[order[1:]] != rivals[order[:-1]]
    return children[order[first]]

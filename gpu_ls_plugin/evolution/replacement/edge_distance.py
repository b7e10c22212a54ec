"""Replacement by distance in edges: the best tours that are far enough from each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.evolution.replacement.far_apart import far_apart
from gpu_ls_plugin.runs.domain import domain_of

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.tour_population import TourPopulation


@dataclass(frozen=True)
class EdgeDistance:
    """Keep the best tours of parents and children of which no two are closer than some edges.

    Tours are taken by growing cost; one that has fewer than `edges` edges of its own beside any
    that is taken already is passed over (clearing with niches of one tour). Where too few are
    left, the best of those passed over fill up. The best tour always survives.

    Parameters
    ----------
    edges : int
        Least distance of two survivors in edges, at least 0.

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
        """Return the next population; see `Replacement`."""
        both = population.joined(children)
        ranked = both.best(len(both))
        count = min(size, len(ranked))
        features = domain_of(problem).features(problem, both.xp, ranked.tours)
        chosen = far_apart(both.xp, features, count, self.edges)
        return ranked.take(chosen)

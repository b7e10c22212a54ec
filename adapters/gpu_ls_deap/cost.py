"""What tours cost, as DEAP evaluates individuals: for fitnesses with weights (-1.0,)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.evolution.bound.problem import TourCosts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class TourCost(TourCosts):
    """The exact cost of a tour: ``toolbox.register("evaluate", TourCost(problem))``.

    The fitness has weights (-1.0,), since DEAP maximises positive ones. Giant tours that
    break a constraint cost more than any that do not, unless the CVRP is `penalised`.

    Parameters
    ----------
    problem : object
        A TSP, a CVRP, whose individuals are giant tours then, or anything else that a plugin makes
        a problem of.

    Raises
    ------
    InvalidTypeError
        Nobody knows the type, or its rows are not tours.
    """

    def __call__(self, individual: ArrayLike) -> tuple[int | float]:
        """Return the cost of an individual as DEAP wants it: a tuple of one number."""
        return (self.costs(individual)[0].item(),)

    def feasible(self, individual: ArrayLike) -> bool:
        """Return whether an individual breaks no constraint, as `deap.tools.DeltaPenalty` asks."""
        return not self.violation(individual)

    def violation(self, individual: ArrayLike) -> float:
        """Return by how much an individual breaks constraints; 0 if it is feasible."""
        return float(self.violations(individual)[0])

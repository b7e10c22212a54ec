"""Evaluation of tours in DEAP, for a fitness with weights (-1.0,)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.evolution.tour_costs import TourCosts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class TourCost(TourCosts):
    """The exact cost of a tour: ``toolbox.register("evaluate", TourCost(problem))``.

    The fitness needs weights (-1.0,), since DEAP maximises fitness with positive weights. A giant
    tour that breaks a constraint costs more than any feasible one, unless the CVRP is `penalised`.

    Parameters
    ----------
    problem : object
        A TSP, a CVRP (individuals are giant tours), a sequence problem such as a `FlowShop`, or an
        object that a plugin converts.

    Raises
    ------
    InvalidTypeError
        No plugin knows the type, or rows of the problem are not tours.
    """

    def __call__(self, individual: ArrayLike) -> tuple[int | float]:
        """Return the cost of an individual as a tuple of one number."""
        return (self.costs(individual)[0].item(),)

    def feasible(self, individual: ArrayLike) -> bool:
        """Return whether an individual breaks no constraint, for `deap.tools.DeltaPenalty`."""
        return not self.violation(individual)

    def violation(self, individual: ArrayLike) -> float:
        """Return by how much an individual breaks constraints; 0 only if it is feasible."""
        return float(self.violations(individual)[0])

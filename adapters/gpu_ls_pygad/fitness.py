"""The fitness of tours, which PyGAD maximises: minus their cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.evolution.tour_costs import TourCosts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class TourFitness(TourCosts):
    """Minus the exact cost of tours, for ``fitness_func`` of `pygad.GA`.

    A giant tour that breaks a constraint has a lower fitness than any feasible one, unless the CVRP
    is `penalised`. `violations(solutions)` returns by how much each solution breaks constraints.

    If `pygad.GA` gets a ``fitness_batch_size``, each call evaluates a batch of solutions.

    Parameters
    ----------
    problem : object
        A TSP, a CVRP (solutions are giant tours), a sequence problem such as a `FlowShop`, PyGAD's
        benchmark TSP, or an object that a plugin converts.

    Raises
    ------
    InvalidTypeError
        No plugin knows the type, or rows of the problem are not tours.
    """

    def __call__(self, ga_instance: Any, solution: ArrayLike, solution_idx: Any) -> Any:
        """Return the fitness of a solution, or a list for a batch of solutions."""
        values = (-self.costs(solution)).tolist()
        return values if np.ndim(solution) == 2 else values[0]

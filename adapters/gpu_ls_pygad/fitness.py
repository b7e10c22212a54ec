"""The fitness of tours: PyGAD maximises it, so that it is their cost below zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.evolution.tour_costs import TourCosts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class TourFitness(TourCosts):
    """Minus the exact cost of tours, for ``fitness_func`` of `pygad.GA`.

    The fitness of giant tours that break a constraint is below that of any that do not, unless the
    CVRP is `penalised`. `violations(solutions)` says by how much each breaks constraints.

    One solution or a batch of them, as ``fitness_batch_size`` says: a batch of the size of the
    population takes a hundredth of the calls.

    Parameters
    ----------
    problem : object
        A TSP, a CVRP, whose solutions are giant tours then, PyGAD's benchmark of that name, or
        anything else that a plugin makes a problem of.

    Raises
    ------
    InvalidTypeError
        Nobody knows the type, or its rows are not tours.
    """

    def __call__(self, ga_instance: Any, solution: ArrayLike, solution_idx: Any) -> Any:
        """Return the fitness of a solution, or a list of those of several."""
        values = (-self.costs(solution)).tolist()
        return values if np.ndim(solution) == 2 else values[0]

"""Recombinations of gpu_ls_plugin as crossovers of EvoTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from evotorch.operators import CrossOver

from gpu_ls_evotorch.values import array_of, random_state, tensor_of
from gpu_ls_plugin.evolution.batches.crossing import Crossing, usual_part
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.evolution.tour_costs import problem_for_operators

if TYPE_CHECKING:
    from gpu_ls_evotorch.problem import DomainProblem
    from gpu_ls_plugin.core import problem as problems


class RecombinationCrossover(ShownParameters, CrossOver):
    """Cross pairs of rows with a recombination of gpu_ls_plugin, all pairs in one batch.

    Each pair has two children; for the second one, the parents exchange roles.

    Parameters
    ----------
    problem : DomainProblem
    part : Recombination or str, optional
        For example ``gls.EdgeAssembly()``, or the name of a registered recombination, as in
        `gpu_ls_deap.RecombinationCrossover`. None: "segment_recombination", or
        "order_recombination" for sequences.
    tournament_size : int
        Number of solutions that compete to become a parent.
    num_children, cross_over_rate : optional
        As in EvoTorch: the number of children, or their number relative to the population.
    backend : str
        "auto", "cpu" or "cuda".

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        `part` is not a recombination, the backend is unknown, or the problem has other rows.
    """

    def __init__(
        self,
        problem: DomainProblem,
        part: Any = None,
        *,
        tournament_size: int = 4,
        num_children: int | None = None,
        cross_over_rate: float | None = None,
        backend: str = "auto",
    ) -> None:
        found = problem_for_operators(problem)
        self.crossing = Crossing(usual_part(found) if part is None else part, backend)
        self.instance: problems.Problem = self.crossing.part.instance(found)
        super().__init__(
            problem,
            tournament_size=tournament_size,
            num_children=num_children,
            cross_over_rate=cross_over_rate,
        )

    def prepare(self, size: int = 1) -> None:
        """Compile for batches of `size` pairs ahead of a timed run."""
        self.crossing.prepare(self.instance, 2 * size)

    def _do_cross_over(self, parents1: Any, parents2: Any) -> Any:
        """Return a batch of the children of all pairs, the second children behind the first."""
        first = array_of(torch.cat([parents1, parents2]))
        second = array_of(torch.cat([parents2, parents1]))
        children = self.crossing(self.instance, first, second, random_state(self.problem))
        return self._make_children_batch(tensor_of(children).to(parents1.device, parents1.dtype))

"""Workspaces: the kernels and the memory of a recombination on one backend."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.tours.kernels.evaluation import tour_costs

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.problem.tsp import TSP


class Workspace(ABC):
    """The kernels and memory of a recombination for batches of pairs of one size.

    Row r of a batch uses the random numbers of row `first_row` + r under the seed. `first_row` and
    the seed are arguments of `Recombination.workspace`.
    """

    @abstractmethod
    def cross(
        self,
        first: Any,
        costs: Any,
        second: Any,
        partners: Any,
        *,
        generation: int = 0,
        seconds: float = math.inf,
    ) -> tuple[Any, Any]:
        """Return one child for each pair of tours, and its cost.

        Parameters
        ----------
        first : array of the backend, shape (P, n), int32
            First parents; not changed.
        costs : array of the backend, shape (P,), of `problem.cost_dtype`
            Costs of the first parents; not changed.
        second : array, shape (Q, n), int32
            Tours that contain the second parents; not changed. May be `first`.
        partners : array, shape (P,), int32
            For each row, the row of `second` that is its second parent.
        generation : int
            Number of the generation, which determines the random numbers.
        seconds : float
            Time limit: on a CPU, no pair is started after this time.

        Returns
        -------
        (children, costs)
            Shapes (P, n) and (P,), in memory that the next call overwrites. A pair that was not
            crossed yields the first parent and its cost.
        """

    def children(self, first: Any, costs: Callable[[], Any], second: Any, partners: Any) -> Any:
        """Return the children of generation 0, without costs.

        Workspaces whose children do not depend on costs override this method, so that no costs are
        computed.

        Parameters
        ----------
        costs : callable
            Computes the costs of the first parents.
        """
        return self.cross(first, costs(), second, partners)[0]


class CostlessWorkspace(Workspace):
    """A workspace whose kernel computes no costs; `cross` computes them afterwards."""

    backend: Backend
    problem: TSP

    @abstractmethod
    def made(self, first: Any, second: Any, partners: Any, generation: int, seconds: float) -> Any:
        """Return one child for each pair of tours."""

    def cross(
        self,
        first: Any,
        costs: Any,
        second: Any,
        partners: Any,
        *,
        generation: int = 0,
        seconds: float = math.inf,
    ) -> tuple[Any, Any]:
        children = self.made(first, second, partners, generation, seconds)
        return children, tour_costs(self.backend, self.problem, children)

    def children(self, first: Any, costs: Callable[[], Any], second: Any, partners: Any) -> Any:
        return self.made(first, second, partners, 0, math.inf)

"""What a recombination does on one backend: its kernels and their memory."""

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
    """A recombination's kernels and memory, for batches of pairs of one size.

    Row r of a batch has the random numbers of row `first_row` + r, which its maker has been given
    together with the seed.
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
        """Return one child for each pair of tours, and what it costs.

        Parameters
        ----------
        first : array of the backend, shape (P, n), int32
            First parents; not changed.
        costs : array, shape (P,)
            Those of the first parents; not changed.
        second : array, shape (P, n), int32
            Tours of which the second parents are some; not changed. May be `first`.
        partners : array, shape (P,), int32
            Row of `second` that is the second parent of each row.
        generation : int
            Each has random numbers of its own.
        seconds : float
            After which the CPU begins with no further pair.

        Returns
        -------
        (children, costs)
            Shapes (P, n) and (P,): memory of this workspace, overwritten by the next call. Where
            no child has been made, the first parent and its cost.
        """

    def children(self, first: Any, costs: Callable[[], Any], second: Any, partners: Any) -> Any:
        """Return one child for each pair of tours, of generation 0, as `cross` does.

        Overridden by what makes children without costs, so that nobody computes any.

        Parameters
        ----------
        costs : callable
            Computes those of the first parents.
        """
        return self.cross(first, costs(), second, partners)[0]


class CostlessWorkspace(Workspace):
    """A recombination that makes children without costs, which are computed behind it."""

    backend: Backend
    problem: TSP

    @abstractmethod
    def made(self, first: Any, second: Any, partners: Any, generation: int, seconds: float) -> Any:
        """Return what `cross` does, without costs."""

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
        """Return one child for each pair of tours, and what it costs."""
        children = self.made(first, second, partners, generation, seconds)
        return children, tour_costs(self.backend, self.problem, children)

    def children(self, first: Any, costs: Callable[[], Any], second: Any, partners: Any) -> Any:
        """Return one child for each pair of tours; no cost is computed."""
        return self.made(first, second, partners, 0, math.inf)

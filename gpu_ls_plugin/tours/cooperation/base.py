"""What every cooperation says of itself, and what chains offer it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import NO_LIMIT

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.engines.chains.chains import Chains
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.problem.tsp import TSP

MOST_KICKS_PER_CITY = 1e9


class Cooperation(ABC):
    """What chains do for each other, again and again.

    Chains of every kind offer the following; all arrays have a row for each chain and lie on the
    backend ``chains.start.backend``:

    - ``tours``, ``costs``: where the chains stand; ``best_tours``, ``best_costs``: the best that
      each has found. They are read only: tours are handed over by the two methods that follow.
    - ``take(rows, others)``: chains go on from the best tours of others.
    - ``adopt(tours, costs)``: chains go on from tours that are cheaper than their best ones.
    - ``kept(owner, make)``: what a cooperation keeps from one exchange to the next. It has no
      memory of its own, since many searches may use it, and is hashable.
    - ``start``: the problem, the seed and the number of the first row; ``parts``: neighbourhoods
      and candidate lists, None where the search has none.

    Attributes
    ----------
    name : str
        Name in the registry.
    by_row : bool
        Whether it measures tours by the row of the chain that they are for, where rows have lengths
        of their own.
    priced : bool
        Whether it sets the price of violations, so that tours that have any are no `results`.
    crosses : bool
        Whether it crosses tours, which others' tours then help once its own are alike.
    every : float
        Kicks per city between two exchanges; more than 0.
    """

    name: ClassVar[str]
    by_row: ClassVar[bool] = False
    priced: ClassVar[bool] = False
    crosses: ClassVar[bool] = False
    every: float

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "every", least=1e-9, most=MOST_KICKS_PER_CITY)

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError where chains of a problem cannot exchange anything."""

    def bytes_per_tour(self, n: int) -> int:
        """Return the device memory of one tour in bytes, beside that of its chain."""
        return 0

    def kicks(self, perturbation: Perturbation, *, fused: bool) -> Perturbation:
        """Return how chains kick that cooperate in this way, given how they do otherwise.

        Parameters
        ----------
        perturbation : Perturbation
        fused : bool
            Whether kicks may be in one kernel with the repair.
        """
        return perturbation

    def results(self, backend: Backend, problem: TSP, tours: Any, costs: Any) -> Any:
        """Return the costs (P,) of tours, as far as these are results.

        Where the price of violations changes, tours that have any are none, cheap as they look.
        """
        return costs

    def period(self, n: int) -> int:
        """Return the kicks between two exchanges in tours of n cities."""
        return max(1, round(self.every * n))

    @abstractmethod
    def exchange(
        self, chains: Chains, level: float, seconds: float = math.inf, kicks: int = NO_LIMIT
    ) -> int:
        """Let chains go on from what others have found.

        Parameters
        ----------
        chains : Chains
            Changed.
        level : float
            Of the acceptance rule, at present.
        seconds : float
            That may be spent, about.
        kicks : int
            That each chain may make.

        Returns
        -------
        int
            Kicks that each chain has made.
        """


def by_cost(chains: Chains) -> Any:
    """Return the rows by the cost of their best tours; ties go to the lower row.

    Under an objective of a third party, tours that may be results come first. The library's own
    objectives charge for violations, so that costs alone put such tours first.
    """
    xp, size = chains.start.backend.xp, len(chains.best_costs)
    keys = [xp.arange(size), chains.best_costs]
    problem = chains.start.problem
    if not problem.objective.proven:
        tours = chains.start.backend.to_numpy(chains.best_tours)
        keys.append(~xp.asarray(problem.objective.feasible(problem, tours)))
    return xp.lexsort(xp.stack(keys))

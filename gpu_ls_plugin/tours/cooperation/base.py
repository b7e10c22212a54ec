"""The base of all cooperations, and the methods of chains that they may use."""

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
    """An exchange of tours between chains, after regular numbers of kicks.

    All kinds of chains have the following attributes and methods. Arrays have a row for each chain
    and are on the backend ``chains.start.backend``:

    - ``tours``, ``costs``: the current tours; ``best_tours``, ``best_costs``: the best tour of each
      chain. They are read-only: hand over tours with the next two methods.
    - ``take(rows, others)``: the chains `rows` go on from the best tours of the chains `others`.
    - ``adopt(tours, costs)``: chains go on from tours that are cheaper than their best ones.
    - ``kept(owner, make)``: data that a cooperation keeps from one exchange to the next. A
      cooperation has no state of its own, because several searches may use it, and is hashable.
    - ``start``: the problem, the seed and the number of the first row; ``parts``: neighbourhoods
      and candidate lists, None if the search has none.

    Attributes
    ----------
    name : str
        Name in the registry.
    by_row : bool
        Whether it measures a tour with the lengths of the chain that receives it, if each row of a
        problem has its own lengths.
    priced : bool
        Whether it sets the price of violations; then only feasible tours are `results`.
    crosses : bool
        Whether it crosses tours. Such populations profit from the tours of others once their own
        are alike.
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
        """Raise UnsupportedProblemError if the cooperation does not support a problem."""

    def bytes_per_tour(self, n: int) -> int:
        """Return the device memory per tour in bytes, without that of the chain."""
        return 0

    def kicks(self, perturbation: Perturbation, *, fused: bool) -> Perturbation:
        """Return the kicks of chains with this cooperation.

        Parameters
        ----------
        perturbation : Perturbation
            The kicks of the search.
        fused : bool
            Whether kicks may be in one kernel with the repair.
        """
        return perturbation

    def results(self, backend: Backend, problem: TSP, tours: Any, costs: Any) -> Any:
        """Return the costs (P,) by which tours count as results.

        If the price of violations changes, an infeasible tour must not seem cheaper than a feasible
        one.
        """
        return costs

    def period(self, n: int) -> int:
        """Return the kicks between two exchanges, for tours of n cities."""
        return max(1, round(self.every * n))

    @abstractmethod
    def exchange(
        self, chains: Chains, level: float, seconds: float = math.inf, kicks: int = NO_LIMIT
    ) -> int:
        """Let chains go on from tours of other chains.

        Parameters
        ----------
        chains : Chains
            Changed in place.
        level : float
            Present level of the acceptance rule.
        seconds : float
            Approximate limit for the exchange.
        kicks : int
            Most kicks that each chain may make in the exchange.

        Returns
        -------
        int
            Kicks that each chain has made in the exchange.
        """


def by_cost(chains: Chains) -> Any:
    """Return the rows in the order of the costs of their best tours; ties go to the lower row.

    Under a third-party objective, feasible tours come first. The objectives of the library charge
    for violations, so that their costs alone put feasible tours first.
    """
    xp, size = chains.start.backend.xp, len(chains.best_costs)
    keys = [xp.arange(size), chains.best_costs]
    problem = chains.start.problem
    if not problem.objective.proven:
        tours = chains.start.backend.to_numpy(chains.best_tours)
        keys.append(~xp.asarray(problem.objective.feasible(problem, tours)))
    return xp.lexsort(xp.stack(keys))

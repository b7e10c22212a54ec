"""The base class of cooperations, and the attributes of chains that cooperations use."""

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

MOST_KICKS_PER_CITY = 1e9  # maximum of `every`


class Cooperation(ABC):
    """An exchange of tours between chains, at regular intervals of kicks.

    All kinds of chains have the following attributes and methods. Arrays have a row for each chain
    and are on the backend ``chains.start.backend``:

    - ``tours``, ``costs``: the current tour of each chain and its cost; ``best_tours``,
      ``best_costs``: the best tour of each chain and its cost. Do not change these arrays; call one
      of the next two methods to hand over tours.
    - ``take(rows, others)``: the chains `rows` continue from the best tours of the chains `others`.
    - ``adopt(tours, costs)``: chain i continues from ``tours[i]`` if that is cheaper than its best
      tour.
    - ``kept(owner, make)``: the result of ``make()`` in the first call; the same object in later
      calls with the same owner. A cooperation has no state, since several searches may use it. It
      keeps the data of a search here, with itself as `owner`, and so must be hashable.
    - ``start``: the problem, the seed and the number of the first row; ``parts``: the
      neighbourhoods and candidate lists, or None if the search does not use any.

    Attributes
    ----------
    name : str
        Name in the registry.
    by_row : bool
        Whether the cooperation supports problems whose rows have different lengths. It then
        measures each tour with the lengths of the chain that receives it.
    priced : bool
        Whether the cooperation sets the price of violations. If so, only feasible tours count in
        `results`.
    crosses : bool
        Whether the cooperation crosses tours. If so, a population profits from the tours of other
        populations once its own tours are alike.
    least_times : int
        Approximate minimum number of exchanges in a run with a time limit. If chains are slower
        than expected, there are fewer kicks between exchanges than `every` sets.
    every : float
        Kicks per city between two exchanges; more than 0.
    """

    name: ClassVar[str]
    by_row: ClassVar[bool] = False
    priced: ClassVar[bool] = False
    crosses: ClassVar[bool] = False
    least_times: ClassVar[int] = 0
    every: float

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "every", least=1e-9, most=MOST_KICKS_PER_CITY)

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError if the cooperation does not support a problem."""

    def bytes_per_tour(self, n: int) -> int:
        """Return how many bytes of device memory a tour needs in addition to its chain."""
        return 0

    def check_kicks(self, perturbation: Perturbation) -> None:
        """Raise InvalidParameterError if chains with these kicks cannot cooperate in this way."""

    def results(self, backend: Backend, problem: TSP, tours: Any, costs: Any) -> Any:
        """Return the costs (P,) by which resulting tours (P, n) are compared; by default, `costs`.

        A cooperation that changes the price of violations must not let an infeasible tour seem
        cheaper than a feasible one.
        """
        return costs

    def period(self, n: int) -> int:
        """Return the number of kicks between two exchanges, for tours of n cities."""
        return max(1, round(self.every * n))

    @abstractmethod
    def exchange(
        self, chains: Chains, level: float, seconds: float = math.inf, kicks: int = NO_LIMIT
    ) -> int:
        """Let chains continue from tours of other chains.

        Parameters
        ----------
        chains : Chains
            Changed in place.
        level : float
            Current level of the acceptance rule, such as a temperature.
        seconds : float
            Approximate time limit of the exchange.
        kicks : int
            Maximum number of kicks that each chain may make in the exchange.

        Returns
        -------
        int
            Number of kicks that each chain has made in the exchange.
        """


def by_cost(chains: Chains) -> Any:
    """Return the rows, sorted by the costs of their best tours; ties go to the lower row.

    Under a third-party objective, rows with feasible tours come first. The library's own objectives
    charge for violations, so costs alone suffice.
    """
    xp, size = chains.start.backend.xp, len(chains.best_costs)
    keys = [xp.arange(size), chains.best_costs]
    problem = chains.start.problem
    if not problem.objective.proven:
        tours = chains.start.backend.to_numpy(chains.best_tours)
        keys.append(~xp.asarray(problem.objective.feasible(problem, tours)))
    return xp.lexsort(xp.stack(keys))

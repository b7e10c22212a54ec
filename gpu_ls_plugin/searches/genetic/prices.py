"""What violations cost a population, so that a certain share of its children is feasible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.evaluation import lengths_of, tour_costs

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.cvrp import CVRP

FIRST, LEAST, MOST = 4.0, 1 / 64, 64.0  # the factor of both prices
RISE, FALL = 1.15, 0.87
DEAREST = 2.0**40  # that a unit of a violation may be
REPAIR = 10  # times as much, where a child is to be made feasible


class Prices:
    """A problem of routes whose loads and durations are soft, at prices that change.

    Both prices follow one factor: times the longest length by the largest demand it is what a unit
    of load too much costs, and by itself that of duration. Vehicles beyond a fleet cost what they
    do where constraints are hard.

    Parameters
    ----------
    backend : Backend
    asked : CVRP
        As it is to be solved.

    Attributes
    ----------
    soft, repairing : CVRP
        As children are searched, and as those are that are to become feasible.
    """

    def __init__(self, backend: Backend, asked: CVRP) -> None:
        self._backend, self._asked, self._factor = backend, asked, FIRST
        self._set()

    def follow(self, feasible: float, wanted: float) -> None:
        """Change prices by the share of children that were feasible."""
        factor = self._factor * (RISE if feasible < wanted else FALL)
        self._factor = min(max(factor, LEAST), MOST)
        self._set()

    def judge(self, tours: Any) -> tuple[Any, Any, Any]:
        """Return what tours (P, n) cost at these prices, their lengths, and which are feasible."""
        costs = tour_costs(self._backend, self.soft.tsp, tours)
        lengths = lengths_of(self._backend, self._asked.tsp, tours)
        return costs, lengths, costs == lengths

    def _set(self) -> None:
        self.soft, self.repairing = self._priced(1), self._priced(REPAIR)

    def _priced(self, times: int) -> CVRP:
        asked = self._asked
        of_load = asked.longest / max(1, int(asked.demands.max()))
        prices = {"load": times * self._factor * of_load}
        if asked.route_limit is not None:
            prices["duration"] = times * self._factor
        prices = {name: min(price, DEAREST) for name, price in prices.items()}
        if asked.integer:
            prices = {name: max(1, round(price)) for name, price in prices.items()}
        return asked.penalised(**prices)

"""What violations cost a population, so that a certain share of its children is feasible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.routes.problem.routing import MAX_PRICE, price_of_demand
from gpu_ls_plugin.tours.kernels.evaluation import (
    FROM_SCRATCH,
    lengths_of,
    nothing_paid,
    tour_costs,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.routes.problem.cvrp import CVRP

FIRST, LEAST, MOST = 1.0, 1 / 64, 64.0  # the factor of each price
RISE, FALL = 1.2, 0.85
NEAR = 0.05  # a share that differs by less is as wanted
REPAIR = 10  # times as much, where a child is to be made feasible


class Prices:
    """A problem of routes whose loads and durations are soft, at prices that change.

    Each has a factor, since one may be scarce and the other not: that of load times the longest
    length by the largest demand is what a unit of load too much costs, that of duration what one of
    time does. Vehicles beyond a fleet cost what they do where constraints are hard. Children are
    searched as `soft` says, and as `repairing` to become as feasible as those `asked` for.
    """

    def __init__(self, backend: Backend, asked: CVRP) -> None:
        self._backend, self._asked = backend, asked
        self._factors = {"load": FIRST}
        if asked.route_limit is not None:
            self._factors["duration"] = FIRST
        self._set()

    def follow(self, shares: Iterable[float], wanted: float) -> None:
        """Change prices by the shares of children that kept each constraint."""
        for name, share in zip(self._factors, shares, strict=True):
            if abs(share - wanted) > NEAR:
                factor = self._factors[name] * (RISE if share < wanted else FALL)
                self._factors[name] = min(max(factor, LEAST), MOST)
        self._set()

    def judge(self, tours: Any) -> tuple[Any, Any, Any]:
        """Return what tours (P, n) cost at these prices, their lengths, and which are feasible."""
        costs = tour_costs(self._backend, self.soft.tsp, tours)
        lengths = lengths_of(self._backend, self._asked.tsp, tours)
        return costs, lengths, nothing_paid(costs, lengths, FROM_SCRATCH)

    def shares(self, tours: Any, costs: Any, feasible: Any) -> Any:
        """Return the share of tours (P, n), which have been judged, that keep each constraint."""
        if self._by_load is None:
            return feasible.mean(keepdims=True)
        untimed = tour_costs(self._backend, self._by_load.tsp, tours)
        lengths = lengths_of(self._backend, self._asked.tsp, tours)
        pairs = ((untimed, lengths), (costs, untimed))
        both = (nothing_paid(*pair, FROM_SCRATCH) for pair in pairs)
        return self._backend.xp.stack([keeps.mean() for keeps in both])

    def _set(self) -> None:
        asked, prices = self._asked, self._prices(1)
        self.soft = asked.penalised(**prices)
        self.repairing = asked.penalised(**self._prices(REPAIR))
        # By which loads alone cost something, where durations do as well.
        timed = asked.route_limit is not None
        self._by_load = asked.untimed.penalised(load=prices["load"]) if timed else None

    def _prices(self, times: int) -> dict[str, float]:
        asked = self._asked
        units = {"load": price_of_demand(asked), "duration": 1.0}
        prices = {name: times * factor * units[name] for name, factor in self._factors.items()}
        if asked.integer:
            return {name: max(1, round(min(price, MAX_PRICE))) for name, price in prices.items()}
        return prices

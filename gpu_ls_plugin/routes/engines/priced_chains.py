"""Chains of giant tours; the price of violations may change."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from gpu_ls_plugin.routes.problem.routing import Routing
from gpu_ls_plugin.tours.engines.chains.chains import Chains
from gpu_ls_plugin.tours.kernels.evaluation import add_up, lengths_of, nothing_paid
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric


class PricedChains(Chains):
    """Chains of giant tours; violations cost `price` times what the problem says."""

    price = 1.0

    _arguments: dict[str, Any]
    _weight_places: Any = None

    @abstractmethod
    def set_weights(self, price: float) -> None:
        """Set the price of violations for the kernels of kicks."""

    def state(self) -> dict[str, Any]:
        """Return the state of the chains, with their price."""
        return {**super().state(), "price": self.price}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from the state of equally many chains, at their price."""
        super().restore(state)
        if state["price"] != self.price:
            self.reprice(state["price"])

    def reprice(self, price: float) -> None:
        """Let violations cost `price` times what the problem says, and update the tours' costs.

        If costs are integers, weights are rounded to integers of at least 1.
        """
        backend, problem = self.start.backend, self.start.problem
        objective, data = problem.objective, self._arguments["metric_data"]
        assert isinstance(objective, Routing)
        self.price = price
        if self._weight_places is None:
            self._weight_places = backend.xp.asarray(objective.weight_places(backend))
        data[self._weight_places] = backend.xp.asarray(objective.weights(price))
        self.set_weights(price)
        for tours, costs in ((self.tours, self.costs), (self.best_tours, self.best_costs)):
            add_up(backend, search_metric(problem), {"metric_data": data}, tours, costs)

    def feasible(self) -> Any:
        """Return which of the present tours pay for no violation."""
        lengths = lengths_of(self.start.backend, self.start.problem, self.tours)
        return nothing_paid(self.costs, lengths)

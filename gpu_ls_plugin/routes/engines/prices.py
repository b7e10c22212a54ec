"""Chains of giant tours whose prices of violations follow the shares of tours that keep limits."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import NO_LIMIT
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.routes.problem.routing import Routing
from gpu_ls_plugin.tours.cooperation.migration import Migration
from gpu_ls_plugin.tours.engines.chains.chains import Chains
from gpu_ls_plugin.tours.kernels.evaluation import (
    FROM_SCRATCH,
    add_up,
    kernel_costs,
    lengths_of,
    nothing_paid,
)
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.problem.tsp import TSP

LEAST_PRICE, MOST_PRICE = 1 / 64, 64  # limits, as multiples of the problem's penalties


class PricedChains(Chains):
    """Chains of giant tours in which violations cost `price` times the penalties of the problem.

    `price` has a number for each resource: load, duration if it is limited, and further ones.
    """

    price: Any = 1.0

    _arguments: dict[str, Any]

    @cached_property
    def _weight_places(self) -> Any:
        """Indices of the weights of resources in the data of the problem: array of the backend."""
        backend, objective = self.start.backend, self.start.problem.objective
        assert isinstance(objective, Routing)
        return backend.xp.asarray(objective.weight_places(backend))

    @abstractmethod
    def set_weights(self, price: Any) -> None:
        """Set the price of violations in kicks and repairs."""

    def state(self) -> dict[str, Any]:
        """Return the state of the chains, with their price."""
        return {**super().state(), "price": self.price}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state of the same number of chains, with the saved price."""
        super().restore(state)
        if np.any(state["price"] != self.price):
            self.reprice(state["price"])

    def reprice(self, price: Any) -> None:
        """Set the price of violations and update the costs of the tours.

        If costs are integers, penalties are rounded to integers of at least 1.
        """
        backend, problem = self.start.backend, self.start.problem
        objective, data = problem.objective, self._arguments["metric_data"]
        assert isinstance(objective, Routing)
        self.price = price = np.ones(len(objective.resources)) * price
        data[self._weight_places] = backend.xp.asarray(objective.weights(price))
        self.set_weights(price)
        for tours, costs in ((self.tours, self.costs), (self.best_tours, self.best_costs)):
            add_up(backend, search_metric(problem), {"metric_data": data}, tours, costs)

    def feasible(self) -> Any:
        """Return whether each current tour pays for no violation, bool (P,)."""
        lengths = lengths_of(self.start.backend, self.start.problem, self.tours)
        return nothing_paid(self.costs, lengths)


def keeping(backend: Backend, problem: TSP, tours: Any, feasible: Any) -> dict[str, Any]:
    """Return by resource which giant tours (P, n) keep its limit, bool (P,).

    `feasible`, bool (P,), says which tours keep all limits.
    """
    objective = problem.objective
    assert isinstance(objective, Routing)
    names = [part.name for part in objective.resources]
    if len(names) == 1:
        return {names[0]: feasible}
    lengths, places = lengths_of(backend, problem, tours), objective.weight_places(backend)
    kept = {}
    for number, name in enumerate(names):
        others = np.delete(places, number)
        costs = kernel_costs(backend, problem, tours, free=others)
        kept[name] = nothing_paid(costs, lengths, FROM_SCRATCH)
    return kept


def set_price(chains: PricedChains, feasible: float) -> None:
    """Change the price of violations so that the share of feasible tours approaches `feasible`.

    The price of each resource follows the share of tours that keep its limit: `feasible` if there
    is one, otherwise the root, as if limits were broken independently. If constraints are hard, the
    price is not used and stays as it is. Vidal (2022) adjusts the penalties of a population in this
    way.
    """
    backend, problem = chains.start.backend, chains.start.problem
    if routing_problem(problem).penalties is None:
        return
    kept = keeping(backend, problem, chains.tours, chains.feasible())
    shares = np.array([float(each.mean()) for each in kept.values()])
    wanted = feasible ** (1 / len(shares))
    chains.reprice(np.clip(chains.price * np.exp(wanted - shares), LEAST_PRICE, MOST_PRICE))


def of_feasible(backend: Backend, problem: TSP, tours: Any, costs: Any) -> Any:
    """Return the costs that are used to compare giant tours, shape (P,).

    Infeasible tours look cheap while the price of violations is low, so they get the cost of the
    most expensive feasible tour; if no tour is feasible, all costs are infinite. Under hard
    constraints, `costs` are returned unchanged.
    """
    if routing_problem(problem).penalties is None:
        return costs
    feasible = nothing_paid(costs, lengths_of(backend, problem, tours))
    if not backend.to_numpy(feasible).any():
        return backend.xp.full(len(costs), math.inf)
    return backend.xp.where(feasible, costs, costs[feasible].max())


@dataclass(frozen=True)
class PricedMigration(Migration):
    """Migration of giant tours that also adapts the price of violations to the chains' tours.

    Parameters
    ----------
    every, share : float
        As in `Migration`.
    feasible : float
        Share of the current tours that should be feasible under soft constraints, 0 to 1.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    feasible: float = 0.75

    name = "priced_migration"
    priced = True
    least_times = 10  # prices need some exchanges to settle

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.fields(self, checks.number, "feasible", least=0.0, most=1.0)

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError if the problem has no routes."""
        routing_problem(problem)

    def check_kicks(self, perturbation: Perturbation) -> None:
        """Raise InvalidParameterError if chains with these kicks have no price of violations."""
        if not perturbation.relinks:
            raise InvalidParameterError(
                "cooperation: PricedMigration() is for chains with StringRemoval(); use Migration()"
            )

    def results(self, backend: Backend, problem: TSP, tours: Any, costs: Any) -> Any:
        """Return the costs that are used to compare giant tours, shape (P,); see `of_feasible`."""
        return of_feasible(backend, problem, tours, costs)

    def exchange(
        self, chains: Chains, level: float, seconds: float = math.inf, kicks: int = NO_LIMIT
    ) -> int:
        """Adjust the price and replace the worst chains; see `Migration.exchange`."""
        set_price(chains, self.feasible)  # type: ignore[arg-type]  # chains of giant tours
        return super().exchange(chains, level, seconds, kicks)

"""The price of violations, which follows the share of feasible chains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import NO_LIMIT
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.tours.cooperation.migration import Migration
from gpu_ls_plugin.tours.kernels.evaluation import lengths_of, nothing_paid

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.routes.engines.priced_chains import PricedChains
    from gpu_ls_plugin.tours.engines.chains.chains import Chains
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.problem.tsp import TSP

LEAST_PRICE, MOST_PRICE = 1 / 64, 64  # times the problem's penalties


def set_price(chains: PricedChains, feasible: float) -> None:
    """Raise or lower the price of violations until this share of the present tours is feasible.

    Hard constraints have no price (Vidal 2022, for a population of single solutions).
    """
    if routing_problem(chains.start.problem).penalties is None:
        return
    price = chains.price * math.exp(feasible - float(chains.feasible().mean()))
    chains.reprice(min(max(price, LEAST_PRICE), MOST_PRICE))


def of_feasible(backend: Backend, problem: TSP, tours: Any, costs: Any) -> Any:
    """Return costs by which giant tours are compared, shape (P,).

    Infeasible tours look cheap while the price of violations is low, so they count as much as the
    most expensive feasible tour; if no tour is feasible, all cost infinity. Under hard constraints,
    `costs` are returned unchanged.
    """
    if routing_problem(problem).penalties is None:
        return costs
    feasible = nothing_paid(costs, lengths_of(backend, problem, tours))
    if not feasible.any():
        return backend.xp.full(len(costs), math.inf)
    return backend.xp.where(feasible, costs, costs[feasible].max())


@dataclass(frozen=True)
class PricedMigration(Migration):
    """Migration of giant tours that also adapts the price of violations to the chains' tours.

    Parameters
    ----------
    every, share : float
        As of `Migration`.
    feasible : float
        Share of the present tours that should be feasible under soft constraints, 0 to 1.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    feasible: float = 0.75

    name = "priced_migration"
    priced = True

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.fields(self, checks.number, "feasible", least=0.0, most=1.0)

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError if the problem has no routes."""
        routing_problem(problem)

    def kicks(self, perturbation: Perturbation, *, fused: bool) -> Perturbation:
        """Return `perturbation` itself.

        Raises
        ------
        InvalidParameterError
            Chains with such kicks have no price of violations.
        """
        if perturbation.relinks or (fused and perturbation.rebuilds):
            return perturbation
        raise InvalidParameterError(
            "cooperation: PricedMigration() is for chains with StringRemoval(), or with "
            "RuinRecreate() and First() on candidate lists; use Migration()"
        )

    def results(self, backend: Backend, problem: TSP, tours: Any, costs: Any) -> Any:
        """Return costs by which giant tours are compared, shape (P,); see `of_feasible`."""
        return of_feasible(backend, problem, tours, costs)

    def exchange(
        self, chains: Chains, level: float, seconds: float = math.inf, kicks: int = NO_LIMIT
    ) -> int:
        """Set the price, and replace the worst chains."""
        set_price(chains, self.feasible)  # type: ignore[arg-type]  # chains of giant tours
        return super().exchange(chains, level, seconds, kicks)

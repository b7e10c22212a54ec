"""Whether routes are searched under hard constraints or under soft ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.routes.plan.settings import on_linked_lists
from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.routes.problem.routing import price_of_demand

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem

# First price of the largest demand beyond the capacity, in longest lengths. Most tours become
# feasible; the chains then lower the price (`PricedMigration`).
LENGTHS_OF_A_DEMAND = 4
SECONDS = 0.005  # for each place of a giant tour: least time for which soft constraints pay


def softened(
    problem: Problem, search: Any, seconds: float, start: Callable[[], NDArray[Any]]
) -> Problem:
    """Return the problem to search: under soft constraints if vehicles are scarce.

    Vehicles are scarce if the start has more routes than the demands need. Moves that respect the
    capacity hardly ever save a route of such a tour. If there is room enough, or time for few kicks
    only, hard constraints are faster. Limits of durations stay hard.

    Parameters
    ----------
    problem : Problem
        Returned unchanged unless the capacity is its only constraint, and hard.
    search : callable
        Of `default_settings`. Only chains on linked lists of routes set the price of violations.
    seconds : float
        Time of the search.
    start : callable
        Returns the first tour of a construction.
    """
    if not isinstance(problem, CVRP) or problem.penalties is not None:
        return problem
    if problem.route_limit is not None or problem.resources:
        return problem
    if not on_linked_lists(search) or seconds < SECONDS * problem.n or not problem.demands.any():
        return problem
    if len(problem.routes(start())) <= problem.least_vehicles:
        return problem
    price = LENGTHS_OF_A_DEMAND * price_of_demand(problem)
    return problem.penalised(load=max(1, round(price)) if problem.integer else price)

"""Whether routes are searched under hard constraints or under soft ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.routes.plan.routes import on_linked_lists
from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.routes.problem.routing import price_of_demand

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem

# What a unit of demand beyond the capacity costs at first, by the longest length and the largest
# demand: so much that most tours become feasible. The chains lower it (`PricedMigration`).
LENGTHS_OF_A_DEMAND = 4
SECONDS = 0.005  # for each place of a giant tour, from which on soft constraints pay


def softened(
    problem: Problem, search: Any, seconds: float, start: Callable[[], NDArray[Any]]
) -> Problem:
    """Return what is searched: a problem under soft constraints where vehicles are scarce.

    That is where the start needs more routes than demands and capacity alone ask for. From such
    tours, moves that keep to the capacity hardly ever save a route. Where there is room enough, or
    time for few kicks, hard constraints are the faster ones. Limits of durations stay hard.

    Parameters
    ----------
    problem : Problem
        Returned as it is where its constraints are not hard ones of the capacity alone.
    search : callable
        Of `default_settings`. Only chains on linked lists of routes set the price of violations.
    seconds : float
        That the search has.
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

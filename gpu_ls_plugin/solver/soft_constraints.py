"""Whether routes are searched under hard constraints or under soft ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gpu_ls_plugin.perturbations import RuinRecreate
from gpu_ls_plugin.problems.cvrp import CVRP
from gpu_ls_plugin.recombination.route_exchange import RouteExchange
from gpu_ls_plugin.searches import IteratedLocalSearch

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray

    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.result import Result

# What a unit of demand beyond the capacity costs at first, by the longest length and the largest
# demand: so much that most tours become feasible. The chains lower it (`RouteExchange`).
LENGTHS_OF_A_DEMAND = 4
SECONDS = 0.02  # for each place of a giant tour, from which on soft constraints pay
SHORT_ROUTES, REMOVED_OF_SHORT = 10, 10  # customers on average, and how many of them a kick removes


def softened(
    problem: Problem, search: Any, seconds: float, start: Callable[[], NDArray[Any]]
) -> tuple[Problem, Any]:
    """Return what is searched, and how: under soft constraints where vehicles are scarce.

    That is where the start needs more routes than demands and capacity alone ask for. From such
    tours, moves that keep to the capacity hardly ever save a route. Where there is room enough, or
    time for few kicks, hard constraints are the faster ones. Limits of durations stay hard.

    Parameters
    ----------
    problem : Problem
        Returned as it is, with the search, where its constraints are not hard ones of the capacity
        alone.
    search : callable
        Of `default_settings`. Only chains that ruin and recreate can set the price of violations;
        where routes are short, they exchange some of them as well.
    seconds : float
        That the search has.
    start : callable
        Returns the first tour of a construction.
    """
    asked = problem, search
    if not isinstance(problem, CVRP) or problem.penalties is not None:
        return asked
    if problem.route_limit is not None or problem.resources or problem.hierarchy is not None:
        return asked
    ruins = isinstance(search, IteratedLocalSearch) and (search.rebuilds or search.relinks)
    demands = int(problem.demands.sum())
    if not ruins or demands == 0 or seconds < SECONDS * problem.n:
        return asked
    if len(problem.routes(start())) <= -(-demands // problem.capacity):
        return asked
    price = LENGTHS_OF_A_DEMAND * problem.longest / int(problem.demands.max())
    if search.relinks:
        kick, cooperation = search.perturbation, search.cooperation
    elif problem.customers * problem.capacity < SHORT_ROUTES * demands:
        kick, cooperation = RuinRecreate(REMOVED_OF_SHORT), RouteExchange()
    else:
        kick, cooperation = search.perturbation, RouteExchange(chance=0)
    soft = problem.penalised(load=max(1, round(price)) if problem.integer else price)
    return soft, replace(search, perturbation=kick, cooperation=cooperation)


def as_asked(found: Result, problem: Problem) -> Result:
    """Return what a search found on a softened problem as a result of the problem itself."""
    if found.problem is problem or not isinstance(problem, CVRP):
        return found
    return replace(found, costs=problem.tsp.cost(found.tours), problem=problem)

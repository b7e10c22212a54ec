"""Whether routes are searched under hard constraints or under soft ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.problems.cvrp import CVRP
from gpu_ls_plugin.recombination.route_exchange import RouteExchange

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.result import Result

# What a unit of demand beyond the capacity costs at first, by the longest length and the largest
# demand: so much that most tours become feasible. The chains lower it (`RouteExchange`).
LENGTHS_OF_A_DEMAND = 4


def searched_problem(problem: Problem, search: Any, start: NDArray[Any]) -> Problem:
    """Return the problem as chains search it: with soft constraints where vehicles are scarce.

    That is where the start needs more routes than demands and capacity alone ask for. From such
    tours, moves that keep to the capacity hardly ever save a route. Where there is room enough,
    hard constraints are the faster ones. Limits of durations stay hard.

    Parameters
    ----------
    problem : Problem
        Returned as it is where its constraints are not hard ones of the capacity alone, or the
        search does not set their price.
    search : callable
    start : array, shape (n,)
        The first tour of a construction.
    """
    sets_price = isinstance(getattr(search, "cooperation", None), RouteExchange)
    if not isinstance(problem, CVRP) or problem.penalties is not None or not sets_price:
        return problem
    if problem.route_limit is not None or problem.resources or problem.hierarchy is not None:
        return problem
    least = -(-int(problem.demands.sum()) // problem.capacity)
    if least == 0 or len(problem.routes(start)) <= least:
        return problem
    price = LENGTHS_OF_A_DEMAND * problem.longest / int(problem.demands.max())
    return problem.penalised(load=max(1, round(price)) if problem.integer else price)


def as_asked(found: Result, problem: Problem) -> Result:
    """Return what a search found on `searched_problem` as a result of the problem itself."""
    if found.problem is problem or not isinstance(problem, CVRP):
        return found
    return replace(found, costs=problem.tsp.cost(found.tours), problem=problem)

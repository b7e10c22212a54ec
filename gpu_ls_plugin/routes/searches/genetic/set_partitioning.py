"""Set partitioning: the cheapest plan among all that consist of given routes.

Subramanian, Uchoa and Ochi (2013) combine the routes of an iterated local search in this way.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.core.budget import compiling
from gpu_ls_plugin.routes.problem.giant_tours import most_routes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.cvrp import CVRP

MOST = 300  # maximum number of routes: HiGHS takes tenths of a second for them, seconds for 2,000
ROUNDING = 1e-9  # differences of costs up to this share of a cost count as rounding errors


def load() -> None:
    """Import SciPy's solvers, so that `cheapest_plan` need not; the clocks of searches stop."""
    with compiling():
        import scipy.optimize
        import scipy.sparse  # noqa: F401


def frequent_routes(problem: CVRP, rows: NDArray[np.int32]) -> list[tuple[float, list[int]]]:
    """Return the costs and customers of the routes that most of the feasible giant tours have.

    Of several orders of the same customers, the cheapest is returned.
    """
    counts: Counter[frozenset[int]] = Counter()
    cheapest: dict[frozenset[int], tuple[float, list[int]]] = {}
    if not len(rows):
        return []
    sums = problem.route_sums(rows)
    for row, costs, sizes in zip(rows, sums.costs, sums.customers, strict=True):
        for cost, route in zip(costs[sizes > 0].tolist(), problem.routes(row), strict=True):
            customers = frozenset(route)
            counts[customers] += 1
            cheapest[customers] = min(cheapest.get(customers, (cost, route)), (cost, route))
    return [cheapest[customers] for customers, _ in counts.most_common(MOST)]


def cheapest_plan(
    problem: CVRP, routes: Sequence[tuple[float, Sequence[int]]], below: float, seconds: float
) -> NDArray[np.int32] | None:
    """Return the cheapest giant tour that consists of given routes, None if there is none.

    Parameters
    ----------
    problem : CVRP
    routes : sequence of (cost, customers)
        Feasible routes.
    below : float
        The tour must be cheaper than this.
    seconds : float
        Time limit of the integer program, and of the linear program before it.
    """
    load()
    from scipy.optimize import Bounds, LinearConstraint, linprog, milp
    from scipy.sparse import csc_array, vstack

    limit, below = {"time_limit": seconds}, below * (1 - ROUNDING)
    costs = np.array([cost for cost, _ in routes], float)
    ends = np.cumsum([0, *(len(route) for _, route in routes)])
    customers = np.fromiter(chain.from_iterable(route for _, route in routes), int) - 1
    visits = csc_array((np.ones(ends[-1]), customers, ends), shape=(problem.customers, len(costs)))
    fleet = most_routes(problem)
    vehicles, once = csc_array(np.ones((1, len(costs)))), np.ones(problem.customers)
    relaxed = linprog(costs, vehicles, [fleet], visits, once, options=limit)
    if relaxed.status != 0 or relaxed.fun >= below:
        return None
    # A plan with a route whose reduced cost exceeds the gap costs at least `below`.
    prices = relaxed.eqlin.marginals @ visits + relaxed.ineqlin.marginals[0]
    (useful,) = np.nonzero(costs - prices < below - relaxed.fun)
    rows = vstack([visits, vehicles], format="csc")[:, useful]
    found = milp(
        costs[useful],
        integrality=np.ones(len(useful)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(rows, np.r_[once, 0], np.r_[once, fleet]),
        options=limit,
    )
    if found.x is None:
        return None
    chosen = useful[found.x > 0.5]
    if costs[chosen].sum() >= below:  # not `found.fun`: HiGHS' numbers are nearly whole
        return None
    return problem.tour([routes[route][1] for route in chosen])

"""Groups of routes as separate problems, and the search of such a problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpu_ls_plugin.core.budget import NO_LIMIT
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.routes.engines.prices import PricedChains
from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.tours.engines.chains.rounds import Rounds
from gpu_ls_plugin.tours.engines.chains.start import Start

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.runs.stretch import Stretch
    from gpu_ls_plugin.tours.engines.chains.chains import Chains
    from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch

    Routes = list[list[int]]


@dataclass(frozen=True)
class SubProblem:
    """The depot and the customers of some routes, under the constraints of the whole problem."""

    problem: CVRP  # the fleet is a share of the whole problem's copies of the depot
    nodes: NDArray[Any]  # (customers + 1,), numbers in the whole problem, the depot first
    tour: NDArray[np.int32]  # (n,), the routes as a giant tour

    @classmethod
    def of(cls, whole: CVRP, routes: Sequence[Sequence[int]], vehicles: int) -> Self:
        """Return the problem of some routes, with at most `vehicles` vehicles.

        `Resource.of_nodes` of all resources must return one.
        """
        nodes = np.r_[0, np.sort(np.concatenate([np.asarray(route) for route in routes]))]
        given: dict[str, Any] = {
            "service_times": whole.service_times[nodes],
            "route_limit": whole.route_limit,
            "vehicles": vehicles,
            "name": whole.name,
        }
        demands, its = whole.demands[nodes], whole.nodes
        if its.coordinates is None:
            lengths = its.values[np.ix_(nodes, nodes)]
            problem = CVRP.from_matrix(lengths, demands, whole.capacity, **given)
        else:
            points = its.coordinates[nodes]
            problem = CVRP(points, demands, whole.capacity, metric=its.metric, **given)
        if whole.resources:
            resources: Any = [part.of_nodes(nodes) for part in whole.resources]
            problem = problem.with_resources(*resources)
        if (due := whole.penalties) is not None:
            problem = problem.penalised(due.load, due.duration, due.vehicles, **due.resources)
        numbers = np.empty(whole.customers + 1, np.int64)
        numbers[nodes] = np.arange(len(nodes))
        tour = problem.tour([numbers[np.asarray(route)].tolist() for route in routes])
        return cls(problem, nodes, tour)

    def routes(self, tour: NDArray[Any]) -> Routes:
        """Return the routes of a tour of this problem, with the numbers of the whole problem."""
        return [self.nodes[route].tolist() for route in self.problem.routes(tour)]


@dataclass(frozen=True)
class Found:
    """The result of the chains on a sub-problem."""

    routes: Routes  # best routes, with the numbers of the whole problem
    statistics: Statistics
    price: Any  # final prices of violations
    moves: int  # largest number of moves that a chain has made


def search_part(
    sub: SubProblem,
    search: IteratedLocalSearch,
    backend: Backend,
    stretch: Stretch,
    *,
    chains: int,
    seed: int,
    first_row: int,
    max_moves: int = NO_LIMIT,
    price: Any = 1.0,
    launched: Callable[[int, float], bool] = lambda kicks, gain: False,
) -> Found:
    """Search a sub-problem with chains that begin with its routes, and return the best routes.

    At first, violations cost `price`, a number or one for each resource, times the penalties of the
    problem. A chain stops after `max_moves` moves. After each launch, `launched` receives the
    number of kicks of all chains and the gain of the best chain; the search stops if it returns
    True. No device array outlives the call.
    """
    statistics, xp, tsp = Statistics(), backend.xp, sub.problem.tsp
    tours = xp.tile(xp.asarray(sub.tour), (chains, 1))
    its = search.chains(Start(backend, tsp, tours, seed, first_row, max_moves))
    if sub.problem.penalties is not None and isinstance(its, PricedChains):
        its.reprice(price)
    rounds = Rounds(its, statistics, search.search, search.cooperation, stirs=False)
    begin = _best_cost(its)

    def enough() -> bool:
        return launched(rounds.done * chains, begin - _best_cost(its))

    if not enough() and drive(rounds, stretch, enough) == "interrupt":
        raise KeyboardInterrupt
    rounds.count()
    moves = int(its.moves.max())
    return Found(_best_routes(sub, its), statistics, getattr(its, "price", 1.0), moves)


def _best_cost(chains: Chains) -> float:
    return float(chains.best_costs.min())


def _best_routes(sub: SubProblem, chains: Chains) -> Routes:
    """Return the routes of the best tour if it is feasible and cheaper than `sub.tour`.

    Otherwise, return the routes of `sub.tour`.
    """
    row = int(chains.best_costs.argmin())
    tour: Any = chains.start.backend.to_numpy(chains.best_tours[row])
    problem = sub.problem
    better = problem.cost(tour)[0] < problem.cost(sub.tour)[0] and problem.feasible(tour)[0]
    return sub.routes(tour if better else sub.tour)

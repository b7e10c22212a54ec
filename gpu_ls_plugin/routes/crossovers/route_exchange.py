"""Exchange of routes between chains of giant tours, with an adaptive price of violations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin.backends.structs import constant, struct_of
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import NO_LIMIT
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.routes.construction.batch import RouteBatch, VehiclesType
from gpu_ls_plugin.routes.engines.prices import of_feasible, set_price
from gpu_ls_plugin.routes.kernels.rebuilt_routes import ROWS
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.routes.removals.ruin_recreate import RuinRecreate
from gpu_ls_plugin.tours.cooperation.base import Cooperation
from gpu_ls_plugin.tours.cooperation.migration import Migration
from gpu_ls_plugin.tours.kicks.base import Perturbation, Rebuilding

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.routes.engines.rebuilt_chains import RebuiltChains
    from gpu_ls_plugin.tours.engines.chains.chains import Chains
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP

HEADER = "routes/crossovers/route_exchange.cuh"
MATES = struct_of(HEADER, "RouteMates")
MOST_ROUTES = constant(HEADER, "kMostRoutes")
ROOM = 100  # at least this many customers of a tour may wait for a place


@dataclass(frozen=True)
class RouteExchange(Cooperation):
    """Let chains that ruin and recreate routes also adopt each other's routes.

    In some kicks, routes of another chain's best tour replace the routes with which they share the
    most customers; customers that lose their place are reinserted as in `RuinRecreate` (selective
    route exchange, Nagata and Bräysy 2010). In each exchange of the population, the worst half of
    the chains continue from the best tours of the better half. If constraints are soft, the price
    of violations rises while too few of the current tours are feasible, and falls while too many
    are (as in Vidal 2022, for a population of solutions).

    Parameters
    ----------
    every : float
        Number of kicks per customer and vehicle between two exchanges; more than 0.
    chance : float
        Share of the kicks that exchange routes, 0 to 1.
    routes : int
        Maximum number of routes that a kick exchanges, 1 to 8.
    feasible : float
        Share of the current tours that should be feasible under soft constraints, 0 to 1.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    every: float = 0.1
    chance: float = 0.02
    routes: int = 2
    feasible: float = 0.75

    name = "route_exchange"
    priced = True

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.fields(self, checks.number, "chance", "feasible", least=0.0, most=1.0)
        checks.fields(self, checks.integer, "routes", least=1, most=MOST_ROUTES)

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError if the problem has no routes."""
        routing_problem(problem)

    def bytes_per_tour(self, n: int) -> int:
        """Return the device memory of one tour in bytes: its mate, and two numbers per customer."""
        return 12 * n

    def kicks(self, perturbation: Perturbation, *, fused: bool) -> Perturbation:
        """Return kicks that sometimes exchange routes, and otherwise act like `perturbation`.

        Raises
        ------
        InvalidParameterError
            `perturbation` is not `RuinRecreate`, or kicks and repairs do not share a kernel.
        """
        if not (fused and isinstance(perturbation, RuinRecreate)):
            raise InvalidParameterError(
                "cooperation: RouteExchange() is for chains with RuinRecreate() and First() on "
                "candidate lists; use Migration()"
            )
        return _ExchangingKicks(perturbation.removed, perturbation.longest, self)

    def results(self, backend: Backend, problem: TSP, tours: Any, costs: Any) -> Any:
        """Return the costs that are used to compare giant tours, shape (P,); see `of_feasible`."""
        return of_feasible(backend, problem, tours, costs)

    def exchange(
        self, chains: Chains, level: float, seconds: float = math.inf, kicks: int = NO_LIMIT
    ) -> int:
        """Adjust the price of violations, replace the worst chains, and update the mates."""
        its: RebuiltChains = chains  # type: ignore[assignment]  # only these chains have such kicks
        set_price(its, self.feasible)
        Migration().exchange(its, level, seconds, kicks)
        mates = its.kick.arguments
        mates["mates"][...] = its.best_tours
        mates["rows"] = len(its.best_tours)
        return 0


@dataclass(frozen=True)
class _ExchangingKicks(RuinRecreate):
    """Kicks that usually ruin and recreate routes, and sometimes exchange them."""

    exchange: RouteExchange = RouteExchange()

    name: ClassVar[str] = "exchanging_kicks"

    def rebuilding(self, backend: Backend, problem: Problem, size: int) -> Rebuilding:
        """Return the kick in C++, with memory for `size` giant tours."""
        routes = RouteBatch(backend, routing_problem(problem), size)
        nodes = routes.problem.customers + 1
        arguments: dict[str, Any] = {
            **self.data(routes, ROOM),
            "most": self.exchange.routes,
            "chance": round(self.exchange.chance * 2**16),
            "mates": backend.xp.zeros((size, problem.n), "int32"),
            "mate_places": routes.numbers("int32", nodes),
            "shares": routes.numbers("int32", nodes),
            "rows": 0,  # no mates until the first exchange
        }
        return exchanging(routes.problem.nodes.metric, routes.type.time, arguments, routes)


def exchanging(
    metric: Metric, time: str, arguments: dict[str, Any], kept: object = None
) -> Rebuilding:
    """Compose the kick for kernels of chains.

    `arguments` are its data, by parameter name; `kept` owns the memory of the data.
    """
    functor = f"gls::RuinOrExchange<{{team}}, {VehiclesType(metric, time).functor}>"
    parts = (RuinRecreate.name, RouteExchange.name)
    return Rebuilding(functor, HEADER, (MATES, ROWS), arguments, kept, parts)

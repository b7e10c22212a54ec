"""Default settings for routes: chains on linked lists, with soft or hard constraints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.routes.engines.prices import PricedMigration
from gpu_ls_plugin.routes.kernels.linked_layouts import most_rows, rows_at_once
from gpu_ls_plugin.routes.kernels.linked_rows import check_total_demand
from gpu_ls_plugin.routes.moves.between_routes import RouteMoves
from gpu_ls_plugin.routes.problem.cvrp import CVRP, routing_problem
from gpu_ls_plugin.routes.problem.resources.load import Load
from gpu_ls_plugin.routes.removals.string_removal import StringRemoval
from gpu_ls_plugin.routes.searches.decomposition.decomposed import Decomposed, undivided
from gpu_ls_plugin.runs.acceptance import Annealing
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.plan.settings import few_chains
from gpu_ls_plugin.tours.problem.tsp import tour_problem
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.runs.settings import Request, Settings
    from gpu_ls_plugin.tours.problem.tsp import TSP

HEATS = (0.3, 0.01)  # first and last temperature of annealing
# With further resources, such as time windows: the temperatures, the share of chains that should be
# feasible, and how many times as long a kick takes.
HEATS_UNDER_MORE, FEASIBLE_UNDER_MORE, SLOWER = (0.5, 0.01), 0.4, 2
# Kicks per second: per chain on a GPU, per core on a CPU.
KICKS_OF_ROUTES = {"cuda": 4000, "cpu": 10000}
# A CPU runs as many chains as have time for 100 kicks per node each, up to 16 in all: fewer chains
# with more kicks end with worse routes, and chains with fewer kicks do not cool down.
KICKS_OF_A_CHAIN, MOST_CHAINS = 100, 16
# Number of migrations per run, and share of the chains that each migration replaces.
MIGRATIONS, SHARE_OF_MIGRANTS = 60, 0.2
LEAST_BETWEEN_MIGRATIONS = 0.02  # minimum interval between migrations, in kicks per node
LONG = 3600.0  # seconds; longer searches migrate at the intervals of a search of this length
START = "savings"
# Minimum number of customers for a search in parts. Above it, parts give better routes on CPUs at
# equal processor time; on GPUs, the lists of longer tours hardly fit into shared memory.
LEAST_CUSTOMERS = {"cuda": 2000, "cpu": 3000}
# With less time than SECONDS_A_CUSTOMER per customer, a GPU searches in parts from LEAST_HURRIED
# customers on, because its many chains make too few kicks on whole tours. With 670 and 1,000
# customers, searches in parts are 0.06 to 0.3 % better after 3 s.
LEAST_HURRIED, SECONDS_A_CUSTOMER = 600, 0.005
CUSTOMERS = {"cuda": 250, "cpu": Decomposed.customers}  # number of customers in each part
# With further resources, such as time windows, kicks take longer, and parts pay from
# LEAST_UNDER_MORE customers on, whatever the time. A part has room for ROUTES_UNDER_MORE full
# routes: of 1,000 customers, parts of 250 are better on routes of 11, of 500 on routes of 50.
LEAST_UNDER_MORE, CUSTOMERS_UNDER_MORE, ROUTES_UNDER_MORE = 600, 250, 12
SECONDS_OF_SOFT = 0.005  # minimum time, per place of a giant tour, for soft constraints to pay
REPAIR = LocalSearch([RouteMoves()], Nearest(20))  # precedes the chains
FIRST_TOURS = 16  # number of constructed tours; the best one is divided into parts


def settings_of_routes(problem: Problem, request: Request) -> Settings:
    """Return complete settings for routes.

    Chains start from savings; they remove strings of customers, reinsert them and improve routes.
    There are up to 16 chains on each multiprocessor of a GPU; each core of a CPU gets as many as
    have time for 100 kicks per node, at least one, up to 16 on all cores.
    """
    given, tours = request.given, tour_problem(problem)
    population = given.population or _size(tours, request)
    chosen = given.search or REPAIR
    if isinstance(chosen, LocalSearch):
        chosen = _iterated(chosen, tours, request)
    start = given.start or START
    return replace(given, population=population, start=start, search=chosen)


def check_demands(problem: CVRP, given: Settings) -> None:
    """Raise UnsupportedProblemError if the chains of `settings_of_routes` cannot hold the loads."""
    if given.search is None or isinstance(given.search, LocalSearch):
        check_total_demand(problem)


def on_linked_lists(search: Any) -> TypeGuard[IteratedLocalSearch]:
    """Return whether a search has chains on linked lists of routes."""
    return bool(getattr(getattr(search, "kick", None), "relinks", False))


def divided(problem: CVRP, given: Settings, chosen: Settings) -> Settings:
    """Return the chosen settings, changed to search in parts if there are many customers.

    `given` are the settings of the request, `chosen` complete ones. A search that the request sets
    is not replaced.
    """
    search = chosen.search
    if given.search is not None or not on_linked_lists(search):
        return chosen
    device, n = get_backend(chosen.backend).name, problem.customers
    least, size = LEAST_CUSTOMERS[device], CUSTOMERS[device]
    if problem.resources:
        routes = ROUTES_UNDER_MORE * n // problem.least_vehicles
        size = max(CUSTOMERS_UNDER_MORE, routes)
        least = max(LEAST_UNDER_MORE, 3 * size // 2)  # two parts at least
    elif device == "cuda" and chosen.seconds < SECONDS_A_CUSTOMER * n:
        least = LEAST_HURRIED
    if n < least or undivided(problem) is not None:
        return chosen
    chains = chosen.population or 1
    tours = chains if given.population else min(chains, FIRST_TOURS)
    if device == "cuda" and not given.population:  # parts need less memory than the whole
        room = get_backend(chosen.backend).shared_memory
        chains = chains // rows_at_once(problem, room) * most_rows(problem)
    parts = Decomposed(search, customers=size, chains=chains)
    return replace(chosen, population=tours, search=parts)


def left_alone(problem: CVRP, given: Settings, chosen: Settings) -> bool:
    """Return whether the plan may add stages before the chains.

    The plan may do so if the request sets no search, start or limit other than time, the search has
    chains on linked lists, and all constraints are hard and built in.
    """
    if not given.by_time_alone or problem.penalties is not None or problem.resources:
        return False
    return on_linked_lists(chosen.search)


def _size(problem: TSP, request: Request) -> int:
    """Return how many giant tours to search if the request does not set the number."""
    backend, search = request.backend, request.given.search
    if (own := getattr(search, "populations", None)) is not None:
        return int(own(backend))
    if backend.name != "cpu":
        rows = rows_at_once(routing_problem(problem), backend.shared_memory)
        return request.of_island(backend.processors * rows)
    of_a_core = _kicks_made(request, problem) / (KICKS_OF_A_CHAIN * problem.n)
    each = min(int(of_a_core), MOST_CHAINS // backend.processors)
    return max(few_chains(backend), each * backend.processors)


def _kicks_made(request: Request, problem: TSP) -> float:
    """Return about how many kicks a chain of a GPU, or a core of a CPU, makes in the time limit."""
    slower = SLOWER if routing_problem(problem).resources else 1
    return KICKS_OF_ROUTES[request.backend.name] * min(request.seconds, LONG) / slower


def _iterated(repair: LocalSearch, problem: TSP, request: Request) -> IteratedLocalSearch:
    """Return a search with string removals whose chains migrate `MIGRATIONS` times in a run.

    If a core runs several chains, each makes fewer kicks, so they migrate less often.
    """
    every = max(LEAST_BETWEEN_MIGRATIONS, _kicks_made(request, problem) / MIGRATIONS / problem.n)
    cooperation, heats = PricedMigration(every, SHARE_OF_MIGRANTS), HEATS
    if routing_problem(problem).resources:
        cooperation, heats = replace(cooperation, feasible=FEASIBLE_UNDER_MORE), HEATS_UNDER_MORE
    accept = Annealing(*heats)
    return IteratedLocalSearch(repair, StringRemoval(), accept=accept, cooperation=cooperation)


def softened(
    problem: Problem, search: Any, seconds: float, start: Callable[[], NDArray[Any]]
) -> Problem:
    """Return the problem to search, with soft constraints if they pay.

    They pay if there is time for many kicks and a further resource, such as time windows, has a
    price (`Resource.soft_price`), or if vehicles are scarce: the start has more routes than the
    demands need, and moves that respect the capacity hardly ever remove a route of such a tour.
    Limits on durations stay hard, and so do resources without a price.

    Parameters
    ----------
    problem : Problem
        Returned unchanged if constraints are soft or durations are limited.
    search : callable
        The chosen search. Only chains on linked lists of routes set the price of violations.
    seconds : float
        Time limit of the search.
    start : callable
        Function that returns a constructed tour, shape (n,).
    """
    if not isinstance(problem, CVRP) or problem.penalties is not None:
        return problem
    if problem.route_limit is not None:
        return problem
    enough_time = seconds >= SECONDS_OF_SOFT * problem.n
    if not on_linked_lists(search) or not enough_time:
        return problem
    first = {part.name: part.soft_price(problem) for part in problem.resources}
    prices = {name: price for name, price in first.items() if price is not None}
    loaded = bool(problem.demands.any())
    if not prices:
        scarce = loaded and len(problem.routes(start())) > problem.least_vehicles
        if not scarce:
            return problem
    if loaded:
        prices["load"] = Load().soft_price(problem)
    if problem.integer:
        prices = {name: max(1, round(price)) for name, price in prices.items()}
    return problem.penalised(**prices)


def why_routes(problem: CVRP, chosen: Settings) -> str:
    """Return the reason for the chosen search, as a clause."""
    if hasattr(chosen.search, "customers"):
        return f"{problem.customers:,} customers are searched in parts, side by side"
    if problem.penalties is not None:
        return "chains may break limits at a price that adapts, to need fewer vehicles"
    return "as many chains as a GPU runs, or as a CPU has time for at 100 kicks per node"

"""How routes are solved: by chains on linked lists of routes, which ruin and recreate them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

from gpu_ls_plugin.routes.engines.prices import PricedMigration
from gpu_ls_plugin.routes.kernels.linked_rows import most_rows, refusal
from gpu_ls_plugin.routes.moves.between_routes import TwoOptStar
from gpu_ls_plugin.routes.removals.ruin_recreate import RuinRecreate
from gpu_ls_plugin.routes.removals.string_removal import StringRemoval
from gpu_ls_plugin.runs.acceptance import Annealing
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.moves.reconnections import TwoOpt
from gpu_ls_plugin.tours.moves.segment_moves import Exchange, Relocate
from gpu_ls_plugin.tours.plan.settings import few_chains, migration
from gpu_ls_plugin.tours.problem.tsp import tour_problem
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.runs.request import Request
    from gpu_ls_plugin.runs.settings import Settings
    from gpu_ls_plugin.tours.problem.tsp import TSP

HEAT = 0.3  # of annealing
ROUTED_PER_PROCESSOR = 2  # chains that ruin and recreate routes, which are held by blocks
HEATS_OF_LINKED = (0.3, 0.01)  # of their annealing, at first and at last
KICKS_OF_ROUTES = {"cuda": 4000, "cpu": 10000}  # in a second, of such a chain and of a core, about
# Few cores have as many chains as make so many kicks a node each: fewer and longer ones end at
# worse routes, shorter ones do not cool.
KICKS_OF_A_CHAIN, MOST_CHAINS = 100, 16
MIGRATIONS, SHARE_OF_MIGRANTS = 60, 0.2  # in all, and of the chains
LEAST_BETWEEN_MIGRATIONS = 0.02  # kicks per customer
LONG = 3600.0  # seconds; a search without a limit migrates as one of an hour
START = "savings"


def settings_of_routes(problem: CVRP, request: Request) -> Settings:
    """Return settings that leave nothing open for routes.

    They start from savings, are ruined and recreated, and improved: on a GPU by 16 chains for a
    multiprocessor, on a CPU by as many for a core as have time for a hundred kicks for each node,
    at least one, 16 in all.
    """
    given, tours, linked = request.given, tour_problem(problem), not refusal(problem)
    population = given.population or _size(tours, request, linked=linked)
    chosen = given.search or _repair(tours)
    if isinstance(chosen, LocalSearch):
        kicked = _linked_search if linked else _rebuilt_search
        chosen = kicked(chosen, tours, request)
    start = given.start or START
    return replace(given, population=population, start=start, search=chosen)


def on_linked_lists(search: Any) -> TypeGuard[IteratedLocalSearch]:
    """Return whether a search is one of chains on linked lists of routes."""
    return bool(getattr(getattr(search, "kick", None), "relinks", False))


def left_alone(problem: CVRP, given: Settings, chosen: Settings) -> bool:
    """Return whether it is left to us how routes are searched, for as long as was asked for.

    By chains on linked lists, under hard limits of load and duration and no other constraints.
    """
    if not given.by_time_alone or problem.penalties is not None or problem.resources:
        return False
    return on_linked_lists(chosen.search)


def _size(problem: TSP, request: Request, *, linked: bool) -> int:
    """Return how many giant tours are searched."""
    backend, search = request.backend, request.given.search
    if (own := getattr(search, "populations", None)) is not None:
        return int(own(backend))
    if not linked:
        on_gpu = backend.processors * ROUTED_PER_PROCESSOR
        return few_chains(backend) if backend.name == "cpu" else on_gpu
    if backend.name != "cpu":
        return request.of_island(backend.processors * most_rows(problem))
    of_a_core = _kicks_made(request) / (KICKS_OF_A_CHAIN * problem.n)
    each = min(int(of_a_core), MOST_CHAINS // backend.processors)
    return max(few_chains(backend), each * backend.processors)


def _kicks_made(request: Request) -> float:
    """Return the kicks that a chain of a GPU makes in the time, or a core of a CPU."""
    return KICKS_OF_ROUTES[request.backend.name] * min(request.seconds, LONG)


def _linked_search(repair: LocalSearch, problem: TSP, request: Request) -> IteratedLocalSearch:
    """Return string removals whose chains migrate a certain number of times in all.

    Where a core has more than one, they do so in as many kicks, and less often.
    """
    every = max(LEAST_BETWEEN_MIGRATIONS, _kicks_made(request) / MIGRATIONS / problem.n)
    cooperation, accept = PricedMigration(every, SHARE_OF_MIGRANTS), Annealing(*HEATS_OF_LINKED)
    return IteratedLocalSearch(repair, StringRemoval(), accept=accept, cooperation=cooperation)


def _rebuilt_search(repair: LocalSearch, problem: TSP, request: Request) -> IteratedLocalSearch:
    """Return ruin and recreate of giant tours, for constraints that linked lists do not know."""
    population = request.given.population or _size(problem, request, linked=False)
    cooperation = migration(population)
    return IteratedLocalSearch(
        repair, RuinRecreate(), accept=Annealing(HEAT), cooperation=cooperation
    )


def _repair(problem: TSP) -> LocalSearch:
    """Return moves within and between routes; 2-opt reverses paths, which asks for symmetry."""
    within = [TwoOpt()] if problem.symmetric else []
    between = [Relocate(3), Exchange(2, 2), TwoOptStar()]
    return LocalSearch([*within, *between], candidates=Nearest(20))


def why_routes(problem: CVRP, chosen: Settings) -> str:
    """Return why routes are searched so, in a clause."""
    if hasattr(chosen.search, "customers"):
        return f"{problem.customers:,} customers are searched in parts, side by side"
    if problem.penalties is not None:
        return "vehicles are scarce: chains may overload them, at a price that follows"
    if on_linked_lists(chosen.search):
        return "as many chains as a device runs, or has time for a hundred kicks of each node"
    return "constraints of plugins are not known to chains on linked lists of routes"

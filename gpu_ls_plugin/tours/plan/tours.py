"""How tours are solved: crossed, or by a few chains; asymmetric ones as symmetric ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gpu_ls_plugin.runs.acceptance import Annealing
from gpu_ls_plugin.tours.candidates.alpha import Alpha
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.candidates.quadrant import Quadrant
from gpu_ls_plugin.tours.cooperation.migration import Migration
from gpu_ls_plugin.tours.crossovers.edge_assembly import EdgeAssembly
from gpu_ls_plugin.tours.engines.chains.chain_layouts import LONGEST_WHOLE
from gpu_ls_plugin.tours.engines.pivoting import First
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan, LinKernighanLead
from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt
from gpu_ls_plugin.tours.moves.segment_moves import OrOpt
from gpu_ls_plugin.tours.plan import crossed_tours, symmetrised
from gpu_ls_plugin.tours.problem.tsp import tour_problem
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.runs.request import Request
    from gpu_ls_plugin.runs.settings import Settings
    from gpu_ls_plugin.tours.candidates.base import Candidates
    from gpu_ls_plugin.tours.cooperation.base import Cooperation
    from gpu_ls_plugin.tours.problem.tsp import TSP

MOST_PER_PROCESSOR = 16  # chains of a multiprocessor, and of all CPU threads together
LEAST_COOPERATING = 4  # chains
MANY = 100  # chains, from which on they migrate often
HEAT, HEAT_OF_CROSSED = 0.8, 0.2  # of annealing
HEATS_OF_PARTS = (1.6, 0.8)  # where each round of parts cools by itself, at first and at last
# Of alpha-nearest lists on one slow core: for a city, and for an entry of a matrix.
SECONDS_OF_ALPHA, SECONDS_OF_ALPHA_ENTRY = 6e-5, 1.5e-7
KICK = 100  # cities of a double bridge's window
LARGE = 10_000  # cities from which greedy tours are made faster than nearest-neighbour tours


def settings_of_tours(problem: Problem, request: Request) -> Settings:
    """Return settings that leave nothing open for tours.

    Where tours can be crossed, they are: on a GPU 4 to 16 for a multiprocessor, on a CPU 16 to 512,
    as many as kicks and crossovers bring near the optimum in about half of the time. They start at
    random, since what their starts have in common hardly changes any more. Elsewhere there are as
    many chains as a GPU's multiprocessors hold at a time, up to 16 each, or one for each thread of
    a CPU, 2 to 16; four and more migrate. A tour of more than 12,000 cities is alone, searched in
    parts, unless there is time to cross such tours.
    """
    given, tours, backend = request.given, tour_problem(problem), request.backend
    if _symmetrised(tours, request):
        search, size = symmetrised.search_of(tours, backend, request.seconds)
        size = given.population or request.of_island(size)
        return replace(given, population=size, start="random_tours", search=search)
    pays = crossed_tours.pay(tours, backend, request.seconds, given.search)
    population = given.population or _size(tours, request, crossed=pays)
    crossed = pays and population >= crossed_tours.LEAST
    chosen = given.search or _repair(tours, request, crossed=pays)
    if isinstance(chosen, LocalSearch):
        chosen = _kicked(chosen, tours, request, population, crossed=crossed)
    start = given.start or _start(tours, crossed=crossed)
    return replace(given, population=population, start=start, search=chosen)


def _symmetrised(problem: TSP, request: Request) -> bool:
    """Return whether asymmetric tours are searched as symmetric ones.

    Few tours had better start with near cities, and generations need chains of their own.
    """
    given = request.given
    if given.search is not None or given.start or request.generations:
        return False
    many = given.population is None or given.population >= crossed_tours.LEAST
    return many and symmetrised.pays(problem, request.seconds)


def _size(problem: TSP, request: Request, *, crossed: bool) -> int:
    """Return how many tours are searched."""
    backend, search = request.backend, request.given.search
    if (own := getattr(search, "populations", None)) is not None:
        return int(own(backend))
    if crossed:
        return request.of_island(crossed_tours.population(problem, backend, request.seconds))
    if problem.n > LONGEST_WHOLE:
        return 1
    if backend.name == "cpu":
        return few_chains(backend)
    return crossed_tours.resident(problem, backend, MOST_PER_PROCESSOR)


def few_chains(backend: Backend) -> int:
    """Return how many chains a CPU has: one for each thread, 2 to 16."""
    return min(max(2, backend.processors), MOST_PER_PROCESSOR)


def _kicked(
    repair: LocalSearch, problem: TSP, request: Request, population: int, *, crossed: bool
) -> IteratedLocalSearch:
    """Return the search of kicked tours that are repaired so."""
    accept = Annealing(HEAT)
    cooperation: Cooperation | None = migration(population)
    if crossed:
        cooperation = crossed_tours.crossover(problem, request.backend, request.seconds)
        accept = Annealing(HEAT_OF_CROSSED)
    elif problem.n > LONGEST_WHOLE:
        accept = Annealing(*HEATS_OF_PARTS)
    kick = DoubleBridge(segment=KICK)
    return IteratedLocalSearch(repair, kick, accept=accept, cooperation=cooperation)


def migration(population: int) -> Migration | None:
    """Return how so many chains help each other that are not crossed."""
    if population >= LEAST_COOPERATING:
        return Migration(0.1 if population >= MANY else 0.5)
    return None


def _start(problem: TSP, *, crossed: bool) -> str:
    """Return the construction of the first tours."""
    if crossed and problem.n < LARGE:
        return "random_tours"
    if crossed and problem.coordinates is not None:
        return "space_filling_curve"
    return "nearest_neighbour" if problem.n < LARGE else "greedy"


def _repair(problem: TSP, request: Request, *, crossed: bool) -> LocalSearch:
    """Return Lin-Kernighan moves; if lengths are asymmetric, 3-opt and Or-opt.

    Neither 3-opt nor Or-opt reverses a path then. Lin-Kernighan moves have depth 3, of which the
    best of a city is taken, or are deeper ones that follow a lead, of which the first is taken: a
    core does better with these, unless all backends are to make the same moves. Alpha-nearest
    cities are the better candidates if making them takes less than an eighth of the time, or a
    quarter for a matrix.
    """
    if not problem.symmetric:
        return LocalSearch([ThreeOpt(), OrOpt(3)], candidates=Nearest(10))
    lists: Candidates = Nearest(8) if problem.coordinates is None else Quadrant(6 if crossed else 8)
    entries = 0 if problem.matrix is None else problem.n**2
    of_cities, of_entries = SECONDS_OF_ALPHA * problem.n, SECONDS_OF_ALPHA_ENTRY * entries
    if of_cities <= request.seconds / 8 and of_entries <= request.seconds / 4:
        lists = Alpha(5)
    given = request.given
    alike = request.alike or (given.kicks, given.moves) != (None, None)
    if request.backend.name == "cpu" and not alike:
        return LocalSearch([LinKernighanLead(6)], lists, First("step"))
    return LocalSearch([LinKernighan(3)], lists)


def why_tours(problem: Problem, chosen: Settings) -> str:
    """Return why tours are searched so, in a clause."""
    search, n = chosen.search, problem.n
    if hasattr(search, "search") and not hasattr(search, "kick"):
        return "lengths are asymmetric, and symmetric ones of twice the cities can be crossed"
    cooperation = getattr(search, "cooperation", None)
    if isinstance(cooperation, EdgeAssembly):
        return "as many tours as kicks and crossovers bring near the optimum in half of the time"
    if n > LONGEST_WHOLE:
        return f"there is no time to cross tours of {n:,} cities; one is searched in parts"
    return "these tours cannot be crossed: as many chains as the device runs at a time"

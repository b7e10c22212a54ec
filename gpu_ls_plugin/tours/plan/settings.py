"""Settings of a run for tours: a population with crossovers, or a few chains."""

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
from gpu_ls_plugin.tours.plan import crossed_tours
from gpu_ls_plugin.tours.problem.symmetric_twin import SymmetricTwin
from gpu_ls_plugin.tours.problem.tsp import TSP, tour_problem
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch
from gpu_ls_plugin.tours.searches.symmetrised import Symmetrised

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.runs.settings import Request, Settings
    from gpu_ls_plugin.tours.candidates.base import Candidates
    from gpu_ls_plugin.tours.cooperation.base import Cooperation

MOST_PER_PROCESSOR = 16  # maximum number of chains: per multiprocessor of a GPU, or on a CPU
LEAST_COOPERATING = 4  # minimum number of chains for migrations
MANY = 100  # populations of at least this many chains migrate more often
HEAT, HEAT_OF_CROSSED = 0.8, 0.2  # initial temperature of annealing, without and with crossovers
HEATS_OF_PARTS = (1.6, 0.8)  # heats of a round: docs/lab/results-tours.md, "Long tours"
# Seconds to make alpha-nearest lists on one slow core: per city, and per entry of a matrix.
SECONDS_OF_ALPHA, SECONDS_OF_ALPHA_ENTRY = 6e-5, 1.5e-7
KICK = 100  # cities in the window of a double bridge
# Minimum and maximum number of cities for a symmetric form, whose matrix takes up to 100 MB.
SMALLEST_TWIN, LARGEST_TWIN = 8, 2500
# Minimum time for a symmetric form (docs/lab/tours.md, "Asymmetric problems").
SECONDS_OF_TWIN, SECONDS_OF_ASSIGNMENT = 5e-4, 6e-7  # per city, and per entry of the matrix
# With at least this many cities, greedy tours are quicker than nearest-neighbour tours.
LARGE = 10_000


def settings_of_tours(problem: Problem, request: Request, *, twin: bool = True) -> Settings:
    """Return complete settings for tours; without `twin`, none with a symmetric form.

    If crossovers are possible, the population has 4 to 16 tours per multiprocessor on a GPU, or 16
    to 512 on a CPU: as many as kicks and crossovers bring near the optimum in about half of the
    time. It starts from random tours, because edges that all starts have in common hardly change
    later. Otherwise there are as many chains as a GPU's multiprocessors hold, up to 16 each, or one
    per thread of a CPU, 2 to 16; four or more chains migrate. If there is no time for crossovers of
    tours with more than 12,000 cities, a single tour is searched in parts.
    """
    given, tours, backend = request.given, tour_problem(problem), request.backend
    if twin and _symmetrised(tours, request):
        half = request.seconds / 2  # tours of the twin have twice the cities
        size = request.of_island(crossed_tours.population(tours, backend, half))
        size = given.population or size
        search = Symmetrised()
        crossover = crossed_tours.crossover(tours, backend, half)
        search = replace(search, search=replace(search.search, cooperation=crossover))
        return replace(given, population=size, start="random_tours", search=search)
    pays = crossed_tours.crossovers_pay(tours, backend, request.seconds, given.search)
    population = given.population or _population_size(tours, request, crossed=pays)
    crossed = pays and population >= crossed_tours.LEAST
    chosen = given.search or _local_search(tours, request, crossed=pays)
    if isinstance(chosen, LocalSearch):
        chosen = _iterated(chosen, tours, request, population, crossed=crossed)
    start = given.start or _construction(tours, crossed=crossed)
    return replace(given, population=population, start=start, search=chosen)


def may_assign(problem: TSP, request: Request) -> bool:
    """Return whether there is time for an assignment of successors, and asymmetric lengths alone.

    Frameworks that run generations need the chains of an iterated search instead.
    """
    given = request.given
    return (
        given.search is None
        and not given.start
        and not request.generations
        and type(problem) is TSP
        and not problem.symmetric
        and problem.objective.length_alone
        and problem.rows is None
        and SMALLEST_TWIN <= problem.n <= LARGEST_TWIN
        and request.seconds >= SECONDS_OF_ASSIGNMENT * problem.n**2
    )


def _symmetrised(problem: TSP, request: Request) -> bool:
    """Return whether an asymmetric problem is searched as a symmetric one.

    It is not if the user wants only a few tours, which do better from nearest-neighbour starts.
    """
    size, left = request.given.population, request.seconds - SECONDS_OF_TWIN * problem.n
    return (
        may_assign(problem, request)
        and (size is None or size >= crossed_tours.LEAST)
        and SymmetricTwin.serves(problem)
        and left >= SECONDS_OF_ASSIGNMENT * problem.n**2
        and SymmetricTwin.fits(problem)
    )


def _population_size(problem: TSP, request: Request, *, crossed: bool) -> int:
    backend, search = request.backend, request.given.search
    if (own := getattr(search, "populations", None)) is not None:
        return int(own(backend))
    if crossed:
        return request.of_island(crossed_tours.population(problem, backend, request.seconds))
    if problem.n > LONGEST_WHOLE:
        return 1
    if backend.name == "cpu":
        return few_chains(backend)
    return crossed_tours.chains_at_a_time(problem, backend, MOST_PER_PROCESSOR)


def few_chains(backend: Backend) -> int:
    """Return the number of chains on a CPU: one per thread, 2 to 16."""
    return min(max(2, backend.processors), MOST_PER_PROCESSOR)


def _iterated(
    repair: LocalSearch, problem: TSP, request: Request, population: int, *, crossed: bool
) -> IteratedLocalSearch:
    """Return an iterated search that repairs kicks with the given local search."""
    accept = Annealing(HEAT)
    cooperation: Cooperation | None = _migration(population)
    if crossed:
        cooperation = crossed_tours.crossover(problem, request.backend, request.seconds)
        accept = Annealing(HEAT_OF_CROSSED)
    elif problem.n > LONGEST_WHOLE:
        accept = Annealing(*HEATS_OF_PARTS)
    kick = DoubleBridge(segment=KICK)
    return IteratedLocalSearch(repair, kick, accept=accept, cooperation=cooperation)


def _migration(population: int) -> Migration | None:
    """Return the migration between chains without crossovers, or None if there are too few."""
    if population >= LEAST_COOPERATING:
        return Migration(0.1 if population >= MANY else 0.5)
    return None


def _construction(problem: TSP, *, crossed: bool) -> str:
    if crossed and problem.n < LARGE:
        return "random_tours"
    if crossed and problem.coordinates is not None:
        return "space_filling_curve"
    return "nearest_neighbour" if problem.n < LARGE else "greedy"


def _local_search(problem: TSP, request: Request, *, crossed: bool) -> LocalSearch:
    """Return the local search that repairs tours.

    For asymmetric lengths, it uses 3-opt and Or-opt, which then reverse no path. Otherwise, it uses
    the best Lin-Kernighan move of a city, with a depth of 3. A CPU does better with the first
    improving move of a deeper search that follows a lead; it uses this search unless all backends
    must give the same tours. Candidates are alpha-nearest if making the lists is estimated to take
    at most 1/8 of the time for the cities, and 1/4 for the entries of a matrix.
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
    """Return the reason for the settings, as a clause."""
    search, n = chosen.search, problem.n
    if hasattr(search, "search") and not hasattr(search, "kick"):
        return "lengths are asymmetric, but a symmetric form with twice the cities can be crossed"
    cooperation = getattr(search, "cooperation", None)
    if isinstance(cooperation, EdgeAssembly):
        return "as many tours as kicks and crossovers bring near the optimum in half of the time"
    if n > LONGEST_WHOLE:
        return f"there is no time to cross tours of {n:,} cities; one is searched in parts"
    return "these tours cannot be crossed: as many chains as the device runs at a time"

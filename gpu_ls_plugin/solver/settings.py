"""How to solve: what can be said, and what follows from the problem and the device."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeGuard

from gpu_ls_plugin import checks
from gpu_ls_plugin.acceptance import Annealing
from gpu_ls_plugin.backends import NAMES, get_backend
from gpu_ls_plugin.budget import Budget
from gpu_ls_plugin.candidates import Alpha, Nearest, Quadrant
from gpu_ls_plugin.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.neighbourhoods import (
    Exchange,
    LinKernighan,
    LinKernighanLead,
    OrOpt,
    Relocate,
    ThreeOpt,
    TwoOpt,
    TwoOptStar,
)
from gpu_ls_plugin.perturbations import DoubleBridge, RuinRecreate, StringRemoval
from gpu_ls_plugin.perturbations.linked_rows import most_rows, refusal
from gpu_ls_plugin.pivoting import First
from gpu_ls_plugin.problems.assignment import Assignment
from gpu_ls_plugin.problems.cvrp import CVRP
from gpu_ls_plugin.problems.tsp import tour_problem
from gpu_ls_plugin.search_text import FORM, parse_search, text_of
from gpu_ls_plugin.searches import (
    HybridGeneticSearch,
    IteratedLocalSearch,
    LocalSearch,
    Migration,
    PricedMigration,
    RandomRestarts,
)
from gpu_ls_plugin.searches.iterated import LONGEST_WHOLE
from gpu_ls_plugin.searches.successors import SuccessorSearch
from gpu_ls_plugin.solver import crossed_tours, symmetrised

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.candidates import Candidates
    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.problems.tsp import TSP

MOST_PER_PROCESSOR = 16  # chains of a multiprocessor, and of all CPU threads together
LEAST_COOPERATING = 4  # chains
MANY = 100  # chains, from which on they migrate often
HEAT, HEAT_OF_CROSSED, HEAT_OF_ROUTES = 0.8, 0.2, 0.3  # of annealing
HEATS_OF_PARTS = (1.6, 0.8)  # where each round of parts cools by itself, at first and at last
ROUTED_PER_PROCESSOR = 2  # chains that ruin and recreate routes, which are held by blocks
HEATS_OF_LINKED = (0.3, 0.01)  # of their annealing, at first and at last
KICKS_OF_ROUTES = {"cuda": 4000, "cpu": 10000}  # in a second, of such a chain and of a core, about
# Few cores have as many chains as make so many kicks a node each: fewer and longer ones end at
# worse routes, shorter ones do not cool.
KICKS_OF_A_CHAIN = 100
MIGRATIONS, SHARE_OF_MIGRANTS = 60, 0.2  # in all, and of the chains
LEAST_BETWEEN_MIGRATIONS = 0.02  # kicks per customer
LONG = 3600.0  # seconds; a search without a limit migrates as one of an hour
# Of alpha-nearest lists on one slow core: for a city, and for an entry of a matrix.
SECONDS_OF_ALPHA, SECONDS_OF_ALPHA_ENTRY = 6e-5, 1.5e-7
KICK = 100  # cities of a double bridge's window
START_OF_ROUTES = "savings"
LARGE = 10_000  # cities from which greedy tours are made faster than nearest-neighbour tours


@dataclass(frozen=True)
class Settings:
    """How to solve.

    Parameters
    ----------
    seconds : float
        Wall time for everything but compiling, which comes before it; infinite for no limit.
    population : int, optional
        Number of tours or states, up to 2**31 - 1; by default, as start and search, chosen by
        `default_settings`.
    seed : int or None
        Same seed, same random numbers; a limit in seconds may still end a run elsewhere. None
        draws one.
    start : str, optional
        Name of a registered construction, of tours; states of assignment problems begin empty.
    backend : {"auto", "cpu", "cuda"}
        Where to search.
    target : float, optional
        Cost at which the best tour is good enough.
    search : callable or str, optional
        Search that improves given tours, or a text that `parse_search` reads. A `LocalSearch` is
        what repairs the kicked tours of an `IteratedLocalSearch`; others are taken as they are.
        Assignment problems take a `SuccessorSearch`.
    kicks, moves : int, optional
        Further limits, per tour; rounds and steps, per state.
    rows : int32 array, shape (P, n), optional
        Checked rows that are the first of the population; `start` makes the others.

    Raises
    ------
    InvalidParameterError, InvalidTypeError, UnknownPartError
        A value is out of range, of the wrong type, or a text that cannot be read.
    """

    seconds: float = 10.0
    population: int | None = None
    seed: int | None = 1
    start: str | None = None
    backend: str = "auto"
    target: float | None = None
    search: Callable[..., Any] | str | None = None
    kicks: int | None = None
    moves: int | None = None
    rows: NDArray[np.int32] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "seconds", least=0.0)
        checks.given_fields(self, checks.integer, "population", least=1, most=checks.MOST_INT)
        checks.given_fields(self, checks.text, "start")
        checks.fields(self, checks.choice, "backend", known=("auto", *NAMES))
        limits = self.budget(self.seconds)
        checks.store(self, kicks=limits.kicks, moves=limits.moves, target=limits.target)
        checks.store(self, seed=checks.seed(self.seed))
        if isinstance(self.search, str):
            object.__setattr__(self, "search", parse_search(self.search))
        if isinstance(self.search, type) or not (self.search is None or callable(self.search)):
            raise InvalidTypeError(f"search: {self.search!r} is not a search; write {FORM}")

    @property
    def by_time_alone(self) -> bool:
        """Whether no search, no starts and no limits beside time and target were asked for."""
        asked = (self.search, self.start, self.kicks, self.moves, self.rows)
        return all(given is None for given in asked)

    def budget(self, seconds: float) -> Budget:
        """Return the limits, with so many seconds."""
        return Budget(seconds=seconds, kicks=self.kicks, moves=self.moves, target=self.target)


def on_linked_lists(search: object) -> TypeGuard[IteratedLocalSearch]:
    """Return whether a search is one of chains on linked lists of routes."""
    return isinstance(search, IteratedLocalSearch) and search.kick.relinks


def left_alone(problem: Problem, given: Settings, chosen: Settings) -> TypeGuard[CVRP]:
    """Return whether it is left to us how routes are searched, for as long as was asked for.

    By chains on linked lists, under hard limits of load and duration and no other constraints.
    """
    if not given.by_time_alone or not isinstance(problem, CVRP):
        return False
    if problem.penalties is not None or problem.resources or problem.hierarchy is not None:
        return False
    return on_linked_lists(chosen.search)


def default_settings(
    problem: Problem,
    given: Settings,
    *,
    alike: bool = False,
    islands: int = 1,
    chains: bool = False,
) -> Settings:
    """Return settings that leave nothing open: what is not given follows from n and the device.

    Assignment problems are searched by a `SuccessorSearch`, in a few states for each processor.

    Vehicle routing starts from savings, ruins and recreates routes and improves them, on a GPU in
    16 chains for a multiprocessor, on a CPU in as many for a core as have time for a hundred kicks
    for each node, at least one, 16 in all.

    Where tours can be crossed, they are: on a GPU 4 to 16 for a multiprocessor, on a CPU 16 to 512,
    as many as kicks and crossovers bring near the optimum in about half of the time. They start at
    random, since what their starts have in common hardly changes any more. Elsewhere there are as
    many chains as a GPU's multiprocessors hold at a time, up to 16 each, or one for each thread of
    a CPU, 2 to 16; four and more migrate. A tour of more than 12,000 cities is alone, searched in
    parts, unless there is time to cross such tours: half a second for 18,500 cities on a GPU, 24
    on a core.

    Integer matrices that are not symmetric are searched as symmetric ones (`Symmetrised`), unless
    the caller needs the `chains` of an `IteratedLocalSearch`.

    The search of a tour is the same on all backends where kicks or moves are limited, or where it
    is to be `alike`; else each has the moves that suit it. Where several `islands` search at the
    same time, a GPU has half as many chains of routes, and of tours that are crossed.

    Raises
    ------
    BackendUnavailableError
        As `get_backend` does.
    InvalidParameterError
        A search or a start is not for such a problem.
    InvalidTypeError
        `problem` is not a problem, or `given` is not a `Settings`.
    """
    if isinstance(problem, Assignment):
        return _settings_of_states(problem, given)
    linked = isinstance(problem, CVRP) and not refusal(problem)
    routed, problem = isinstance(problem, CVRP), tour_problem(problem)
    checks.instance("settings", given, kind=Settings, wanted="Settings")
    backend, population, search = get_backend(given.backend), given.population, given.search
    # Few tours had better start with near cities.
    many = population is None or population >= crossed_tours.LEAST
    usual = not given.start and many and not chains
    if search is None and usual and symmetrised.pays(problem, given.seconds):
        search, size = symmetrised.search_of(problem, backend, given.seconds)
        population = population or _of_island(size, backend, islands)
        return replace(given, population=population, start="random_tours", search=search)
    crossed = not routed and crossed_tours.pay(problem, backend, given.seconds, search)
    if search is None:
        repair = _route_repair(problem) if routed else None
        alike = alike or (given.kicks, given.moves) != (None, None)
        own = backend.name == "cpu" and not alike
        search = repair or _default_repair(problem, given.seconds, crossed, by_leads=own)
    if population is None and isinstance(search, HybridGeneticSearch):
        population = search.populations(backend)
    elif population is None and linked:
        size = _linked_population(problem, backend, given.seconds)
        population = _of_island(size, backend, islands)
    elif population is None and routed:
        population = _routed_population(backend, ROUTED_PER_PROCESSOR)
    elif population is None and crossed:
        size = crossed_tours.population(problem, backend, given.seconds)
        population = _of_island(size, backend, islands)
    elif population is None:
        population = _population(problem, backend)
    crossed = crossed and population >= crossed_tours.LEAST
    if isinstance(search, LocalSearch) and linked:
        search = _linked_search(search, problem.n, backend, given.seconds)
    elif isinstance(search, LocalSearch):
        search = IteratedLocalSearch(
            search,
            RuinRecreate() if routed else DoubleBridge(segment=KICK),
            accept=_acceptance(problem, routed=routed, crossed=crossed),
            cooperation=crossed_tours.crossover(problem, backend, given.seconds)
            if crossed
            else _migration(population),
        )
    start = given.start or (START_OF_ROUTES if routed else _start(problem, crossed))
    return replace(given, population=population, start=start, search=search)


def _settings_of_states(problem: Assignment, given: Settings) -> Settings:
    """Return settings that leave nothing open for an assignment problem, but its start."""
    checks.instance("settings", given, kind=Settings, wanted="Settings")
    backend, search = get_backend(given.backend), given.search
    if isinstance(search, LocalSearch | IteratedLocalSearch | RandomRestarts):
        raise InvalidParameterError(
            f"search: {text_of(search)} searches tours; states of assignment problems are searched "
            "by SuccessorSearch(...), leave it out for the default"
        )
    if given.start is not None:
        raise InvalidParameterError(
            f"start: {given.start!r} makes tours; states of assignment problems begin empty, leave "
            "it out"
        )
    chosen = SuccessorSearch() if search is None else search
    usual = chosen if isinstance(chosen, SuccessorSearch) else SuccessorSearch()
    population = given.population or usual.states(problem, backend)
    return replace(given, search=chosen, population=population)


def _population(problem: TSP, backend: Backend) -> int:
    """Return how many tours are searched that are not crossed."""
    if problem.n > LONGEST_WHOLE:
        return 1
    if backend.name == "cpu":
        return min(max(2, backend.processors), MOST_PER_PROCESSOR)
    return crossed_tours.resident(problem, backend, MOST_PER_PROCESSOR)


def _of_island(population: int, backend: Backend, islands: int) -> int:
    """Return the part of a population that each of several islands has on a GPU.

    Half as many chains of routes make each 1.4 times as many kicks on an H200, and half as many
    tours that are crossed converge sooner; what they lack, other islands have. Whole populations on
    two GPUs come to a gap no sooner than one.
    """
    return population if islands == 1 or backend.name == "cpu" else -(-population // 2)


def _routed_population(backend: Backend, each: int) -> int:
    """Return how many giant tours are searched, `each` for a multiprocessor."""
    if backend.name == "cpu":
        return min(max(2, backend.processors), MOST_PER_PROCESSOR)
    return backend.processors * each


def _linked_population(problem: TSP, backend: Backend, seconds: float) -> int:
    """Return how many giant tours are searched on linked lists of routes."""
    if backend.name != "cpu":
        return _routed_population(backend, most_rows(problem))
    of_a_core = KICKS_OF_ROUTES["cpu"] * min(seconds, LONG) / (KICKS_OF_A_CHAIN * problem.n)
    each = min(int(of_a_core), MOST_PER_PROCESSOR // backend.processors)
    return max(_routed_population(backend, 1), each * backend.processors)


def _linked_search(
    repair: LocalSearch, n: int, backend: Backend, seconds: float
) -> IteratedLocalSearch:
    """Return string removals whose chains migrate a certain number of times in all.

    Where a core has more than one, they do so in as many kicks, and less often.
    """
    made = KICKS_OF_ROUTES[backend.name] * min(seconds, LONG)
    every = max(LEAST_BETWEEN_MIGRATIONS, made / MIGRATIONS / n)
    return IteratedLocalSearch(
        repair,
        StringRemoval(),
        accept=Annealing(*HEATS_OF_LINKED),
        cooperation=PricedMigration(every, SHARE_OF_MIGRANTS),
    )


def _acceptance(problem: TSP, *, routed: bool, crossed: bool) -> Annealing:
    """Return how chains accept what a kick leads to."""
    if not (routed or crossed) and problem.n > LONGEST_WHOLE:
        return Annealing(*HEATS_OF_PARTS)
    return Annealing(HEAT_OF_ROUTES if routed else HEAT_OF_CROSSED if crossed else HEAT)


def _migration(population: int) -> Migration | None:
    """Return how so many chains help each other that are not crossed."""
    if population >= LEAST_COOPERATING:
        return Migration(0.1 if population >= MANY else 0.5)
    return None


def _start(problem: TSP, crossed: bool) -> str:
    """Return the construction of the first tours."""
    if crossed and problem.n < LARGE:
        return "random_tours"
    if crossed and problem.coordinates is not None:
        return "space_filling_curve"
    return "nearest_neighbour" if problem.n < LARGE else "greedy"


def _route_repair(problem: TSP) -> LocalSearch:
    """Return moves within and between routes; 2-opt reverses paths, which asks for symmetry."""
    within = [TwoOpt()] if problem.symmetric else []
    between = [Relocate(3), Exchange(2, 2), TwoOptStar()]
    return LocalSearch([*within, *between], candidates=Nearest(20))


def _default_repair(problem: TSP, seconds: float, crossed: bool, *, by_leads: bool) -> LocalSearch:
    """Return Lin-Kernighan moves; where lengths are asymmetric, 3-opt and Or-opt.

    Neither 3-opt nor Or-opt reverses a path then. Lin-Kernighan moves have depth 3, of which the
    best of a city is taken, or are deeper ones that follow a lead, of which the first is taken: a
    core does better with these. Alpha-nearest cities are the better candidates if making them takes
    less than an eighth of the time, or a quarter for a matrix.
    """
    if not problem.symmetric:
        return LocalSearch([ThreeOpt(), OrOpt(3)], candidates=Nearest(10))
    lists: Candidates = Nearest(8) if problem.coordinates is None else Quadrant(6 if crossed else 8)
    entries = 0 if problem.matrix is None else problem.n**2
    of_cities, of_entries = SECONDS_OF_ALPHA * problem.n, SECONDS_OF_ALPHA_ENTRY * entries
    if of_cities <= seconds / 8 and of_entries <= seconds / 4:
        lists = Alpha(5)
    if by_leads:
        return LocalSearch([LinKernighanLead(6)], lists, First("step"))
    return LocalSearch([LinKernighan(3)], lists)

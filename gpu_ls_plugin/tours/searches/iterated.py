"""Iterated local search: kick, repair, accept or undo (Lourenço, Martin and Stützle 2003)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.feasibility import warns_if_infeasible
from gpu_ls_plugin.core.giving_way import giving_way
from gpu_ls_plugin.runs.acceptance import Acceptance, Annealing
from gpu_ls_plugin.runs.compiling import at_once, compile_batch
from gpu_ls_plugin.tours.candidates.alpha import Alpha
from gpu_ls_plugin.tours.candidates.nearest import All
from gpu_ls_plugin.tours.cooperation.base import MOST_KICKS_PER_CITY, Cooperation
from gpu_ls_plugin.tours.engines import compiling_ahead, engines
from gpu_ls_plugin.tours.engines.chains.chain_layouts import LONGEST_WHOLE
from gpu_ls_plugin.tours.engines.chains.chains import Chains, FusedChains, SteppedChains
from gpu_ls_plugin.tours.engines.chains.parted import PartedTours
from gpu_ls_plugin.tours.engines.chains.random_k_chains import CUTS, RandomKChains
from gpu_ls_plugin.tours.engines.chains.start import chains_of_other_domains, kicks_of_other_domains
from gpu_ls_plugin.tours.engines.compiling_ahead import SMALLEST_KICKED, compile_chains
from gpu_ls_plugin.tours.engines.pivoting import First, RandomK
from gpu_ls_plugin.tours.kicks.base import Perturbation, as_perturbation
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan
from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt
from gpu_ls_plugin.tours.problem.objective import require_by_edges, require_undirected
from gpu_ls_plugin.tours.problem.tsp import tour_problem
from gpu_ls_plugin.tours.problem.weighted import require_shared_lengths
from gpu_ls_plugin.tours.searches.chain_population import ChainPopulation, descended
from gpu_ls_plugin.tours.searches.good_tour import add_good_tour
from gpu_ls_plugin.tours.searches.iterated_run import improve, last_point
from gpu_ls_plugin.tours.searches.local_search import LocalSearch
from gpu_ls_plugin.tours.searches.search_call import Call

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback, Result, Statistics
    from gpu_ls_plugin.tours.engines.chains.start import Start
    from gpu_ls_plugin.tours.problem.tsp import TSP

PART, SMALLEST_PART = 800, 32  # usual and minimum number of cities per part
KICK = DoubleBridge(segment=100)  # of tours without routes, if the user gives none


def _default_search() -> LocalSearch:
    return LocalSearch([LinKernighan(3)], candidates=Alpha(5))


def _of_another_domain(search: Any = None, *given: Any, **options: Any) -> Any:
    """Return the iterated search that a search of another domain makes; otherwise None."""
    iterated = getattr(search, "iterated", None)
    return None if iterated is None else iterated(*given, **options)


@giving_way(_of_another_domain)
@dataclass(frozen=True)
class IteratedLocalSearch(compiling_ahead.CompilesAhead):
    """Improve tours by kicks: repair each kick locally, then accept or undo it.

    This is iterated local search (Lourenço, Martin and Stützle 2003). Each tour of a batch has a
    chain, and all chains run at the same time. A chain begins with a full local search; a repair
    considers only the cities whose edges changed. With `First()` pivoting on candidate lists and a
    `DoubleBridge`, a single kernel runs the chains (it undoes kicks with a journal of reversals,
    without copies of tours). Another kernel does so with `RandomK()` and a `DoubleBridge`. With
    other searches and perturbations, the host drives each kick.

    Parameters
    ----------
    search : LocalSearch
        Repairs tours.
    perturbation : Perturbation, optional
        Kicks tours: DoubleBridge, Restart, or any object with the same method `perturb`. By
        default, ``DoubleBridge(segment=100)``. For routes, only `StringRemoval` is supported; it is
        the default.
    accept : Acceptance
        Decides whether a chain continues from the repaired tour.
    kicks_per_city : float
        Number of kicks per chain and city if the budget sets no limit on kicks, moves or seconds
        (Fosin et al. 2013: 0.1, 1 and 10).
    restart_after : int, optional
        After this many kicks without a new best tour, a chain continues from a random local
        optimum.
    cooperation : Cooperation, optional
        How chains help each other; by default they are independent.
    part : "auto", int or None
        Number of cities per part if tours are searched in parts, all at the same time. None: one
        chain searches the whole tour. "auto": parts if a tour is too long for one chain. Parts
        need `First()` on candidate lists and a `DoubleBridge`, and cannot be combined with
        `restart_after`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or of the wrong kind.
    """

    search: LocalSearch = field(default_factory=_default_search)
    perturbation: Any = None
    accept: Acceptance = field(default_factory=Annealing)
    kicks_per_city: float = 10.0
    restart_after: int | None = None
    cooperation: Cooperation | None = None
    part: int | str | None = "auto"

    name = "iterated_local_search"
    adopts: ClassVar[bool] = True  # its populations accept rows from elsewhere
    of_tours: ClassVar[bool] = True  # rows are tours, not states
    seeks_good_tour: ClassVar[bool] = True  # if it has no time for descents from all tours

    def __post_init__(self) -> None:
        checks.fields(self, checks.instance, "search", kind=LocalSearch, wanted="LocalSearch")
        if self.perturbation is not None:
            as_perturbation(self.perturbation)
        wanted = "acceptance rule, such as Better()"
        checks.fields(self, checks.instance, "accept", kind=Acceptance, wanted=wanted)
        wanted = "cooperation, such as Migration()"
        checks.given_fields(self, checks.instance, "cooperation", kind=Cooperation, wanted=wanted)
        checks.fields(self, checks.number, "kicks_per_city", least=0.0, most=MOST_KICKS_PER_CITY)
        checks.given_fields(self, checks.integer, "restart_after", least=1, most=checks.MOST_INT)
        if isinstance(self.part, str):
            checks.fields(self, checks.choice, "part", known=("auto",))
        else:
            checks.given_fields(self, checks.integer, "part", least=SMALLEST_PART)
        if isinstance(self.part, int) and (self.restart_after is not None or not self.fused):
            raise InvalidParameterError(
                "part: tours are searched in parts by First() on candidate lists and "
                "DoubleBridge() only, without restart_after; leave `part` out"
            )

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError if the search cannot work on the problem."""
        self.search.check(problem)
        self.kick_on(problem)
        if self.cooperation is not None:
            self.cooperation.check(problem)

    @warns_if_infeasible
    def __call__(
        self,
        problem: Problem,
        tours: Any,
        *,
        seed: int | None = 0,
        budget: Budget | None = None,
        backend: str | Backend = "auto",
        device: int | None = None,
        callback: Callback | None = None,
        memory_limit: int | None = None,
        first_row: int = 0,
    ) -> Result:
        """Improve a batch of tours.

        Parameters
        ----------
        problem, tours, backend, device, callback, first_row
            As in `LocalSearch`.
        seed : int or None
            Key of the random numbers of kicks and acceptance. With a budget in kicks, the same seed
            gives the same tours. If chains are independent and search whole tours, all backends,
            devices and batch sizes give the same tours. With a limit in seconds, tours may differ.
            Pass another seed for each call, or None to draw one.
        budget : Budget, optional
            `kicks` and `moves` are per tour. If `seconds` is the only limit and too short for
            descents from all tours, half of the time is spent on one good tour. This tour
            replaces the first row if it is cheaper.
        memory_limit : int, optional
            Maximum number of bytes to use. Larger batches are searched in several turns; each turn
            gets its share of the seconds, and chains cooperate within their turn.

        Returns
        -------
        Result
            Row r is the best tour of chain r, and never worse than row r of `tours`. With
            cooperation, rows are sorted by cost. After Ctrl-C, the result holds the best tours so
            far, and `statistics.interrupted` is true.

        Raises
        ------
        UnsupportedProblemError
            The search cannot work on the problem.
        InvalidTourError, InvalidTypeError
            `tours` are not permutations of the cities.
        InsufficientMemoryError
            Not even one tour fits into memory.
        """
        cooperation = self.cooperation
        call = Call(
            problem,
            [self],
            tours,
            seed=seed,
            budget=budget,
            backend=backend,
            device=device,
            callback=callback,
            memory_limit=memory_limit,
            first_row=first_row,
            stopped_by="kicks",
        )
        if cooperation is not None and not cooperation.by_row:
            require_shared_lengths(call.problem, type(cooperation).__name__)
        with call.backend.current():
            if self.seeks_good_tour and call.first_row == 0:
                add_good_tour(call, ChainsOfOneTour)
            kick = self.kick_on(call.problem)
            per_row = FusedChains.bytes_per_tour(problem.n) + kick.bytes_per_tour(call.problem)
            if cooperation is not None:
                per_row += cooperation.bytes_per_tour(problem.n)
            for rows in call.turns(per_row):
                try:
                    improve(self, call, rows)
                except KeyboardInterrupt:
                    call.stop("interrupt")
            with call.statistics.phase("costs"):
                costs = call.referee()
            call.statistics.history.append(last_point(self, call, costs))
            result = call.result(self, costs)
            in_order = cooperation is None or call.problem.rows is not None
            return result if in_order else result.sorted()

    def compile_batch(self, problem: Problem, tours: Any, backend: Backend) -> None:
        """Compile the programs for a batch like `tours`, those of exchanges in the background."""
        at_once(
            backend,
            partial(super().compile_batch, problem, tours, backend),
            partial(compile_chains, self, tour_problem(problem), tours, backend, complete=False),
        )

    def quickened(self, problem: TSP) -> IteratedLocalSearch:
        """Return a search with the same programs, but candidate lists that are quick to compute."""
        return replace(self, search=compiling_ahead.with_quick_candidates(self.search, problem))

    def _compile_ahead(
        self, problem: TSP, tours: Any, backend: str | Backend, device: int | None
    ) -> None:
        search, chosen = self.quickened(problem), get_backend(backend, device)
        at_once(
            chosen,
            partial(compile_batch, search, problem, tours, backend, device),
            partial(compile_chains, search, problem, tours, chosen),
        )

    def chains(self, start: Start) -> Chains:
        """Return the chains for a batch of local optima."""
        search, problem, kick = self.search, start.problem, self.kick_on(start.problem)
        if self.cooperation is not None:
            self.cooperation.check_kicks(kick)
        others = (make(self, start, kick) for make in chains_of_other_domains)
        found: Chains | None = next((chains for chains in others if chains is not None), None)
        if found is not None:
            return found
        if not self.fused:
            require_shared_lengths(problem, "a search that is kicked from the host")
            rules = start, self.accept, self.restart_after
            if self._repairs_by_random_k(problem):
                k, three_opt = search.pivoting.k, search.neighbourhoods == (ThreeOpt(),)
                return RandomKChains(*rules, k, three_opt, kick)
            return SteppedChains(*rules, search, kick)
        parts = engines.candidate_moves(search, start.backend, problem)()
        part = self._part_of(problem)
        if self.restart_after is not None:
            require_shared_lengths(problem, "restart_after")
        if part is not None:
            require_shared_lengths(problem, f"part={self.part!r}")
            require_by_edges(problem.objective, f"part={self.part!r}")
            require_undirected(problem.objective, f"part={self.part!r}")
            return PartedTours(start, self.accept, parts, kick, part)
        return FusedChains(start, self.accept, self.restart_after, parts, kick)

    @property
    def parts(self) -> tuple[Any, ...]:
        """The parts of the local search, the perturbation and the acceptance rule."""
        kicks = () if self.perturbation is None else (self.perturbation,)
        return (*self.search.parts, *kicks, self.accept)

    def population(self, problem: Problem, tours: Any, **place: Any) -> ChainPopulation:
        """Return the local optima of tours as a population; see `descended`."""
        return descended(self, problem, tours, **place)

    def first_generation(
        self,
        problem: Problem,
        tours: Any,
        searched: Problem,
        asked: Problem | None,
        *,
        seconds: float,
        **place: Any,
    ) -> tuple[ChainPopulation, Statistics]:
        """Descend under `problem`; return chains under `searched`, and statistics of the descents.

        The population returns the costs under `asked`, or under `searched` if `asked` is None.
        """
        budget = Budget(seconds=seconds) if math.isfinite(seconds) else None
        begin = get_backend(place["backend"]).xp.asarray(tours)
        found = self.search(tour_problem(problem), begin, budget=budget, **place)
        told = None if asked is None else tour_problem(asked)
        optima = found.tours, found.costs
        chains = ChainPopulation(self, tour_problem(searched), *optima, **place, asked=told)
        return chains, found.statistics

    def own_kicks(self, problem: Problem) -> int:
        """Return the number of kicks per chain if the budget sets no limits."""
        return round(self.kicks_per_city * problem.n)

    def kicks_tours(self, problem: TSP) -> bool:
        """Return whether tours of a problem are long enough for kicks."""
        return problem.n >= max(SMALLEST_KICKED, self.kick_on(problem).smallest)

    @property
    def kick(self) -> Perturbation:
        """The perturbation of tours without routes, with all attributes of a `Perturbation`."""
        return KICK if self.perturbation is None else as_perturbation(self.perturbation)

    def kick_on(self, problem: TSP) -> Perturbation:
        """Return the perturbation for a problem; raise if the problem does not support it."""
        given = None if self.perturbation is None else self.kick
        found = (kick(problem, given) for kick in kicks_of_other_domains)
        return next((kick for kick in found if kick is not None), self.kick)

    @property
    def fused(self) -> bool:
        """Whether one kernel of tours runs kicks, repairs and acceptance."""
        return (
            isinstance(self.search.pivoting, First)
            and not isinstance(self.search.candidates, All)
            and not self.search.neighbourhoods[0].alone
            and bool(self.kick.cuts)
        )

    def _repairs_by_random_k(self, problem: TSP) -> bool:
        """Return whether a kernel kicks and repairs by random-k-best improvement."""
        drawn = isinstance(self.search.pivoting, RandomK) and self.kick_on(problem).cuts == CUTS
        return drawn and problem.objective.length_alone

    def _part_of(self, problem: TSP) -> int | None:
        """Return the number of cities per part; None if each chain searches a whole tour."""
        if not isinstance(self.part, int):
            large = problem.n > LONGEST_WHOLE and self.restart_after is None
            objective = problem.objective
            divisible = large and objective.by_edges and not objective.directed
            return PART if self.part == "auto" and divisible else None
        return self.part if problem.n >= 2 * self.part else None


class ChainsOfOneTour(IteratedLocalSearch):
    """The search of `GoodTour`, which must not look for a good tour itself."""

    seeks_good_tour = False

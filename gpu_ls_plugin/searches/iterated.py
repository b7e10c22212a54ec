"""Iterated local search: kick, repair, accept or undo (Lourenço, Martin and Stützle 2003)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin import checks
from gpu_ls_plugin.acceptance import Acceptance, Annealing
from gpu_ls_plugin.backends import arrays, get_backend
from gpu_ls_plugin.backends.tuning import LAUNCH_SECONDS
from gpu_ls_plugin.budget import Budget, Stopwatch, now
from gpu_ls_plugin.candidates import All, Alpha
from gpu_ls_plugin.cooperation.cooperation import MOST_KICKS_PER_CITY, Cooperation
from gpu_ls_plugin.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.history import Point, note
from gpu_ls_plugin.neighbourhoods import FilteredNeighbourhood, LinKernighan
from gpu_ls_plugin.neighbourhoods.composed import Composed
from gpu_ls_plugin.perturbations import DoubleBridge
from gpu_ls_plugin.pivoting import First
from gpu_ls_plugin.problems.tsp import check_problem
from gpu_ls_plugin.result import Progress, Result, Statistics, summed
from gpu_ls_plugin.searches import engines, observers
from gpu_ls_plugin.searches.audit import Audit, check_claims, foreign_names
from gpu_ls_plugin.searches.chains.chain_kernel import NO_LIMIT
from gpu_ls_plugin.searches.chains.chains import Chains, FusedChains, Start, SteppedChains
from gpu_ls_plugin.searches.chains.parted import PartedTours
from gpu_ls_plugin.searches.chains.stagnation import Stagnation
from gpu_ls_plugin.searches.driver import drive
from gpu_ls_plugin.searches.engine import moves_by_name
from gpu_ls_plugin.searches.local_search import LocalSearch, refereed, undo_rounding

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.result import Callback


LONGEST_WHOLE = 12_000  # cities of a tour that one chain works on
PART, SMALLEST_PART = 800, 32


def _default_search() -> LocalSearch:
    return LocalSearch([LinKernighan(3)], candidates=Alpha(5))


@dataclass(frozen=True)
class IteratedLocalSearch:
    """Improve tours by kicks: each is repaired locally, and kept or undone.

    One chain for each tour of the batch, all at the same time. The first repair is a full local
    search, each further one looks only at the cities whose edges changed. With `First()` pivoting
    on candidate lists and a `DoubleBridge`, everything happens in one kernel (journal of
    reversals, no copy of the tour); any other search or perturbation is run kick by kick.

    Parameters
    ----------
    search : LocalSearch
        Repairs tours.
    perturbation : DoubleBridge, Restart or alike
        Kicks them.
    accept : Acceptance
        Whether a chain goes on from the repaired tour.
    kicks_per_city : float
        Kicks of each chain by the number of cities (Fosin et al. 2013: 0.1, 1 and 10), where the
        budget limits neither kicks, moves nor seconds.
    restart_after : int, optional
        Kicks without a new best tour after which a chain goes on from a random local optimum.
    cooperation : Cooperation, optional
        How chains help each other; by default they are independent.
    part : "auto", int or None
        Cities of the parts in which tours are searched, each by several chains at the same time;
        None: one chain for each tour as a whole. "auto" takes parts for tours too long for a chain.
        Only with `First()` on candidate lists and a `DoubleBridge`, and without `restart_after`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or of the wrong kind.
    """

    search: LocalSearch = field(default_factory=_default_search)
    perturbation: Any = field(default_factory=lambda: DoubleBridge(segment=100))
    accept: Acceptance = field(default_factory=Annealing)
    kicks_per_city: float = 10.0
    restart_after: int | None = None
    cooperation: Cooperation | None = None
    part: int | str | None = "auto"

    name = "iterated_local_search"

    def __post_init__(self) -> None:
        checks.fields(self, checks.instance, "search", kind=LocalSearch, wanted="LocalSearch")
        kick = self.perturbation
        if isinstance(kick, type) or not callable(getattr(kick, "perturb", None)):
            raise InvalidTypeError(
                f"perturbation: {kick!r} is no perturbation, such as DoubleBridge()"
            )
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
        if isinstance(self.part, int) and (self.restart_after is not None or not self._fused):
            raise InvalidParameterError(
                "part: tours are searched in parts by First() on candidate lists and "
                "DoubleBridge() only, without restart_after; leave the parameter out"
            )

    def __call__(
        self,
        problem: TSP,
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
        problem : TSP
        tours : array, shape (P, n), integer
            Not changed. NumPy, or CuPy with the result on the same device.
        seed : int or None
            Of the kicks and of acceptance. Budgets in kicks give the same tours for a seed, and if
            chains are independent and tours whole, on every backend, device and batch size; the
            limit in seconds cannot. Pass another seed for each call, or None to draw one.
        budget : Budget, optional
            `kicks` and `moves` are per tour.
        backend, device
            Where to search; see `get_backend`.
        callback : callable, optional
            Called with a `Progress` after each launch of about 50 ms.
        memory_limit : int, optional
            Bytes that may be used; larger batches are searched in parts, each with its share of
            the seconds.
        first_row : int
            Number of the first row, where the batch is a part of a larger one.

        Returns
        -------
        Result
            Row r is the best tour of chain r and never worse than row r of `tours`. With
            cooperation, rows are sorted by cost. After Ctrl-C what was found so far, with
            `statistics.interrupted`.

        Raises
        ------
        UnsupportedProblemError
            The search cannot work on the problem.
        InvalidTourError, InvalidTypeError
            `tours` are no permutations of the cities.
        InsufficientMemoryError
            Not even one tour fits.
        """
        stopwatch = Stopwatch(budget)
        check_problem(problem)
        key, first = checks.seed(seed), checks.first_row(first_row)
        checks.callback(callback)
        for part in self.search.neighbourhoods:
            part.check(problem)
        if self.cooperation is not None:
            self.cooperation.check(problem)
        chosen = get_backend(backend, device, tours=tours)
        with chosen.current():
            given = arrays.take_tours(chosen, problem, tours)
            per_row = FusedChains.bytes_per_tour(problem.n)
            if self.cooperation is not None:
                per_row += self.cooperation.bytes_per_tour(problem.n)
            fixed = chosen.metric_data(problem).nbytes
            size = chosen.rows_that_fit(per_row, fixed, memory_limit)
            statistics = Statistics(backend=chosen.name, stopped_by="kicks", climbs=len(given))
            memory = chosen.memory(memory_limit)
            run = _Run(
                self, chosen, problem, key, stopwatch, callback, statistics, len(given), memory
            )
            improved = given.copy() if not problem.integer else given
            for begin in range(0, len(given), size):
                rows = slice(begin, begin + size)
                try:
                    run.improve(improved, rows, first + begin, len(improved[rows]) / len(given))
                except KeyboardInterrupt:
                    run.stop("interrupt")
                if run.stopped:
                    break
            with statistics.phase("costs"):
                to_host = not arrays.on_gpu(tours)
                costs = refereed(chosen, problem, improved, to_host=to_host)
                if not problem.integer:
                    before = refereed(chosen, problem, given, to_host=to_host)
                    undo_rounding(improved, costs, given, before)
            run.finish(costs)
            observers.notify(problem, self, statistics)
            result = Result(
                arrays.give(chosen, improved, like=tours),
                arrays.give(chosen, costs, like=tours),
                statistics,
            )
            return result if self.cooperation is None else result.sorted()

    def chains(self, start: Start) -> Chains:
        """Return the chains of a batch of local optima."""
        search, kick = self.search, self.perturbation
        problem = start.problem
        if not self._fused:
            return SteppedChains(start, self.accept, self.restart_after, search, kick)
        parts = Composed(start.backend, problem, search.neighbourhoods, search.candidates)
        part = self._part_of(problem)
        if part is not None:
            return PartedTours(start, self.accept, parts, kick, part)
        return FusedChains(start, self.accept, self.restart_after, parts, kick)

    @property
    def _fused(self) -> bool:
        """Whether kick, search and acceptance are one kernel."""
        return (
            isinstance(self.search.pivoting, First)
            and not isinstance(self.search.candidates, All)
            and not isinstance(self.search.neighbourhoods[0], FilteredNeighbourhood)
            and hasattr(self.perturbation, "cuts")
        )

    def _part_of(self, problem: TSP) -> int | None:
        """Return the cities of a part, None where tours are searched as a whole."""
        if not isinstance(self.part, int):
            large = problem.n > LONGEST_WHOLE and self.restart_after is None
            return PART if self.part == "auto" and large else None
        return self.part if problem.n >= 2 * self.part else None


class _Run:
    """One call of an iterated search: its budget, what was counted, and why it stops."""

    def __init__(
        self,
        search: IteratedLocalSearch,
        backend: Backend,
        problem: TSP,
        seed: int,
        stopwatch: Stopwatch,
        callback: Callback | None,
        statistics: Statistics,
        total: int,
        memory: int,
    ) -> None:
        self.memory = memory
        self.search, self.backend, self.problem, self.seed = search, backend, problem, seed
        self.stopwatch, self.callback = stopwatch, callback
        self.statistics, self.total = statistics, total
        self.stopped = False
        self.done = 0  # tours of finished parts
        self.counted = replace(statistics)  # what finished parts have counted
        budget = stopwatch.budget
        limited = (budget.kicks, budget.moves, budget.seconds) != (None, None, None)
        self.kicks = budget.kicks if limited else round(search.kicks_per_city * problem.n)
        self.seconds = 0.0  # given to the parts so far

    def improve(self, tours: Any, rows: slice, first_row: int, share: float) -> None:
        """Search some rows in place with a share of the time."""
        budget, statistics = self.stopwatch.budget, self.statistics
        begin, end = self.stopwatch.elapsed, math.inf
        if budget.seconds is not None:
            self.seconds += share * budget.seconds
            end = self.seconds
        part = tours[rows]
        most = NO_LIMIT if budget.moves is None else min(budget.moves, NO_LIMIT)
        with statistics.phase("descent"):
            watch = Stopwatch.of(end - begin)
            if not engines.ready(self.search.search, self.backend, self.problem, watch.left):
                statistics.stopped_by = "seconds"
                return
            maker = engines.choose(self.search.search)(
                self.search.search, self.backend, self.problem, self.seed, self.memory
            )
            descent = maker.make(part, first_row, most)
            audit = Audit(descent, foreign_names(self.problem, self.search.search.parts))
            stopped_by, launches = drive(descent, watch, audit)
            audit.compare()
        statistics.launches += launches
        passes = int(descent.pass_counts.sum())
        statistics.passes += passes
        statistics.evaluations += descent.evaluations()
        # Without the descent's moves: the chains' begin with them, which `count` will add.
        self.counted = replace(statistics)
        moves = int(descent.move_counts.sum())
        statistics.moves += moves
        made = moves_by_name(self.search.search.neighbourhoods, moves, descent.moves_by)
        statistics.moves_by = summed(statistics.moves_by, made)
        if stopped_by == "interrupt":
            self.stop(stopped_by)
            return
        if self.problem.n < max(8, getattr(self.search.perturbation, "smallest", 1)):
            statistics.stopped_by = "optimum"
            return
        start = Start(
            self.backend,
            self.problem,
            part.copy(),
            self.seed,
            first_row,
            most,
            descent.move_counts,  # so that a budget in moves holds for both together
            descent.moves_by,
        )
        chains = self.search.chains(start)
        try:
            self.drive(chains, begin, end)
        finally:
            part[:] = chains.best_tours
            self.count(chains)
            self.counted = replace(statistics)
        self.check(chains)
        self.done += len(part)

    def check(self, chains: Chains) -> None:
        """Raise FaultyPartError where parts that others wrote claim costs of no tour."""
        search = self.search
        parts = (*search.search.parts, search.perturbation, search.accept)
        if names := foreign_names(self.problem, parts):
            costs = self.problem.cost(self.backend.to_numpy(chains.best_tours))
            check_claims(names, self.backend.to_numpy(chains.best_costs), costs)

    def drive(self, chains: Chains, begin: float, end: float) -> None:
        """Launch until every chain has made its kicks or the time is over."""
        search, watch = self.search, self.stopwatch
        until = NO_LIMIT if self.kicks is None else self.kicks
        exchange = search.cooperation
        period = NO_LIMIT if exchange is None else exchange.period(self.problem.n)
        done, next_exchange = 0, period
        step = chains.first_kicks()
        stagnation = Stagnation(self.problem.n, len(chains.tours))
        self.report(chains)
        while chains.behind(until) and not self.stopped:
            elapsed = watch.elapsed
            if elapsed >= end:
                self.statistics.stopped_by = "seconds"
                return
            to = min(until, next_exchange, done + step) if chains.divisible else until
            begun = now()
            with self.statistics.phase("kicks"):
                heat, cooling = self.level(done, to, begin, end)
                chains.advance(to, heat, cooling, end - elapsed)
                behind = chains.behind(to)
            seconds = max(now() - begun, 1e-6)
            self.statistics.launches += 1
            chains.restart_stalled(search.search, end - watch.elapsed)
            made = max(1, to - done)
            done = done if behind else to
            if exchange is not None:
                reached = done if chains.divisible else int(chains.kicks.min())
                if reached >= next_exchange:
                    with self.statistics.phase("exchange"):
                        level = max(0.0, heat - cooling * reached)
                        left = end - watch.elapsed
                        kicks = exchange.exchange(chains, level, left, until - reached)
                    done += kicks
                    next_exchange = reached + kicks + period
            wanted = max(0.0, min(LAUNCH_SECONDS, end - watch.elapsed))
            step = max(1, min(8 * step, int(made * wanted / seconds)))
            improved = self.report(chains)
            if until == NO_LIMIT and stagnation.reached(chains, done, improved):
                self.stir(chains, end - watch.elapsed)
        if self.stopwatch.budget.moves is not None and bool(
            (chains.moves >= chains.start.max_moves).any()
        ):
            self.statistics.stopped_by = "moves"

    def stir(self, chains: Chains, seconds: float) -> None:
        """Let every second chain begin anew, where that costs no best tour."""
        if chains.current_is_best:
            return
        rows = self.backend.xp.arange(1, len(chains.tours), 2)
        chains.restart(self.search.search, rows, seconds)

    def level(self, done: int, to: int, begin: float, end: float) -> tuple[float, float]:
        """Return the acceptance level as a line over the kicks from `done` to `to`."""
        accept = self.search.accept
        if self.kicks is not None and end == math.inf:
            first = accept.level(0.0)
            return first, (first - accept.level(1.0)) / max(1, self.kicks)
        elapsed = self.stopwatch.elapsed
        ahead = min(end, elapsed + LAUNCH_SECONDS)

        def progress(kicks: int, seconds: float) -> float:
            shares = [] if self.kicks is None else [kicks / max(1, self.kicks)]
            if end < math.inf:
                shares.append((seconds - begin) / max(end - begin, 1e-9))
            return min(1.0, max(shares, default=0.0))

        high, low = accept.level(progress(done, elapsed)), accept.level(progress(to, ahead))
        cooling = (high - low) / max(1, to - done)
        return high + cooling * done, cooling

    def report(self, chains: Chains) -> bool:
        """Note the state, tell the callback, stop at the target; return whether the best fell."""
        best: int | float = chains.best_costs.min().item()
        mean = float(chains.best_costs.mean())
        self.count(chains)
        statistics = self.statistics
        point = Point(self.stopwatch.elapsed, statistics.kicks, best, mean)
        improved = note(statistics.history, point)
        if self.callback is not None:
            self.callback(
                Progress(
                    elapsed=point.elapsed,
                    best_cost=best,
                    mean_cost=mean,
                    moves=statistics.moves,
                    evaluations=statistics.evaluations,
                    done=self.done,
                    total=self.total,
                    kicks=statistics.kicks,
                    accepted=statistics.accepted,
                    improved=improved,
                    restarts=statistics.restarts,
                )
            )
        target = self.stopwatch.budget.target
        if target is not None and best <= target:
            self.stop("target")
        return improved

    def count(self, chains: Chains) -> None:
        """Add what the chains have counted to what was counted before them."""
        statistics, before = self.statistics, self.counted
        looks, moves = int(chains.looks.sum()), int(chains.moves.sum())
        statistics.kicks = before.kicks + int(chains.kicks.sum())
        statistics.accepted = before.accepted + int(chains.accepted.sum())
        statistics.restarts = before.restarts + int(chains.restarts.sum())
        statistics.moves = before.moves + moves
        statistics.passes = before.passes + looks
        statistics.evaluations = before.evaluations + looks * chains.moves_per_look()
        made = moves_by_name(self.search.search.neighbourhoods, moves, chains.moves_by)
        statistics.moves_by = summed(before.moves_by, made)

    def stop(self, reason: str) -> None:
        """End the run after this launch."""
        self.stopped, self.statistics.stopped_by = True, reason

    def finish(self, costs: Any) -> None:
        """Note the end."""
        statistics = self.statistics
        statistics.seconds = self.stopwatch.elapsed
        best, mean = costs.min().item(), float(costs.mean())
        statistics.history.append(Point(statistics.seconds, statistics.kicks, best, mean))

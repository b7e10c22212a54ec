"""The chains of an iterated search as a population."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.budget import NO_LIMIT, Stopwatch
from gpu_ls_plugin.result import Statistics
from gpu_ls_plugin.searches.audit import check_claims, foreign_names, refereed_costs
from gpu_ls_plugin.searches.chains.rehearsal import SMALLEST_KICKED
from gpu_ls_plugin.searches.chains.start import Start
from gpu_ls_plugin.searches.rounds import Rounds

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.evolution.generations.stretch import Stretch
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.searches.iterated import IteratedLocalSearch

KICKS_PER_CITY = 0.5  # of a generation, where chains do not cooperate


class ChainPopulation:
    """The best tours of chains that kick, repair and cooperate, generation by generation.

    A generation ends with an exchange of what chains have found. Copies and pickles lie on the
    host; they go on from where this population stood.

    Parameters
    ----------
    search : IteratedLocalSearch
    tours : array, shape (P, n), int32
        Local optima, which become the population's.
    costs : array, shape (P,)
    seed : int
    backend : str
    first_row, max_moves : int
        As of a `Start`.
    """

    def __init__(
        self,
        search: IteratedLocalSearch,
        tours: Any,
        costs: Any,
        seed: int,
        backend: str,
        first_row: int = 0,
        max_moves: int = NO_LIMIT,
    ) -> None:
        self.search, self.seed, self.backend = search, seed, backend
        self.first_row, self.max_moves = first_row, max_moves
        self._tours, self._costs = tours, costs
        self._rounds: Rounds | None = None
        self._state: dict[str, Any] | None = None
        self._best, self._before = math.inf, np.zeros(4, np.int64)

    @property
    def tours(self) -> Any:
        """The best tour of each chain: array of the backend, shape (P, n), int32."""
        return self._tours if self._rounds is None else self._rounds.chains.best_tours

    @property
    def costs(self) -> Any:
        """Their costs: array of the backend, shape (P,)."""
        return self._costs if self._rounds is None else self._rounds.chains.best_costs

    def __len__(self) -> int:
        return len(self._costs)

    def __getstate__(self) -> dict[str, Any]:
        state = {**vars(self), "_rounds": None}
        if self._rounds is not None:
            state["_state"] = self._rounds.state()
            chains = state["_state"]["chains"]
            state |= {"_tours": chains["best_tours"], "_costs": chains["best_costs"]}
        return state | {name: on_host(state[name]) for name in ("_tours", "_costs")}

    def advance(self, problem: TSP, progress: float, seconds: float) -> Statistics:
        """Make one generation within a time (in place); return what it has counted.

        Parameters
        ----------
        problem : TSP
            The same one each time.
        progress : float
            Share of the run that is over, 0 to 1: of it depends which tours are accepted.
        seconds : float
            That the generation may take. Ctrl-C ends it like time, and is noted.

        Raises
        ------
        FaultyPartError
            Parts that others wrote claim costs of no tour.
        """
        watch = Stopwatch.of(seconds)
        return self._counted(problem, watch, partial(self._advance, progress=progress))

    def stretch(
        self, problem: TSP, stretch: Stretch, launched: Callable[[Rounds], bool] = lambda _: False
    ) -> Statistics:
        """Let the chains go on for a stretch of a run (in place); return what it has counted.

        However many launches there are, chains come to the same tours where kicks alone limit the
        stretch.

        Parameters
        ----------
        problem : TSP
            The same one each time.
        stretch : Stretch
        launched : callable, optional
            Called with the rounds after each launch; returns whether that is enough.

        Raises
        ------
        FaultyPartError
            Parts that others wrote claim costs of no tour.
        """
        watch = Stopwatch.of(stretch.seconds)
        work = partial(self._go_on, stretch=stretch, launched=launched)
        return self._counted(problem, watch, work)

    def adopt(self, problem: TSP, tours: Any, costs: Any) -> None:
        """Let the worst chains go on from tours that are cheaper than their best ones.

        Parameters
        ----------
        problem : TSP
            The same one each time.
        tours : array of the backend, shape (K, n), int32
            No more than there are chains; the first for the worst one.
        costs : array of the backend, shape (K,)
        """
        from gpu_ls_plugin.cooperation.base import by_cost  # whose room begins with searches

        if not self.kicks(problem):
            return
        backend = get_backend(self.backend)
        with backend.current():
            chains = self._resumed(problem, Statistics()).chains
            worst = by_cost(chains)[::-1][: len(costs)]
            all_tours, all_costs = chains.best_tours.copy(), chains.best_costs.copy()
            all_tours[worst], all_costs[worst] = tours, costs
            chains.adopt(all_tours, all_costs)

    def kicks(self, problem: TSP) -> bool:
        """Return whether tours are long enough to be kicked."""
        return problem.n >= max(SMALLEST_KICKED, self.search.kick.smallest)

    def _counted(
        self, problem: TSP, watch: Stopwatch, work: Callable[[Rounds, Stopwatch], object]
    ) -> Statistics:
        """Return what some work on the rounds has counted; Ctrl-C ends it."""
        statistics, backend = Statistics(stopped_by="kicks"), get_backend(self.backend)
        statistics.backend = backend.name
        if self.kicks(problem):
            with backend.current():
                rounds = self._resumed(problem, statistics)
                try:
                    work(rounds, watch)
                except KeyboardInterrupt:
                    statistics.stopped_by = "interrupt"
                self._count(rounds)
                self._audit(rounds)
        statistics.seconds = watch.elapsed
        return statistics

    def _advance(self, rounds: Rounds, watch: Stopwatch, progress: float) -> None:
        chains, exchanges, best = rounds.chains, rounds.exchanges, self._best
        heat = self.search.accept.level(progress)
        until = NO_LIMIT
        if self.search.cooperation is None and chains.divisible:
            until = rounds.done + max(1, round(KICKS_PER_CITY * chains.start.problem.n))
        while watch.left > 0:
            rounds.launch(until, lambda done, to: (heat, 0.0), watch.left)
            if rounds.exchanges > exchanges or rounds.done == until or not chains.divisible:
                break
        self._best = chains.best_costs.min().item()
        rounds.stir(self._best < best, watch.left)

    def _go_on(
        self,
        rounds: Rounds,
        watch: Stopwatch,
        stretch: Stretch,
        launched: Callable[[Rounds], bool],
    ) -> None:
        chains, levels = rounds.chains, stretch.levels(self.search.accept, rounds.done, watch)
        until = NO_LIMIT if stretch.kicks is None else rounds.done + stretch.kicks
        while watch.left > 0 and chains.behind(until):
            rounds.launch(until, levels, watch.left)
            best, self._best = self._best, chains.best_costs.min().item()
            if launched(rounds):
                return
            if until == NO_LIMIT:
                rounds.stir(self._best < best, watch.left)
        rounds.statistics.stopped_by = "moves" if watch.left > 0 else "seconds"
        if not chains.behind(until) and stretch.kicks is not None:
            rounds.statistics.stopped_by = "kicks" if chains.behind(NO_LIMIT) else "moves"

    def _resumed(self, problem: TSP, statistics: Statistics) -> Rounds:
        """Return the rounds of these chains, begun or continued, which count there."""
        search = self.search
        if self._rounds is None:
            backend = get_backend(self.backend)
            tours = backend.xp.array(self._tours, "int32")
            start = Start(backend, problem, tours, self.seed, self.first_row, self.max_moves)
            chains = search.chains(start)
            self._rounds = Rounds(chains, search.search, search.cooperation, statistics)
            if self._state is not None:
                self._rounds.restore(self._state)
                self._state = None
        self._rounds.statistics = statistics
        return self._rounds

    def _count(self, rounds: Rounds) -> None:
        """Add what the chains have counted since the last generation."""
        chains, statistics = rounds.chains, rounds.statistics
        arrays = (chains.kicks, chains.accepted, chains.moves, chains.looks)
        backend = chains.start.backend
        counted = backend.to_numpy(backend.xp.stack(arrays).sum(axis=1))
        kicks, accepted, moves, looks = (counted - self._before).tolist()
        self._before = counted
        statistics.kicks, statistics.accepted, statistics.moves = kicks, accepted, moves
        statistics.passes, statistics.evaluations = looks, looks * chains.moves_per_look()
        statistics.climbs = len(self)

    def _audit(self, rounds: Rounds) -> None:
        """Compare what parts that others wrote claim with what tours cost."""
        search, problem = self.search, rounds.chains.start.problem
        parts = [*search.search.parts, search.perturbation, search.accept]
        parts += [] if search.cooperation is None else [search.cooperation]
        if names := foreign_names(problem, parts):
            to_numpy = rounds.chains.start.backend.to_numpy
            costs = refereed_costs(names, problem, to_numpy(self.tours))
            check_claims(names, to_numpy(self.costs), costs, problem)

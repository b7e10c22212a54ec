"""The chains of an iterated search as a population."""

from __future__ import annotations

import math
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
    """

    def __init__(
        self, search: IteratedLocalSearch, tours: Any, costs: Any, seed: int, backend: str
    ) -> None:
        self.search, self.seed, self.backend = search, seed, backend
        self._tours, self._costs = tours, costs
        self._rounds: Rounds | None = None
        self._state: dict[str, Any] | None = None
        self._best, self._counted = math.inf, np.zeros(4, np.int64)

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
        statistics, watch = Statistics(stopped_by="kicks"), Stopwatch.of(seconds)
        backend = get_backend(self.backend)
        statistics.backend = backend.name
        if problem.n >= max(SMALLEST_KICKED, self.search.kick.smallest):
            with backend.current():
                self._advance(self._resumed(problem, statistics), progress, watch)
        statistics.seconds = watch.elapsed
        return statistics

    def _advance(self, rounds: Rounds, progress: float, watch: Stopwatch) -> None:
        chains, exchanges, best = rounds.chains, rounds.exchanges, self._best
        heat = self.search.accept.level(progress)
        until = NO_LIMIT
        if self.search.cooperation is None and chains.divisible:
            until = rounds.done + max(1, round(KICKS_PER_CITY * chains.start.problem.n))
        try:
            while watch.left > 0:
                rounds.launch(until, lambda done, to: (heat, 0.0), watch.left)
                if rounds.exchanges > exchanges or rounds.done == until or not chains.divisible:
                    break
            self._best = chains.best_costs.min().item()
            rounds.stir(self._best < best, watch.left)
        except KeyboardInterrupt:
            rounds.statistics.stopped_by = "interrupt"
        self._count(rounds)
        self._audit(rounds)

    def _resumed(self, problem: TSP, statistics: Statistics) -> Rounds:
        """Return the rounds of these chains, begun or continued, which count there."""
        search = self.search
        if self._rounds is None:
            backend = get_backend(self.backend)
            tours = backend.xp.array(self._tours, "int32")
            chains = search.chains(Start(backend, problem, tours, self.seed))
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
        kicks, accepted, moves, looks = (counted - self._counted).tolist()
        self._counted = counted
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
            check_claims(names, to_numpy(self.costs), costs)

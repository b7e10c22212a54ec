"""The chains of an iterated search as a population that can be copied and continued."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.core.budget import NO_LIMIT
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.population import Population
from gpu_ls_plugin.tours.engines.audit import check_tours, foreign_names
from gpu_ls_plugin.tours.engines.chains.rounds import Rounds
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.runs.stretch import Leg
    from gpu_ls_plugin.tours.engines.chains.callers import Kicking
    from gpu_ls_plugin.tours.problem.tsp import TSP


class ChainPopulation(Population):
    """The best tours of chains that kick, repair and cooperate.

    Copies and pickles are on the host and continue from the state of this population.

    Parameters
    ----------
    search : Kicking
        An `IteratedLocalSearch`.
    problem : TSP
        The problem that is searched.
    tours : array, shape (P, n), int32
        Local optima; the population takes ownership.
    costs : array, shape (P,)
    seed : int
    backend : str
    first_row, max_moves : int
        As in `Start`.
    asked : TSP, optional
        The problem whose costs `costs` returns, if it is not `problem`.
    target : float, optional
        Cost under `problem` at which a stretch ends.
    descended : Statistics, optional
        Counts of the descents to the tours, which the first stretch adds to its own. By default,
        each stretch counts a climb for each tour.
    """

    def __init__(
        self,
        search: Kicking,
        problem: TSP,
        tours: Any,
        costs: Any,
        seed: int,
        backend: str,
        first_row: int = 0,
        max_moves: int = NO_LIMIT,
        asked: TSP | None = None,
        target: float | None = None,
        descended: Statistics | None = None,
    ) -> None:
        self.search, self.problem, self.asked = search, problem, asked
        self.seed, self.first_row, self.max_moves = seed, first_row, max_moves
        self.target, self._descended = target, descended
        self._device = backend
        self._tours, self._costs = tours, costs
        self._begun: Rounds | None = None
        self._state: dict[str, Any] | None = None
        self.statistics = Statistics()

    @property
    def backend(self) -> Backend:  # type: ignore[override]  # a pickle may go to another machine
        """The backend of the chains."""
        return get_backend(self._device)

    @property
    def tours(self) -> Any:
        """The best tour of each chain: an array of the backend, shape (P, n), int32."""
        return self._tours if self._begun is None else self._begun.chains.best_tours

    @property
    def costs(self) -> Any:
        """Their costs: an array of the backend, shape (P,)."""
        if self.asked is not None:
            backend = self.backend
            with backend.current():
                return tour_costs(backend, self.asked, backend.xp.asarray(self.tours))
        return self._costs if self._begun is None else self._begun.chains.best_costs

    @property
    def seen(self) -> tuple[float, float]:
        """Best and mean cost under the searched problem."""
        return self.rounds.seen

    def __len__(self) -> int:
        return len(self._costs)

    def __getstate__(self) -> dict[str, Any]:
        state = {**vars(self), "_begun": None}
        if self._begun is not None:
            state["_state"] = self._begun.state()
            chains = state["_state"]["chains"]
            state |= {"_tours": chains["best_tours"], "_costs": chains["best_costs"]}
        return state | {name: on_host(state[name]) for name in ("_tours", "_costs")}

    @property
    def rounds(self) -> Rounds:
        """The chains; the first access starts or restores them."""
        if self._begun is None:
            search, backend = self.search, self.backend
            tours = backend.xp.array(self._tours, "int32")
            numbers = self.seed, self.first_row, self.max_moves
            chains = search.chains(Start(backend, self.problem, tours, *numbers))
            rounds = Rounds(chains, self.statistics, search.search, search.cooperation)
            if self._state is not None:
                rounds.restore(self._state)
                self._state = None
            self._begun = rounds
        self._begun.statistics = self.statistics
        return self._begun

    @property
    def _kicked(self) -> bool:
        """Whether tours are long enough for kicks."""
        return self.search.kicks_tours(self.problem)

    @property
    def done(self) -> int:  # type: ignore[override]
        """Kicks that every chain has made."""
        return self.rounds.done if self._kicked else 0

    @property
    def generations(self) -> int:  # type: ignore[override]
        """Number of finished generations."""
        return self.rounds.generations if self._kicked else 0

    @property
    def exchanges(self) -> int:  # type: ignore[override]
        """Number of exchanges between the chains."""
        return self.rounds.exchanges if self._kicked else 0

    @property
    def finished(self) -> bool:  # type: ignore[override]
        """Whether no chain has moves left."""
        return not (self._kicked and self.rounds.chains.behind(NO_LIMIT))

    def over(self, leg: Leg) -> str | None:
        """Return "target" or the reason why no chain can continue; None if one can."""
        if not self._kicked:
            return "optimum"
        if leg.steps and self.target is not None and self.seen[0] <= self.target:
            return "target"
        return self.rounds.over(leg)

    def launch(self, leg: Leg) -> None:
        """Run one launch of the chains."""
        self.rounds.launch(leg)
        leg.steps += 1

    def count(self) -> None:
        """Add the counts of the chains to the statistics."""
        if self._descended is None:
            self.statistics.climbs = len(self)
        else:
            self.statistics.add(self._descended)
            self._descended = Statistics()
        if self._kicked:
            self.rounds.count()

    def check(self) -> None:
        """Compare the costs of chains with those of their tours if a part comes from a plugin."""
        if self._kicked:
            search, chains = self.search, self.rounds.chains
            cooperation = [] if search.cooperation is None else [search.cooperation]
            names = foreign_names(self.problem, [*search.parts, *cooperation])
            check_tours(names, self.problem, self.backend, chains.best_tours, chains.best_costs)

    def adopt(self, tours: Any, costs: Any) -> None:
        """Replace the tours of the worst chains by given, cheaper ones."""
        from gpu_ls_plugin.tours.cooperation.base import (
            by_cost,
        )  # not at import: it imports searches

        if not self._kicked:
            return
        backend = self.backend
        with backend.current():
            tours, costs = map(backend.xp.asarray, (tours, costs))
            chains = self.rounds.chains
            worst = by_cost(chains)[::-1][: len(costs)]
            all_tours, all_costs = chains.best_tours.copy(), chains.best_costs.copy()
            all_tours[worst], all_costs[worst] = tours, costs
            chains.adopt(all_tours, all_costs)

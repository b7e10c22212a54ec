"""The chains of an iterated search as a population that can be copied and continued."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.core.budget import NO_LIMIT, Stopwatch
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.population import PortablePopulation
from gpu_ls_plugin.tours.cooperation.base import by_cost
from gpu_ls_plugin.tours.engines.audit import check_tours, foreign_names
from gpu_ls_plugin.tours.engines.chains.chains import FusedChains
from gpu_ls_plugin.tours.engines.chains.rounds import Rounds
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.runs.stretch import Leg
    from gpu_ls_plugin.tours.engines.chains.start import Kicking
    from gpu_ls_plugin.tours.problem.tsp import TSP


class ChainPopulation(PortablePopulation):
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
        Costs of `tours` under `problem`.
    seed : int
        Key of the random numbers.
    backend : str
        Name of the backend.
    first_row, max_moves : int
        As in `Start`.
    asked : TSP, optional
        The problem whose costs `costs` returns, if it is not `problem`.
    target : float, optional
        Cost under `problem` at which a stretch ends.
    descended : Statistics, optional
        Counts of the descents to the tours, which the first stretch adds to its statistics. By
        default, each stretch counts a climb for each tour.
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
    def tours(self) -> Any:
        return self._tours if self._begun is None else self._begun.chains.best_tours

    @property
    def costs(self) -> Any:
        if self.asked is not None:
            backend = self.backend
            with backend.current():
                return tour_costs(backend, self.asked, backend.xp.asarray(self.tours))
        return self._costs if self._begun is None else self._begun.chains.best_costs

    @property
    def seen(self) -> tuple[float, float]:
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
        """Number of kicks that every chain has made."""
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
        """Return "target" or the reason why no chain can continue; None if one can continue."""
        if not self._kicked:
            return "optimum"
        if leg.steps and self.target is not None and self.seen[0] <= self.target:
            return "target"
        return self.rounds.over(leg)

    def launch(self, leg: Leg) -> None:
        self.rounds.launch(leg)
        leg.steps += 1

    def count(self) -> None:
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
        """Replace the tours of the worst chains with the given tours, which are cheaper."""
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


def descended(
    search: Kicking,
    problem: Problem,
    tours: Any,
    *,
    seed: int,
    backend: str,
    first_row: int = 0,
    moves: int | None = None,
    target: float | None = None,
    memory_limit: int | None = None,
    asked: Problem | None = None,
    seconds: float = math.inf,
    parts: int = 1,
) -> ChainPopulation:
    """Descend from tours; return the chains of an iterated search on the local optima.

    Parameters
    ----------
    search : Kicking
        An `IteratedLocalSearch`.
    problem : Problem
        The problem to search.
    tours : array, shape (P, n)
        Tours to descend from.
    seed, backend, first_row, target
        As in `ChainPopulation`.
    moves : int, optional
        Maximum number of moves per row.
    memory_limit : int, optional
        Maximum number of bytes to use.
    asked : Problem, optional
        The problem whose costs the population returns.
    seconds : float
        Time limit of the descents.
    parts : int
        Number of parts of the batch, which descend one after the other. The population consists of
        the parts whose descents begin in time. With one part, the time limit interrupts the
        descents.

    Raises
    ------
    InsufficientMemoryError
        The chains do not fit into memory.
    """
    searched, chosen = tour_problem(problem), get_backend(backend)
    counted, watch, size = Statistics(), Stopwatch.of(seconds), -(-len(tours) // parts)

    def descents() -> Iterator[Result]:
        for begin in range(0, len(tours), size):
            if begin and watch.left <= 0:
                return
            yield search.search(
                searched,
                tours[begin : begin + size],
                seed=seed,
                budget=watch.budget if parts == 1 else None,
                backend=backend,
                first_row=first_row + begin,
            )

    with chosen.current():
        _require_memory(search, searched, chosen, len(tours), memory_limit)
        tours, found = chosen.xp.asarray(tours), []
        for result in descents():
            counted.add(result.statistics)
            found.append((result.tours, result.costs))
        rows, costs = (chosen.xp.concatenate(arrays) for arrays in zip(*found, strict=True))
    return ChainPopulation(
        search,
        searched,
        rows,
        costs,
        seed,
        backend,
        first_row,
        max_moves=NO_LIMIT if moves is None else moves,
        asked=None if asked is None or asked is problem else tour_problem(asked),
        target=target,
        descended=counted,
    )


def _require_memory(
    search: Kicking, problem: TSP, backend: Backend, size: int, memory_limit: int | None
) -> None:
    """Raise InsufficientMemoryError unless `size` chains fit into memory."""
    cooperation = search.cooperation
    each = FusedChains.bytes_per_tour(problem.n) + problem.objective.kept_bytes(problem)
    each += 0 if cooperation is None else cooperation.bytes_per_tour(problem.n)
    fixed, memory = metric_data(backend, problem).nbytes, backend.memory(memory_limit)
    fitting = backend.rows_that_fit(each, fixed, memory)
    if fitting < size:
        raise InsufficientMemoryError(
            f"population: {fitting:,} of {size:,} tours fit; search fewer on each island"
        )

"""Chains as a population: launches of kicks, and exchanges of tours between launches."""

from __future__ import annotations

import math
from contextlib import contextmanager, suppress
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.builds import NotBuiltError, in_background
from gpu_ls_plugin.core.budget import NO_LIMIT
from gpu_ls_plugin.core.result import summed
from gpu_ls_plugin.runs.pace import Pace
from gpu_ls_plugin.runs.population import Population
from gpu_ls_plugin.tours.engines.engine import moves_by_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from gpu_ls_plugin.core.result import Statistics
    from gpu_ls_plugin.runs.stretch import Leg
    from gpu_ls_plugin.tours.engines.chains.chain_kernel import ChainState
    from gpu_ls_plugin.tours.engines.chains.start import Repair

KICKS_PER_CITY = 0.5  # kicks of a chain per generation, if chains do not cooperate
# In the shortest wait of `EqualCosts`, all chains together make this many kicks per city.
LEAST_KICKS_PER_CITY = 100
_STATE = (
    *("done", "exchanges", "generations"),
    *("_last", "_next", "_pace", "_equal_costs", "_best", "_counted"),
)


class Rounds(Population):
    """Chains that kick and repair, and exchange tours once per period of their cooperation.

    A generation ends with an exchange or, if chains do not cooperate, after `KICKS_PER_CITY` kicks
    per city. On parts of tours, each round is a generation.

    Parameters
    ----------
    statistics : Statistics
        The rounds add their counts and times to it.
    search : Repair, optional
        Local search of chains that restart; without it, no chain restarts.
    cooperation : Cooperation, optional
        Exchanges tours between the chains; without it, there are no exchanges.
    best : float
        The best cost so far; only a lower cost counts as an improvement.
    stirs : bool
        Whether half of the chains restart once all have reached the same cost.
    """

    def __init__(
        self,
        chains: Any,
        statistics: Statistics,
        search: Repair | None = None,
        cooperation: Any = None,
        *,
        best: float = math.inf,
        stirs: bool = True,
    ) -> None:
        n, size = chains.start.problem.n, len(chains.tours)
        self.chains, self.statistics = chains, statistics
        self.backend = chains.start.backend
        self.done = self.exchanges = self.generations = 0
        self._search, self._cooperation = search, cooperation
        self._stirs = stirs and search is not None
        self._period = NO_LIMIT if cooperation is None else cooperation.period(n)
        self._last, self._next = 0, self._period  # kicks at the last exchange, and at the next one
        self._pace = Pace(chains.first_kicks())
        self._equal_costs = EqualCosts(n, size)
        self._counted: Any
        # The moves of a first descent are counted elsewhere. If there was one, the first call of
        # `count` only stores the counts; the next call subtracts them.
        fresh = isinstance(chains.start.moves, int)
        self._best, self._counted = best, 0 if fresh else None

    @property
    def tours(self) -> Any:
        return self.chains.best_tours

    @property
    def costs(self) -> Any:
        return self.chains.best_costs

    def over(self, leg: Leg) -> str | None:
        """Return what has stopped all chains, "moves" or "kicks"; None if any may continue."""
        if leg.bred(self.generations):
            return "kicks"
        chains = self.chains
        if chains.behind(leg.until):
            return None
        most, to_numpy = chains.start.max_moves, chains.start.backend.to_numpy
        spent = most < NO_LIMIT and bool((to_numpy(chains.moves) >= most).any())
        return "moves" if spent else "kicks"

    def launch(self, leg: Leg) -> None:
        """Kick for about the time of a launch, and exchange tours if an exchange is due."""
        self._hurry(leg)
        chains, before, until = self.chains, self._next, self._end(leg)
        to = min(until, self._next)
        if chains.divisible:
            to = min(to, self.done + self._pace.steps)
        with self._pace.timed() as pace, self.statistics.phase("kicks"):
            pace.made = max(1, to - self.done)
            heat, cooling = leg.level(chains.accept, self.done, to)
            chains.advance(to, heat, cooling, leg.left)
            behind = chains.behind(to)
        self.statistics.launches += 1
        if self._search is not None:
            with self._unless_built_late(leg):
                chains.restart_stalled(self._search, leg.left)
        self.done = self.done if behind else to
        if self._cooperation is not None:
            reached = self.done if chains.divisible else int(chains.kicks.min())
            if reached >= self._next:
                level = max(0.0, heat - cooling * reached)
                with self._unless_built_late(leg):
                    self._exchange(self._cooperation, reached, level, leg.left, until)
                self._last, self._next = reached, max(self._next, reached + self._period)
        pace.follow(leg.left)
        bred = leg.stretch.generations is not None
        if self._next > before or not chains.divisible or (bred and self.done == until):
            self.generations += 1
        if self._stirs and (leg.bred(self.generations) if bred else until == NO_LIMIT):
            with self._unless_built_late(leg):
                self._stir(leg.left)

    def count(self) -> None:
        statistics, counted = self.statistics, self._counts()
        if self._counted is None:
            self._counted = counted
            return
        kicks, accepted, restarts, moves, looks, *moves_by = (counted - self._counted).tolist()
        self._counted = counted
        statistics.kicks += kicks
        statistics.accepted += accepted
        statistics.restarts += restarts
        statistics.moves += moves
        statistics.passes += looks
        statistics.evaluations += looks * self.chains.moves_per_look()
        if self._search is not None:
            by_name = moves_by_name(self._search.neighbourhoods, moves, np.array(moves_by))
            statistics.moves_by = summed(statistics.moves_by, by_name)

    def state(self) -> dict[str, Any]:
        """Return the state of the population, as NumPy arrays and plain values by name."""
        own = {name: deepcopy(getattr(self, name)) for name in _STATE}
        return {"chains": self.chains.state(), **own}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from the state of a population with the same number of chains."""
        self.chains.restore(state["chains"])
        for name in _STATE:
            setattr(self, name, deepcopy(state[name]))

    @contextmanager
    def _unless_built_late(self, leg: Leg) -> Iterator[None]:
        """Leave the block if time is limited and a kernel is not built yet; it will be."""
        if leg.left == math.inf or leg.until < NO_LIMIT:
            yield
            return
        with suppress(NotBuiltError), in_background():
            yield

    def _hurry(self, leg: Leg) -> None:
        """Bring the next exchange forward if time would suffice for too few of them."""
        least = 0 if self._cooperation is None else self._cooperation.least_times
        if not least or leg.stretch.kicks is not None or leg.left == math.inf:
            return
        share = leg.share(self.done, leg.watch.elapsed)
        if share > 0:
            soon = self._last + int(self.done / (share * least))
            self._next = min(self._next, max(soon, self.done + 1))

    def _end(self, leg: Leg) -> int:
        """Return the last kick of the stretch, or of the generation if chains do not cooperate."""
        if leg.stretch.generations is None or self._cooperation is not None:
            return leg.until
        if not self.chains.divisible:
            return leg.until
        own: int = max(1, round(KICKS_PER_CITY * self.chains.start.problem.n))
        return min(leg.until, leg.first + own)

    def _stir(self, seconds: float) -> None:
        """Restart every second chain if all chains have had equal costs for a while.

        The restarted chains keep their best tours.
        """
        chains, best = self.chains, self.chains.best_costs.min().item()
        improved, self._best = best < self._best, best
        if not self._equal_costs.reached(chains, self.done, improved) or chains.current_is_best:
            return
        if chains.start.problem.rows is not None:  # each chain uses different lengths
            return
        rows = chains.start.backend.xp.arange(1, len(chains.tours), 2)
        chains.restart(self._search, rows, seconds)

    def _exchange(
        self, cooperation: Any, reached: int, level: float, seconds: float, until: int
    ) -> None:
        with self.statistics.phase("exchange"):
            kicks = cooperation.exchange(self.chains, level, seconds, until - reached)
        self.exchanges += 1
        self.done += kicks
        self._next = reached + kicks + self._period

    def _counts(self) -> NDArray[np.int64]:
        """Return totals of all chains, then moves by each neighbourhood if there are several."""
        chains, xp = self.chains, self.chains.start.backend.xp
        each = (chains.kicks, chains.accepted, chains.restarts, chains.moves, chains.looks)
        sums = xp.stack(each).sum(axis=1)
        if len(chains.moves_by) > 1:
            sums = xp.concatenate([sums, chains.moves_by])
        counts: NDArray[np.int64] = chains.start.backend.to_numpy(sums)
        return counts.copy()


class EqualCosts:
    """Tests, after a wait without a better tour, whether all chains have the same cost.

    The wait lasts as many kicks as it took to find the best tour. It doubles each time that all
    chains have the same cost at the end of the wait.
    """

    def __init__(self, n: int, chains: int) -> None:
        self._least = -(-LEAST_KICKS_PER_CITY * n // chains)
        self._wait, self._until = self._least, self._least

    def reached(self, chains: ChainState, kicks: int, improved: bool) -> bool:
        """Return whether a wait is over after this many kicks per chain, and all costs are equal.

        `improved` says whether there is a new best tour; if so, a new wait begins.
        """
        if improved:
            self._wait = max(kicks, self._least)
            self._until = kicks + self._wait
        if kicks < self._until or len(chains.tours) < 2 or not equal_costs(chains):
            return False
        self._wait *= 2
        self._until = kicks + self._wait
        return True


def equal_costs(chains: ChainState) -> bool:
    """Return whether the best tours of all chains have the same cost."""
    costs = chains.start.backend.to_numpy(chains.best_costs)
    return bool((costs == costs[0]).all())

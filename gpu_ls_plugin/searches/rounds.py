"""Rounds of a population of chains: kicks up to the next exchange, and the exchange."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.budget import NO_LIMIT, Stopwatch, now
from gpu_ls_plugin.searches.chains.equal_costs import EqualCosts
from gpu_ls_plugin.searches.driver import paced

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.cooperation.base import Cooperation
    from gpu_ls_plugin.result import Statistics
    from gpu_ls_plugin.searches.chains.chains import Chains
    from gpu_ls_plugin.searches.local_search import LocalSearch

    Level = Callable[[int, int], tuple[float, float]]


_STATE = ("done", "exchanges", "_next", "_step", "_equal_costs")


class Rounds:
    """Launches of a population of chains, and what they have to know of those before them.

    Parameters
    ----------
    chains : Chains
    search : LocalSearch
        Which chains that begin anew are searched by.
    cooperation : Cooperation, optional
    statistics : Statistics
        Launches and phases are counted there.

    Attributes
    ----------
    done : int
        Kicks that every chain has made.
    exchanges : int
    """

    def __init__(
        self,
        chains: Chains,
        search: LocalSearch,
        cooperation: Cooperation | None,
        statistics: Statistics,
    ) -> None:
        n, size = chains.start.problem.n, len(chains.tours)
        self.chains, self.statistics = chains, statistics
        self.done = self.exchanges = 0
        self._search, self._cooperation = search, cooperation
        self._period = NO_LIMIT if cooperation is None else cooperation.period(n)
        self._next = self._period
        self._step = chains.first_kicks()
        self._equal_costs = EqualCosts(n, size)

    def launch(self, until: int, level: Level, seconds: float) -> None:
        """Let the chains go on for about as long as a launch should take; exchange if it is time.

        Parameters
        ----------
        until : int
            Kick at which the chains end.
        level : callable
            Returns heat and cooling of the acceptance rule between two kicks.
        seconds : float
            That may be spent.
        """
        chains, watch = self.chains, Stopwatch.of(seconds)
        to = min(until, self._next)
        if chains.divisible:
            to = min(to, self.done + self._step)
        begun = now()
        with self.statistics.phase("kicks"):
            heat, cooling = level(self.done, to)
            chains.advance(to, heat, cooling, watch.left)
            behind = chains.behind(to)
        passed = now() - begun
        self.statistics.launches += 1
        chains.restart_stalled(self._search, watch.left)
        made = max(1, to - self.done)
        self.done = self.done if behind else to
        if self._cooperation is not None:
            reached = self.done if chains.divisible else int(chains.kicks.min())
            if reached >= self._next:
                level_now = max(0.0, heat - cooling * reached)
                self._exchange(self._cooperation, reached, level_now, watch.left, until)
        self._step = paced(made, passed, watch.left, most=8 * self._step)

    def state(self) -> dict[str, Any]:
        """Return where all stands, as NumPy arrays and plain values by name."""
        own = {name: deepcopy(getattr(self, name)) for name in _STATE}
        return {"chains": self.chains.state(), **own}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from where rounds of as many chains stood that `state` was asked."""
        self.chains.restore(state["chains"])
        for name in _STATE:
            setattr(self, name, deepcopy(state[name]))

    def stir(self, improved: bool, seconds: float) -> None:
        """Let every second chain begin anew where all stagnate and that costs no best tour."""
        chains = self.chains
        if not self._equal_costs.reached(chains, self.done, improved) or chains.current_is_best:
            return
        if chains.start.problem.rows is not None:  # each chain has lengths of its own
            return
        rows = chains.start.backend.xp.arange(1, len(chains.tours), 2)
        chains.restart(self._search, rows, seconds)

    def _exchange(
        self, cooperation: Cooperation, reached: int, level: float, seconds: float, until: int
    ) -> None:
        with self.statistics.phase("exchange"):
            kicks = cooperation.exchange(self.chains, level, seconds, until - reached)
        self.exchanges += 1
        self.done += kicks
        self._next = reached + kicks + self._period

"""When a population has come to one cost and finds nothing better."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.engines.chains.chain_kernel import ChainState

LEAST_KICKS_PER_CITY = 100  # of all chains together


class EqualCosts:
    """Watches the chains of a run: are all at the same cost, and has nothing been found for long?

    The wait is as many kicks as the best tour took to be found, and at least some for each city;
    it doubles each time that all chains have one cost at its end.
    """

    def __init__(self, n: int, chains: int) -> None:
        self._least = -(-LEAST_KICKS_PER_CITY * n // chains)
        self._wait, self._until = self._least, self._least

    def reached(self, chains: ChainState, kicks: int, improved: bool) -> bool:
        """Return whether the wait is over, each chain has made `kicks`, and all cost the same."""
        if improved:
            self._wait = max(kicks, self._least)
            self._until = kicks + self._wait
        if kicks < self._until or len(chains.tours) < 2 or not equal(chains):
            return False
        self._wait *= 2
        self._until = kicks + self._wait
        return True


def equal(chains: ChainState) -> bool:
    """Return whether the best tours of all chains have one cost."""
    return bool((chains.best_costs == chains.best_costs[0]).all())

"""The test whether all chains have reached the same cost and find nothing better."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.engines.chains.chain_kernel import ChainState

LEAST_KICKS_PER_CITY = 100  # kicks of all chains together that a wait takes at least


class EqualCosts:
    """Tests whether all chains have the same cost, after waiting long enough for a better tour.

    A wait is as long as the search for the best tour, in kicks. It doubles each time that all
    chains have the same cost at its end.
    """

    def __init__(self, n: int, chains: int) -> None:
        self._least = -(-LEAST_KICKS_PER_CITY * n // chains)
        self._wait, self._until = self._least, self._least

    def reached(self, chains: ChainState, kicks: int, improved: bool) -> bool:
        """Return whether a wait is over after this many kicks per chain, and all costs are equal.

        `improved` says whether the best tour is new: then a new wait begins.
        """
        if improved:
            self._wait = max(kicks, self._least)
            self._until = kicks + self._wait
        if kicks < self._until or len(chains.tours) < 2 or not equal(chains):
            return False
        self._wait *= 2
        self._until = kicks + self._wait
        return True


def equal(chains: ChainState) -> bool:
    """Return whether the best tours of all chains have the same cost."""
    return bool((chains.best_costs == chains.best_costs[0]).all())

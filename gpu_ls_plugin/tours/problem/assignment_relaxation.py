"""The assignment relaxation of an asymmetric problem: each city gets a successor, in any cycles."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.problem.tsp import TSP

CHEAPEST = 20  # exchanges of each city that prices take into account
STEPS = 100  # maximum number of steps towards prices; with fewer than needed, some are too high


class AssignmentRelaxation:
    """A cheapest assignment of successors to the cities of a problem.

    Attributes
    ----------
    lengths : ndarray, shape (n, n), int64 or float64
        Those of the problem, with a diagonal that no cheapest assignment uses.
    successors : ndarray, shape (n,), int
        The successor of each city. These edges form one or more cycles.
    bound : int or float
        Length of these edges, a lower bound of the length of a tour.
    """

    def __init__(self, problem: TSP) -> None:
        from scipy.optimize import linear_sum_assignment

        every = np.arange(problem.n)
        self.lengths = np.array(problem.lengths(every[:, np.newaxis], every))
        np.fill_diagonal(self.lengths, problem.n * self.lengths.max() + 1)
        _, self.successors = linear_sum_assignment(self.lengths)
        self.bound = self.lengths[every, self.successors].sum().item()

    @classmethod
    def of(cls, problem: TSP) -> AssignmentRelaxation:
        """Return the relaxation of a problem; repeated calls return the same object."""
        if problem not in _kept:
            _kept[problem] = cls(problem)
        return _kept[problem]

    def reduced_costs(self) -> NDArray[Any]:
        """Return estimates of how much longer assignments with each edge are, shape (n, n).

        They are 0 for the edges of the assignment, and exact up to the few exchanges of successors
        that are not considered for the prices of cities.
        """
        n, every = len(self.lengths), np.arange(len(self.lengths))
        own = self.lengths[every, self.successors]
        steps = self.lengths[:, self.successors] - own  # for the successor of another city
        few = min(CHEAPEST, n)
        to = np.argpartition(steps, few - 1, axis=0)[:few]  # the best new owners, (few, n)
        costs = np.take_along_axis(steps, to, axis=0)
        prices = np.zeros(n, self.lengths.dtype)
        for _ in range(STEPS):  # shortest paths in the graph of exchanges (Bellman and Ford)
            lower = np.minimum(prices, (prices[to] + costs).min(axis=0))
            if (lower == prices).all():
                break
            prices = lower
        prices_of = np.empty_like(prices)
        prices_of[self.successors] = own + prices
        return self.lengths + prices[:, np.newaxis] - prices_of

    def patched(self) -> NDArray[np.int32]:
        """Return a tour (n,) that joins the cycles of the assignment (Karp 1979).

        The smallest cycle is joined with another one by the cheapest exchange of two successors,
        until there is one cycle.
        """
        after, lengths = self.successors.copy(), self.lengths
        every = np.arange(len(after))
        while (cycles := _cycles(after)).max() > 0:
            inside = cycles == np.bincount(cycles).argmin()
            a, b = np.flatnonzero(inside), np.flatnonzero(~inside)
            edges = lengths[every, after]
            added = lengths[np.ix_(a, after[b])] + lengths[np.ix_(b, after[a])].T
            added -= edges[a][:, np.newaxis] + edges[b]
            row, column = np.unravel_index(added.argmin(), added.shape)
            pair = [a[row], b[column]]
            after[pair] = after[pair[::-1]]
        tour = np.zeros(len(after), np.int32)
        for place in range(1, len(tour)):
            tour[place] = after[tour[place - 1]]
        return tour


_kept: weakref.WeakKeyDictionary[TSP, AssignmentRelaxation] = weakref.WeakKeyDictionary()


def _cycles(after: NDArray[Any]) -> NDArray[np.int32]:
    """Return the number of the cycle of each city."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(after)
    edges = coo_array((np.ones(n, np.int8), (np.arange(n), after)), shape=(n, n))
    numbers: NDArray[np.int32] = connected_components(edges, directed=False)[1]
    return numbers

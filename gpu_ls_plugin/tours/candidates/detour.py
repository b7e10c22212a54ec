"""The k cities of least detour on the way to the depot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.candidates.lists import lists_of

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.candidates.lists import CandidateLists
    from gpu_ls_plugin.tours.problem.tsp import TSP

BLOCK_ENTRIES = 1 << 22  # maximum number of pairs of cities in memory at a time


@dataclass(frozen=True)
class Detour(Candidates):
    """The k cities of least detour on the way to the depot.

    The depot is city 0. The detour of cities i and j is the extra length of going from i to the
    depot via j, or from j to the depot via i, whichever is less. On its way, a long route visits
    cities that need not be near each other, so `Nearest(16) | Detour(16)` contains both kinds of
    neighbours. Lists are sorted by (detour, length, city). The detour of the depot is 0, so the
    depot is one of the first candidates. To build the lists, all n^2 lengths are computed.

    Parameters
    ----------
    k : int
        Number of candidates per city, at least 1; capped at n - 1.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        k is not a positive integer.
    """

    k: int = 16

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "k", least=1)

    def build(self, problem: TSP) -> CandidateLists:
        n = problem.n
        all_cities, depot = np.arange(n), np.zeros(n, np.intp)
        home = np.where(all_cities == depot, 0, problem.lengths(all_cities, depot))
        cities = np.empty((n, min(self.k, n - 1)), np.int32)
        step = max(1, BLOCK_ENTRIES // n)
        for begin in range(0, n, step):
            own = all_cities[begin : begin + step, None]
            there, back = (
                problem.lengths(*np.broadcast_arrays(*pair))
                for pair in ((own, all_cities), (all_cities, own))
            )
            detours = np.minimum(there + home - home[own], back + home[own] - home)
            others = np.broadcast_to(all_cities, there.shape)
            # The last key is the primary one: the city itself goes to the end.
            order = np.lexsort((others, there, detours, others == own), axis=1)
            cities[own[:, 0]] = order[:, : cities.shape[1]]
        return lists_of(problem, cities)

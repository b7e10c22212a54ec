"""Candidates for asymmetric problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.candidates.lists import CandidateLists, lists_of
from gpu_ls_plugin.tours.problem.assignment_relaxation import AssignmentRelaxation
from gpu_ls_plugin.tours.problem.symmetric_twin import SymmetricTwin

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.problem.tsp import TSP

MOST_CITIES = 6000  # several matrices of their lengths fit into memory
TIED = 1e-9  # real reduced costs are equal if they differ by less than this share of the largest


@dataclass(frozen=True)
class ReducedCosts(Candidates):
    """The k cities whose edges have the least reduced costs in the assignment of successors.

    For asymmetric problems: a short edge is a bad choice if all edges into its city are short. The
    set takes the edges to and from a city. In the symmetric form of a problem (`Symmetrised`), each
    node has only one of both; its list also contains the other node of its city. Ties are broken at
    random: otherwise, if many lengths are equal, all lists would contain the same cities.

    Parameters
    ----------
    k : int
        Number of candidates per city, at least 1; capped at n - 1.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        k is not a positive integer.

    Notes
    -----
    An assignment is solved once per problem, in time that grows with the third power of n in the
    worst case.
    """

    k: int = 8

    name = "reduced_costs"

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "k", least=1)

    def build(self, problem: TSP) -> CandidateLists:
        """Return the lists; raise UnsupportedProblemError for more than 6,000 cities."""
        origin = SymmetricTwin.origin(problem)
        n = problem.n if origin is None else origin.n
        if n > MOST_CITIES:
            raise UnsupportedProblemError(
                f"candidates: {self!r} needs a matrix of lengths, so it is for up to "
                f"{MOST_CITIES:,} cities, not for {problem!r}; use Nearest"
            )
        costs = AssignmentRelaxation.of(origin or problem).reduced_costs()
        ties = 1 if (origin or problem).integer else TIED * float(costs.max())
        ranks = costs + ties * np.random.default_rng(0).random((n, n))
        np.fill_diagonal(ranks, np.inf)
        k = min(self.k, n - 1)
        if origin is None:
            return lists_of(problem, _least(np.minimum(ranks, ranks.T), k))
        cities = np.arange(n, dtype=np.int32)[:, np.newaxis]
        entered = np.c_[n + cities, n + _least(ranks.T, k)]
        left = np.c_[cities, _least(ranks, k)]
        return lists_of(problem, np.concatenate([entered, left]).astype(np.int32))


def _least(ranks: NDArray[Any], k: int) -> NDArray[np.int32]:
    """Return the columns of the k smallest entries of each row, in order."""
    found = np.argpartition(ranks, max(k - 1, 0), axis=1)[:, :k]
    order = np.take_along_axis(ranks, found, axis=1).argsort(axis=1)
    return np.take_along_axis(found, order, axis=1).astype(np.int32)

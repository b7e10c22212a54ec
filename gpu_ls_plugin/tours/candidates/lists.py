"""Lists of candidates: what a candidate set gives for a problem."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.problem.tsp import TSP


@dataclass(frozen=True, eq=False)
class CandidateLists:
    """Candidates of every city.

    Attributes
    ----------
    cities : ndarray, shape (n, k), int32
        Candidates of each city, the city itself not among them.
    lengths : ndarray, shape (n, k), int64 or float64
        Exact lengths to them.
    """

    cities: NDArray[Any]
    lengths: NDArray[Any]

    @classmethod
    def stacked(cls, lists: Sequence[CandidateLists]) -> CandidateLists:
        """Return several lists one after the other, all as short as the shortest of them."""
        degree = min(part.degree for part in lists)
        return cls(
            np.concatenate([part.cities[:, :degree] for part in lists]),
            np.concatenate([part.lengths[:, :degree] for part in lists]),
        )

    @property
    def degree(self) -> int:
        """Number of candidates of a city."""
        return int(self.cities.shape[1])

    @cached_property
    def sorted(self) -> bool:
        """Whether the lengths of no city's candidates ever fall."""
        return bool((self.lengths[:, 1:] >= self.lengths[:, :-1]).all())


def lists_of(problem: TSP, cities: NDArray[np.int32]) -> CandidateLists:
    """Add the exact lengths to candidates, shape (n, k), int32."""
    own = np.broadcast_to(np.arange(problem.n)[:, None], cities.shape)
    lengths = problem.lengths(own, cities)
    return CandidateLists(cities, lengths.astype(problem.cost_dtype, copy=False))


def wrong_row(cities: NDArray[Any]) -> int | None:
    """Return the first row, of shape (n, k), that does not hold other cities, each once."""
    n = len(cities)
    ordered = np.sort(cities, axis=1)
    wrong = ((cities < 0) | (cities >= n) | (cities == np.arange(n)[:, None])).any(axis=1)
    wrong |= (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    return int(wrong.argmax()) if wrong.any() else None

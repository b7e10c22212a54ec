"""One way of writing each tour, and recognising tours that are there already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.duplicate import DuplicateElimination
from pymoo.core.repair import Repair

from gpu_ls_pymoo.problems import as_tsp
from gpu_ls_pymoo.tours import as_tours, canonical, keys, unknown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_pymoo.tours import Tours


class CanonicalTourRepair(Repair):
    """Write tours with city 0 first and, where lengths are symmetric, its smaller neighbour second.

    No tour's length changes: n rotations and both directions of a tour become one row.
    """

    def _do(self, problem: Any, rows: Any, **kwargs: Any) -> Tours:
        return canonical(as_tours(rows), symmetric=as_tsp(problem).symmetric)


class TourDuplicateElimination(DuplicateElimination):
    """Drop individuals whose tour is in the population already, however it is written.

    Tours are compared by hash in O(n) per individual; pymoo's default compares all pairs.

    Parameters
    ----------
    symmetric : bool
        Whether a tour and its reverse are the same.
    """

    def __init__(self, symmetric: bool = True) -> None:
        super().__init__()
        self.symmetric = symmetric

    def _do(self, pop: Any, other: Any, is_duplicate: NDArray[np.bool_]) -> NDArray[np.bool_]:
        tours = self._canonical(pop)
        if other is None:
            return ~unknown(tours, set())
        known = set(keys(self._canonical(other)))
        return np.array([key in known for key in keys(tours)])

    def _canonical(self, pop: Any) -> Tours:
        return canonical(as_tours(self.func(pop)), symmetric=self.symmetric)

"""One way of writing each tour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pymoo.core.repair import Repair

from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_pymoo.problems import canonical_tours

if TYPE_CHECKING:
    from gpu_ls_plugin.evolution.batches.rows import Tours


class CanonicalTourRepair(ShownParameters, Repair):
    """Write tours with city 0 first and, where lengths are symmetric, its smaller neighbour second.

    No tour's length changes: n rotations and both directions of a tour become one row.
    """

    def _do(self, problem: Any, rows: Any, **kwargs: Any) -> Tours | Any:
        return canonical_tours(problem, rows) if len(rows) else rows  # pymoo has empty batches

"""Elimination of duplicate tours, and the canonical form of tours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pymoo.core.duplicate import DuplicateElimination
from pymoo.core.repair import Repair

from gpu_ls_plugin.core.exceptions import InvalidTourError, InvalidTypeError
from gpu_ls_plugin.evolution.batches.duplicates import TourDuplicates
from gpu_ls_plugin.evolution.batches.rows import checked
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_pymoo.problems import canonical_tours, view_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gpu_ls_plugin.evolution.batches.rows import Tours

_DEFAULT = "pymoo's default elimination (eliminate_duplicates=True)"
_REMEDIES = {
    "rotation": f"these are not round trips; use {_DEFAULT}",
    "reversal": "directions differ: use TourDuplicateElimination(symmetric=False) for round trips, "
    f"otherwise {_DEFAULT}",
}


class TourDuplicateElimination(ShownParameters, DuplicateElimination):
    """Drop individuals whose tour, or a rotation or reversal of it, is already in the population.

    Equal rows are dropped at once. Rotations and reversals are dropped only if they cost the same.
    The class cannot know this in advance, because pymoo does not say which problem the rows belong
    to: in a flow shop, the rotations of a permutation are different solutions. Therefore both
    individuals of such a pair are kept until the fitness of both is known. If it is the same,
    rotations or reversals are dropped from then on. `MemeticGA` knows from its problem which rows
    are the same.

    Tours are compared by hash, in O(n) per individual; pymoo's default compares all pairs.

    Parameters
    ----------
    symmetric : bool
        Whether a tour and its reverse are the same.
    problem : pymoo problem, optional
        A problem of tours that determines which rows are the same. For a `CVRPProblem`, giant tours
        with the same routes are duplicates.

    Raises
    ------
    InvalidTourError, InvalidTypeError
        In a run: a row is not a permutation.
    InvalidParameterError
        In a run: the fitness of a tour differs from that of its rotation or reversal.
    """

    def __init__(self, symmetric: bool = True, problem: Any = None) -> None:
        super().__init__()
        self.symmetric = symmetric
        self._checked: Callable[..., Tours] | None = None
        self._known_tours = TourDuplicates(symmetric, _row, _fitness, _REMEDIES)
        if problem is not None:
            self.adopt(problem)

    def adopt(self, problem: Any) -> None:
        """Let a pymoo problem of tours determine which rows are the same solution."""
        view = view_of(problem)
        tours = view.writer()
        self.symmetric = getattr(tours, "writing", {}).get("symmetric", self.symmetric)
        self._checked = view.check_rows
        self._known_tours.adopt(tours.canonical)

    def _do(self, pop: Any, other: Any, is_duplicate: NDArray[Any]) -> NDArray[Any]:
        rows = self._rows(pop)
        others = None if other is None else (other, self._rows(other))
        return is_duplicate | self._known_tours.duplicates(pop, rows, others)

    def _rows(self, pop: Any) -> Tours:
        rows = self.func(pop)
        try:
            if self._checked is not None:
                return self._checked(rows, "eliminate_duplicates")
            return checked(rows, rows.shape[-1], "eliminate_duplicates")
        except (InvalidTourError, InvalidTypeError) as error:
            raise type(error)(f"{error}; for rows other than tours use {_DEFAULT}") from None


class CanonicalTourRepair(ShownParameters, Repair):
    """Write tours with city 0 first and, if lengths are symmetric, its smaller neighbour second.

    Rotations and reversals of a tour become equal rows; no length changes.
    """

    def _do(self, problem: Any, rows: Any, **kwargs: Any) -> Tours | Any:
        return canonical_tours(problem, rows) if len(rows) else rows  # pymoo may pass no rows


def _row(individual: Any) -> Any:
    return individual.X


def _fitness(individual: Any) -> Any:
    return individual.F if "F" in individual.evaluated else None

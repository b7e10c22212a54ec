"""Recombination of two tours that breaks few edges, as a pymoo operator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.crossover import Crossover

from gpu_ls_plugin.evolution import segment_crossover
from gpu_ls_pymoo.parameters import probability

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SegmentCrossover(Crossover):
    """Put a segment of the second parent into the first, at its place and in its direction.

    The child is a path of the second parent, followed by the cities of the first that are not in
    it, in the first parent's order from the end of the path on, in the direction in which that
    parent runs through most of the path. Positions do not matter, so unlike in order crossover
    no edge is lost to a shift: new edges arise only where the parents disagree inside the path
    and at its end.

    Parameters
    ----------
    shortest, longest : float
        Bounds of the segment's length as a part of the tour; it is drawn uniformly for each child.
    prob : float or pymoo Real
        Probability of a pair to be crossed; otherwise the child is one of the parents.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        Not ``0 < shortest <= longest <= 1``, or `prob` is not from 0 to 1.
    """

    def __init__(
        self, shortest: float = 0.125, longest: float = 0.5, prob: Any = 1.0, **kwargs: Any
    ) -> None:
        self.segments = segment_crossover.SegmentCrossover(shortest, longest)
        super().__init__(n_parents=2, n_offsprings=1, **kwargs)
        self.prob = probability(prob)

    @property
    def shortest(self) -> float:
        """Least length of a segment as a part of the tour."""
        return self.segments.shortest

    @property
    def longest(self) -> float:
        """Largest length of a segment as a part of the tour."""
        return self.segments.longest

    def _do(
        self, problem: Any, parents: Any, *args: Any, random_state: Any = None, **kwargs: Any
    ) -> NDArray[Any]:
        """Return children (1, P, n) of parents (2, P, n)."""
        first, second = parents
        return self.segments(first, second, random_state)[np.newaxis]

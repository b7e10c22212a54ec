"""Recombination of two tours that breaks few edges, for a whole batch at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.crossover import Crossover

from gpu_ls_plugin import checks
from gpu_ls_plugin.exceptions import InvalidParameterError
from gpu_ls_pymoo.parameters import probability
from gpu_ls_pymoo.tours import checked, gather, row_offsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_pymoo.tours import Tours

_TAIL = 32  # cities at the segment's end that decide in which direction the first parent goes on


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
        shortest = checks.number("shortest", shortest, least=0, most=1)
        longest = checks.number("longest", longest, least=0, most=1)
        if not 0 < shortest <= longest:
            raise InvalidParameterError(
                f"shortest, longest: {shortest}, {longest}, but 0 < shortest <= longest <= 1"
            )
        super().__init__(n_parents=2, n_offsprings=1, **kwargs)
        self.prob = probability(prob)
        self.shortest, self.longest = shortest, longest

    def _do(
        self, problem: Any, parents: Any, *args: Any, random_state: Any = None, **kwargs: Any
    ) -> NDArray[Any]:
        """Return children (1, P, n) of parents (2, P, n)."""
        n = parents.shape[-1]
        first, second = (checked(rows, n, "parents") for rows in parents)
        size = len(first)
        low = max(1, int(self.shortest * n))
        lengths = random_state.integers(low, max(low, int(self.longest * n)) + 1, size=size)
        starts = random_state.integers(n, size=size)
        return cross(first, second, starts, lengths)[np.newaxis]


def cross(first: Tours, second: Tours, starts: NDArray[Any], lengths: NDArray[Any]) -> Tours:
    """Return one child per row.

    Parameters
    ----------
    first, second : int32 array, shape (P, n)
        Permutations of 0..n-1; not changed.
    starts, lengths : integer array, shape (P,)
        Position in `second` where the segment begins, and its number of cities, 1..n.

    Returns
    -------
    int32 array, shape (P, n)
        The segment comes first.
    """
    size, n = first.shape
    columns, offsets = np.arange(n), row_offsets(first)
    inside = columns < lengths[:, np.newaxis]
    child = gather(second, (columns + starts[:, np.newaxis]) % n)

    position = np.empty_like(first)  # of each city in the first parent
    position.ravel()[first + offsets] = columns
    tail = np.maximum(lengths[:, np.newaxis] - np.arange(_TAIL, 0, -1), 0)
    places = gather(position, gather(child, tail))
    steps = np.diff(places, axis=1)
    forward = ((steps == 1) | (steps == 1 - n)).sum(axis=1)
    backward = ((steps == -1) | (steps == n - 1)).sum(axis=1)

    direction = np.where(forward >= backward, 1, -1)[:, np.newaxis]
    rest = gather(first, (places[:, -1:] + direction * (columns + 1)) % n)
    taken = np.empty((size, n), dtype=np.bool_)
    taken.ravel()[child + offsets] = inside
    child[~inside] = rest[~gather(taken, rest)]
    return child

"""Recombination of two tours that breaks few edges, for a whole batch at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin import checks
from gpu_ls_plugin.evolution.rows import checked, gather, row_offsets
from gpu_ls_plugin.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.evolution.rows import Tours

_TAIL = 32  # cities at the segment's end that decide in which direction the first parent goes on


@dataclass(frozen=True)
class SegmentCrossover:
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

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        Not ``0 < shortest <= longest <= 1``.
    """

    shortest: float = 0.125
    longest: float = 0.5

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "shortest", "longest", least=0, most=1)
        if not 0 < self.shortest <= self.longest:
            raise InvalidParameterError(
                f"shortest, longest: {self.shortest}, {self.longest}, but "
                "0 < shortest <= longest <= 1"
            )

    def __call__(
        self, first: ArrayLike, second: ArrayLike, random_state: np.random.Generator
    ) -> Tours:
        """Return one child per pair of parents.

        Parameters
        ----------
        first, second : integer array, shape (P, n)
            Tours; not changed.
        random_state : numpy.random.Generator
            Draws the lengths of all segments, then their places.

        Returns
        -------
        int32 array, shape (P, n)

        Raises
        ------
        InvalidTourError, InvalidTypeError
            A parent is not a permutation of 0..n-1.
        """
        n = np.shape(first)[-1]
        ones, others = (checked(rows, n, "parents") for rows in (first, second))
        low = max(1, int(self.shortest * n))
        most, size = max(low, int(self.longest * n)), len(ones)
        lengths = random_state.integers(low, most + 1, size=size)
        starts = random_state.integers(n, size=size)
        return cross(ones, others, starts, lengths)


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

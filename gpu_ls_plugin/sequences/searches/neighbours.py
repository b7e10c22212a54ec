"""Neighbours of sequences, as batches of rows on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.core.rows import gather
from gpu_ls_plugin.sequences.kicks.destroy_repair import DestroyRepair, SequenceKick
from gpu_ls_plugin.sequences.moves.sequence_moves import Insertion, Reversal, SequenceMove, Swap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


class Neighbours(Protocol):
    """The neighbours of a sequence to which an item of it can move.

    Attributes
    ----------
    length : int
        Least number of items that a sequence must have.
    """

    length: int

    def __call__(
        self, rows: NDArray[Any], at: NDArray[np.intp], places: NDArray[np.intp]
    ) -> NDArray[Any]:
        """Return the neighbours of each row, shape (P, m, n).

        Parameters
        ----------
        rows : int32 array, shape (P, n)
        at : array, shape (P,)
            The position of each row that moves.
        places : array, shape (P, m) or (1, m)
            The positions to which it moves, 0 to n - 1.
        """


class Inserted:
    """Neighbours in which a block of items moves to another place.

    If the block would pass the end of the row, it begins earlier, or moves less far.

    Parameters
    ----------
    length : int
        Number of items of the block, at most that of a row.
    """

    def __init__(self, length: int = 1) -> None:
        self.length = length

    def __call__(
        self, rows: NDArray[Any], at: NDArray[np.intp], places: NDArray[np.intp]
    ) -> NDArray[Any]:
        """Return the row with the block from position `at` on at each place."""
        n, length = rows.shape[1], self.length
        begin = np.minimum(at, n - length)[:, None]
        places = np.minimum(places, n - length)[:, :, None]
        positions = np.arange(n)
        # Items before the block's new place, and behind it. Columns that no neighbour uses wrap.
        before = gather(rows, (positions + length * (positions >= begin)) % n)[:, None]
        behind = gather(rows, (positions - length * (positions < begin + length)) % n)[:, None]
        found: NDArray[Any] = np.where(positions < places, before, behind)
        block = gather(rows, begin + np.arange(length))[:, None]
        np.put_along_axis(found, places + np.arange(length), block, axis=2)
        return found


class Swapped:
    """Neighbours in which two items have changed places."""

    length = 1

    def __call__(
        self, rows: NDArray[Any], at: NDArray[np.intp], places: NDArray[np.intp]
    ) -> NDArray[Any]:
        """Return the row with the items at `at` and at each place swapped."""
        found = np.repeat(rows[:, None], places.shape[1], axis=1)
        items = gather(rows, np.broadcast_to(places, found.shape[:2]))
        np.put_along_axis(found, at[:, None, None], items[:, :, None], axis=2)
        moved = gather(rows, at[:, None])[:, :, None]
        np.put_along_axis(found, places[:, :, None], moved, axis=2)
        return found


class Reversed:
    """Neighbours in which a part of the row is reversed."""

    length = 1

    def __call__(
        self, rows: NDArray[Any], at: NDArray[np.intp], places: NDArray[np.intp]
    ) -> NDArray[Any]:
        """Return the row with the part between `at` and each place reversed."""
        first = np.minimum(at[:, None], places)[:, :, None]
        last = np.maximum(at[:, None], places)[:, :, None]
        positions = np.arange(rows.shape[1])
        inside = (first <= positions) & (positions <= last)
        columns = np.where(inside, first + last - positions, positions)
        return gather(rows, columns.reshape(len(rows), -1)).reshape(columns.shape)


def neighbours_of(moves: Iterable[SequenceMove]) -> list[Neighbours]:
    """Return the neighbours that moves make; raise UnsupportedProblemError for moves in C++."""
    found: list[Neighbours] = []
    for move in moves:
        if isinstance(move, Insertion):
            found += map(Inserted, range(1, move.longest + 1))
        elif isinstance(move, Swap):
            found.append(Swapped())
        elif isinstance(move, Reversal):
            found.append(Reversed())
        else:
            raise without_functor(f"moves: {move!r:.80}", "Insertion, Swap and Reversal")
    return found


def removed_by(kick: SequenceKick | None) -> int:
    """Return how many items a kick removes; raise UnsupportedProblemError for kicks in C++."""
    if kick is None:
        return 0
    if not isinstance(kick, DestroyRepair):
        raise without_functor(f"kick: {kick!r:.80}", "DestroyRepair(removed=...)")
    return kick.removed


def without_functor(part: str, instead: str) -> UnsupportedProblemError:
    """Return the error for a part that exists in C++ only; `instead` is what to use."""
    return UnsupportedProblemError(
        f"{part} works only with objectives that have a functor in C++; use {instead}, or write a "
        "functor (docs/your-own-objective.md)"
    )

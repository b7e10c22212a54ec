"""Rows of many instances as arrays of a device: what `improve` asks a domain to search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True)
class RowLimits:
    """Limits of the search of each row.

    Attributes
    ----------
    moves, kicks : int or None
        Maximum numbers; without kicks, each row is searched to a local optimum.
    seconds : float or None
        Limit of the whole call. Without it, the call does not wait for the device.
    seed : int
    """

    moves: int | None = None
    kicks: int | None = None
    seconds: float | None = None
    seed: int = 1


@dataclass(frozen=True)
class Tensors:
    """Instances and their rows: contiguous arrays of a backend.

    Attributes
    ----------
    rows : array, shape (R, m), int32 or int64
        R / B rows of each of B instances, instance by instance.
    coordinates : array, shape (B, n, 2), float32 or float64, or None
    distances : array, shape (B, n, n), float32 or float64, or None
        Either coordinates or distances are given.
    demands : array, shape (B, n), or None
        Rows are then action sequences of vehicles.
    capacity : array, shape (B,), or None
    """

    rows: Any
    coordinates: Any = None
    distances: Any = None
    demands: Any = None
    capacity: Any = None

    @property
    def lengths(self) -> Any:
        """The coordinates or the distances."""
        return self.distances if self.coordinates is None else self.coordinates


class ImprovedRows(NamedTuple):
    """Improved rows (R, m), their costs, float64 (R,), and which rows were valid, bool (R,)."""

    rows: Any
    costs: Any
    valid: Any

"""Demands as fractions of a vehicle's capacity, converted into whole numbers."""

from __future__ import annotations

import torch

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError

# Relative error of a fraction in float32, after a division or two.
ERROR = 2.0**-22
# Two fractions with denominators up to this differ by more than `ERROR`.
LARGEST = 2048
_BLOCK = 512  # maximum number of fractions that are tried at once


def whole_demands(fractions: torch.Tensor, capacity: int | None = None) -> tuple[torch.Tensor, int]:
    """Return demands as whole numbers, int64, and the capacity in the same unit.

    The device is waited for, since the result depends on the values.

    Parameters
    ----------
    fractions : Tensor of floats
        Shares of a vehicle's capacity, from 0 to 1, such as k / 30 in float32.
    capacity : int, optional
        Capacity of a vehicle; by default, the smallest one, up to `LARGEST`, that makes all
        demands whole numbers.

    Raises
    ------
    InvalidParameterError
        A fraction is not between 0 and 1, or is not a whole multiple of ``1 / capacity``.
    """
    shares = fractions.detach().to(torch.float64)
    if not bool(((shares >= 0) & (shares <= 1 + ERROR)).all()):
        raise InvalidParameterError(
            "demand: each must be a fraction of the vehicle's capacity, between 0 and 1"
        )
    if capacity is None:
        capacity = _smallest(torch.unique(shares))
    else:
        capacity = checks.integer("capacity", capacity, least=1)
        if not bool(_whole(shares, torch.tensor(capacity, device=shares.device)).all()):
            raise InvalidParameterError(
                f"demand: not all demands are whole multiples of 1/{capacity} of the vehicle's "
                "capacity; pass the capacity with which they were made"
            )
    return (shares * capacity).round().to(torch.int64), capacity


def _whole(shares: torch.Tensor, capacities: torch.Tensor) -> torch.Tensor:
    """Return whether shares of capacities are whole numbers, but for rounding errors."""
    loads = shares * capacities
    distance = (loads - loads.round()).abs()
    return (distance <= loads * ERROR) & (loads * ERROR < 0.25)


def _smallest(shares: torch.Tensor) -> int:
    """Return the smallest capacity that makes all shares whole numbers."""
    capacities = torch.arange(1, LARGEST + 1, device=shares.device)
    for block in shares.split(_BLOCK):
        capacities = capacities[_whole(block[:, None], capacities).all(dim=0)]
    if not len(capacities):
        raise InvalidParameterError(
            "demand: the fractions are not whole multiples of 1/k for any k up to "
            f"{LARGEST}, and loads must be exact; pass the vehicle's capacity in whole units as "
            "capacity=..., and round demands to such units"
        )
    return int(capacities[0])

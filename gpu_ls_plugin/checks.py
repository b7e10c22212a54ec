"""Checks of plain parameters, so that every operator words its errors alike."""

from __future__ import annotations

import math
import numbers
from typing import Any

from gpu_ls_plugin.exceptions import InvalidParameterError, InvalidTypeError


def integer(name: str, value: Any, *, least: int, most: int | None = None) -> int:
    """Return a value as int; no integer, or one outside [least, most], raises."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InvalidTypeError(f"{name}: {value!r} is no integer")
    number = int(value)
    if number < least or (most is not None and number > most):
        limits = f"at least {least}" if most is None else f"between {least} and {most}"
        raise InvalidParameterError(f"{name}: {number} is not {limits}")
    return number


def number(name: str, value: Any, *, least: float = -math.inf, most: float = math.inf) -> float:
    """Return a value as float; no number, NaN, or one outside [least, most], raises."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InvalidTypeError(f"{name}: {value!r} is no number")
    if not least <= float(value) <= most:
        limits = f"at least {least}" if most == math.inf else f"between {least} and {most}"
        raise InvalidParameterError(f"{name}: {value!r} is not {limits}")
    return float(value)


def callback(value: Any) -> None:
    """Raise unless a callback is callable or None."""
    if value is not None and not callable(value):
        raise InvalidTypeError(f"callback: {value!r} cannot be called; pass a function of Progress")


def seed(value: Any) -> int:
    """Return a seed, an integer of 64 bits."""
    return integer("seed", value, least=0, most=2**64 - 1)

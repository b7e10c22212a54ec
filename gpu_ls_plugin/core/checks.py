"""Checks of parameters such as numbers and strings, with the same messages for every operator.

Checks turn NumPy scalars into Python numbers and strings: NumPy scalars overflow silently, cannot
be passed to C functions, and change the printed names of parts.
"""

from __future__ import annotations

import math
import numbers
import secrets
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import GpuLsError, InvalidParameterError, InvalidTypeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST_INT = 2**31 - 1  # kernels have 32-bit parameters
MOST_ROW = 2**62  # maximum number of a batch's first row: all row numbers fit into 64 bits


def integer(name: str, value: Any, *, least: int, most: int | None = None) -> int:
    """Return a value as int; raise unless it is an integer in [least, most]."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InvalidTypeError(f"{name}: {value!r} is not an integer")
    number = int(value)
    if number < least or (most is not None and number > most):
        limits = f"at least {least}" if most is None else f"between {least} and {most}"
        raise InvalidParameterError(f"{name}: {number} is not {limits}")
    return number


def integers(name: str, value: Any, *, least: int, most: int, example: object) -> tuple[int, ...]:
    """Return a sequence of integers as a tuple; raise unless each is in [least, most]."""
    row = isinstance(value, np.ndarray) and value.ndim == 1
    if not (row or isinstance(value, (tuple, list))) or not len(value):
        raise InvalidTypeError(f"{name}: {value!r} is not a sequence such as {example}")
    return tuple(integer(name, item, least=least, most=most) for item in value)


def number(name: str, value: Any, *, least: float = -math.inf, most: float = math.inf) -> float:
    """Return a value as float; raise unless it is a number in [least, most]."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InvalidTypeError(f"{name}: {value!r} is not a number")
    try:
        number = float(value)
    except OverflowError as error:
        raise InvalidParameterError(f"{name}: {error}") from error
    if not least <= number <= most:
        limits = "a number" if least == -math.inf else f"at least {least}"
        limits = limits if most == math.inf else f"between {least} and {most}"
        raise InvalidParameterError(f"{name}: {value} is not {limits}")
    return number


def text(name: str, value: Any) -> str:
    """Return a value as str; raise unless it is a string."""
    if not isinstance(value, str):
        raise InvalidTypeError(f"{name}: {value!r} is not a string")
    return str(value)


def choice(name: str, value: Any, *, known: Sequence[str]) -> str:
    """Return a string; raise unless it is in `known`."""
    if text(name, value) not in known:
        raise InvalidParameterError(f"{name}: {value!r} is not one of {', '.join(known)}")
    return str(value)


def unmasked(
    name: str, values: Any, error: Callable[[str], GpuLsError] = InvalidParameterError
) -> None:
    """Raise if an array, or one in a list, has masked entries: NumPy would drop the mask."""
    rows = values if isinstance(values, (list, tuple)) else (values,)
    if any(isinstance(row, np.ma.MaskedArray) and np.ma.is_masked(row) for row in rows):
        raise error(f"{name}: entries are masked, so they are missing; fill or remove them first")


def indefinite(noun: str) -> str:
    """Return a noun with "a" or "an"."""
    return f"{'an' if noun[0].lower() in 'aeio' else 'a'} {noun}"


def instance(name: str, value: Any, *, kind: Any, wanted: str) -> Any:
    """Return a value; raise unless it is an instance of `kind`. The message contains `wanted`."""
    if not isinstance(value, kind):
        raise InvalidTypeError(f"{name}: {value!r} is not {indefinite(wanted)}")
    return value


def store(part: object, /, **values: object) -> None:
    """Set fields of a dataclass, frozen or not."""
    for name, value in values.items():
        object.__setattr__(part, name, value)


def fields(part: object, check: Callable[..., object], *names: str, **limits: Any) -> None:
    """Check fields of a dataclass and store the checked values."""
    for name in names:  # no comprehension: the depth of the stack is known to `present_value`
        store(part, **{name: check(name, getattr(part, name), **limits)})


def given_fields(part: object, check: Callable[..., object], *names: str, **limits: Any) -> None:
    """Check and store the fields that are not None."""
    if given := [name for name in names if getattr(part, name) is not None]:
        fields(part, check, *given, **limits)


def callback(value: Any) -> None:
    """Raise unless a callback is None or a callable other than a class."""
    if value is not None and (isinstance(value, type) or not callable(value)):
        raise InvalidTypeError(
            f"callback: {value!r} cannot be called; pass a function that takes a Progress"
        )


def seed(value: Any) -> int:
    """Return a seed, a 64-bit integer; for None, draw one from the system's entropy source."""
    if value is None:
        return secrets.randbits(64)
    return integer("seed", value, least=0, most=2**64 - 1)


def size(value: Any) -> int:
    """Return a number of tours; raise unless it is an integer in [1, MOST_INT]."""
    return integer("size", value, least=1, most=MOST_INT)


def first_row(value: Any) -> int:
    """Return the number of a batch's first row; raise unless it is an integer in [0, MOST_ROW]."""
    return integer("first_row", value, least=0, most=MOST_ROW)

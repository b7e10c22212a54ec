"""Schemas of files: checks of values, and readers that raise FileFormatError.

A check takes the name of a value and the value. It returns the value, or raises `ValueError` with
the name. `fields` combines checks into one for a whole object.
"""

from __future__ import annotations

import dataclasses
import gzip
import io
import json
import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gpu_ls_plugin.core.exceptions import FaultyPartError, FileFormatError, InvalidParameterError
from gpu_ls_plugin.core.text import shortened

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    Check = Callable[[str, Any], Any]

MOST_COUNT = 2**63 - 1  # the largest int64
MOST_NUMBER = 1e300  # differences and percentages of such numbers are finite
CLOSE = 1e-9  # relative tolerance: sums added up in different orders differ by less


def integer(least: int = 0, most: int | None = MOST_COUNT) -> Check:
    """Return a check for integers, with no upper limit if `most` is None."""

    def check(name: str, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            _refuse(name, value, "an integer")
        if value < least or (most is not None and value > most):
            _refuse(name, value, f"between {least} and {most}" if most else f"at least {least}")
        return value

    return check


def number(least: float = 0.0, *, infinite: bool = False) -> Check:
    """Return a check for numbers in [least, MOST_NUMBER], and for infinity if `infinite`."""

    def check(name: str, value: Any) -> int | float:
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            _refuse(name, value, "a number")
        low = max(least, -MOST_NUMBER)
        if not low <= value <= MOST_NUMBER and not (infinite and value == math.inf):
            _refuse(name, value, f"between {low} and {MOST_NUMBER}")
        return value

    return check


def real(name: str, value: Any) -> int | float:
    """Check a number, which may be infinite, but not NaN."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or value != value:
        _refuse(name, value, "a number")
    try:
        float(value)
    except OverflowError:
        _refuse(name, value, "a number of 64 bits")
    return value


def text(name: str, value: Any) -> str:
    """Check a string."""
    if not isinstance(value, str):
        _refuse(name, value, "a string")
    return value


def anything(name: str, value: Any) -> Any:
    """Accept any value."""
    return value


def optional(check: Check) -> Check:
    """Return a check that also allows None."""
    return lambda name, value: None if value is None else check(name, value)


def listed(check: Check) -> Check:
    """Return a check for lists, which checks each item."""

    def check_all(name: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            _refuse(name, value, "a list")
        return [check(f"{name}: {place}", item) for place, item in enumerate(value)]

    return check_all


def named(check: Check) -> Check:
    """Return a check for objects with any names, which checks each value."""

    def check_all(name: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            _refuse(name, value, "an object")
        return {key: check(f"{name}: {key}", item) for key, item in value.items()}

    return check_all


def fields(kind: Callable[..., Any], **checks: Check) -> Check:
    """Return a check for objects with these fields, which passes their values to `kind`.

    The check returns what `kind` returns, and refuses other fields. A field may be missing only if
    `kind` is a dataclass with a default for it.
    """
    optional_names = {
        field.name
        for field in (dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ())
        if field.default is not dataclasses.MISSING
        or field.default_factory is not dataclasses.MISSING
    }

    def check_all(name: str, value: Any) -> Any:
        if not isinstance(value, dict):
            _refuse(name or "content", value, "an object")
        prefix = f"{name}: " if name else ""
        missing = checks.keys() - value.keys() - optional_names
        unknown = value.keys() - checks.keys()
        for names, what in ((missing, "missing"), (unknown, "unknown")):
            if names:
                raise ValueError(f"{prefix}{min(names)!r:.80}: {what}")
        return kind(**{key: checks[key](f"{prefix}{key}", item) for key, item in value.items()})

    return check_all


def of_version(version: int, what: str, content: Any) -> dict[str, Any]:
    """Return an object without its "version"; raise ValueError unless the version is `version`."""
    found = content.get("version") if isinstance(content, dict) else None
    if not isinstance(found, int) or isinstance(found, bool) or found != version:
        raise ValueError(f"not {what} of version {version}")
    return {name: value for name, value in content.items() if name != "version"}


def same_costs(recorded: Any, exact: NDArray[Any]) -> NDArray[Any]:
    """Return exact costs; raise ValueError if the recorded ones (P,) contradict them.

    Real costs may differ in their last digits, but integers may not.
    """
    close = CLOSE if exact.dtype.kind == "f" else 0.0
    wrong = ~np.isclose(np.asarray(recorded, float), exact, rtol=close, atol=close)
    if exact.dtype.kind in "iu" and np.asarray(recorded).dtype.kind in "iu":
        wrong = np.asarray(recorded) != exact
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"costs: row {row} costs {exact[row]}, not {recorded[row]}")
    return exact


@contextmanager
def reading(path: str | os.PathLike[str], what: str = "", remedy: str = "") -> Iterator[None]:
    """Turn each exception that damaged content causes in a ``with`` block into a FileFormatError.

    `what` describes the damage, such as "not the record of a run"; the message ends with `remedy`.
    """
    try:
        yield
    except (FileFormatError, InvalidParameterError, FaultyPartError, OSError):
        raise
    except Exception as error:  # decompression, parsing and arrays raise a dozen kinds
        reason = str(error) if isinstance(error, ValueError) else repr(error)
        parts = filter(None, (str(path), what, shortened(reason) + remedy))
        raise FileFormatError(": ".join(parts)) from error


def read_json(path: Path, *, packed: bool = False) -> Any:
    """Return the content of a JSON file; call it within `reading`."""
    data = path.read_bytes()
    with _damage():
        return json.loads(gzip.decompress(data) if packed else data)


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Return all arrays of an NPZ file; call it within `reading`."""
    data = io.BytesIO(path.read_bytes())
    with _damage(), np.load(data, allow_pickle=False) as content:
        return dict(content.items())


@contextmanager
def _damage() -> Iterator[None]:
    """Turn OSError, which damaged archives raise, into ValueError: the file itself was readable."""
    try:
        yield
    except OSError as error:
        raise ValueError(error) from error


def _refuse(name: str, value: Any, wanted: str) -> NoReturn:
    raise ValueError(f"{name}: {value!r:.80} is not {wanted}")

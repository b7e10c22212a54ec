"""Metrics as they were written at first: their methods ask a problem for its coordinates."""

from __future__ import annotations

import inspect
import warnings
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

METHODS = ("data", "lengths", "slack", "longest", "estimate_error", "tree_points")


class Places(np.ndarray[Any, Any]):
    """Coordinates that can be asked for as a problem's, too."""

    matrix = None

    @property
    def coordinates(self) -> NDArray[np.float64]:
        """The coordinates themselves."""
        return self.view(np.ndarray)

    @property
    def n(self) -> int:
        """Number of cities."""
        return len(self)


def take_values(kind: type) -> None:
    """Let methods of a class whose first parameter is called `problem` take coordinates."""
    former = [name for name in METHODS if name in vars(kind) and _first(vars(kind)[name])]
    for name in former:
        setattr(kind, name, _given_places(vars(kind)[name]))
    if former:
        warnings.warn(
            f"metric: {kind.__name__}.{former[0]} takes a problem; metrics are given `values`, the "
            "coordinates themselves: rename the parameter, and write values for "
            "problem.coordinates",
            DeprecationWarning,
            stacklevel=4,
        )


def _first(method: Any) -> bool:
    """Whether the first parameter after `self` is called `problem`."""
    return inspect.isfunction(method) and [*inspect.signature(method).parameters][1:2] == [
        "problem"
    ]


def _given_places(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def given(self: Any, values: Any, *more: Any) -> Any:
        return method(self, values.view(Places), *more)

    return given

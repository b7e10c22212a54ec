"""Support for metrics of version 0.1, whose methods take a problem and read its coordinates."""

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


class ProblemValues(np.ndarray[Any, Any]):
    """Coordinates that also have the attributes of a problem."""

    matrix = None

    @property
    def coordinates(self) -> NDArray[np.float64]:
        """The coordinates themselves."""
        return self.view(np.ndarray)

    @property
    def n(self) -> int:
        """Number of cities."""
        return len(self)


def accept_values(kind: type) -> None:
    """Let methods whose first parameter is called `problem` accept coordinates, and warn."""
    former = [name for name in METHODS if name in vars(kind) and _takes_problem(vars(kind)[name])]
    for name in former:
        setattr(kind, name, _with_values(vars(kind)[name]))
    if former:
        warnings.warn(
            f"metric: {kind.__name__}.{former[0]} takes a problem; metrics now get `values`, the "
            "coordinates themselves: rename the parameter, and use values instead of "
            "problem.coordinates",
            DeprecationWarning,
            stacklevel=4,
        )


def _takes_problem(method: Any) -> bool:
    """Return whether the first parameter after `self` is called `problem`."""
    return inspect.isfunction(method) and [*inspect.signature(method).parameters][1:2] == [
        "problem"
    ]


def _with_values(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def called(self: Any, values: Any, *more: Any) -> Any:
        return method(self, values.view(ProblemValues), *more)

    return called

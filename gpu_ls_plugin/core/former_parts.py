"""Public parts that were removed or renamed.

Each entry is kept for one release. If a part was removed, ``gls.NAME`` is a function that warns and
returns the replacement with its defaults, or raises if there is no replacement. If a part was
renamed, ``gls.NAME`` is the part itself, and its use warns. Strings that describe searches name
parts in snake case; for a former name, the registry warns and returns the replacement's factory, or
raises. Removed values of parameters are listed beside the parameter; `present_value` replaces them.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from gpu_ls_plugin.core.exceptions import UnknownPartError
from gpu_ls_plugin.core.text import snake_case

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class RemovedPart(NamedTuple):
    """The replacement of a removed part."""

    replacement: str | None  # a public name of the same package
    remedy: str  # the end of the message: one sentence without a full stop


class RemovedValue(NamedTuple):
    """The replacement of a removed value of a parameter."""

    replacement: str
    reason: str  # the part of the message after "since"


# By package, then by former name.
REMOVED: dict[str, dict[str, RemovedPart]] = {
    "gpu_ls_plugin": {
        "Closure": RemovedPart("Alpha", "Alpha(10) holds at least as many edges of optimal tours"),
        "EliteEdges": RemovedPart(
            "EdgeAssembly", "EdgeAssembly() finds better tours in the same time; use it instead"
        ),
        "RouteExchange": RemovedPart(
            "PricedMigration",
            "PricedMigration() with StringRemoval() finds better routes in the same time; use it "
            "instead",
        ),
        "RuinRecreate": RemovedPart(
            "StringRemoval", "StringRemoval() finds better routes in the same time; use it instead"
        ),
        "SelectiveRouteExchange": RemovedPart(
            "SplitRecombination", "SplitRecombination() makes better children; use it instead"
        ),
        "TwoOptStar": RemovedPart("RouteMoves", "RouteMoves() has this move; use it instead"),
    },
    "gpu_ls_pymoo": {
        "SelectiveRouteExchangeCrossover": RemovedPart(
            "SplitCrossover", "SplitCrossover() makes better children; use it instead"
        ),
    },
}
# By package: former name, present name.
RENAMED: dict[str, dict[str, str]] = {
    "gpu_ls_plugin": {
        "Cycle": "CycleRecombination",
        "OrderCrossover": "OrderRecombination",
        "PartiallyMapped": "PartiallyMappedRecombination",
        "PartitionCrossover": "PartitionRecombination",
        "SegmentCrossover": "SegmentRecombination",
        "SplitCrossover": "SplitRecombination",
    },
    "gpu_ls_pymoo": {"MultiObjectiveTSP": "MultiObjectiveTSPProblem"},
}


def former_part(package: str, name: str) -> Any:
    """Return the present value of ``package.name``, None if the package never had such a part."""
    if name in RENAMED.get(package, ()):
        present = RENAMED[package][name]
        warnings.warn(f"{name} is called {present} now", DeprecationWarning, stacklevel=3)
        return getattr(sys.modules[package], present)
    if name in REMOVED.get(package, ()):
        return _removed(package, name)
    return None


def replacement_by_text(name: str) -> tuple[str | None, str] | None:
    """Return the snake-case name that replaces a former one, and a message; None for other names.

    The returned name is None if nothing replaces the part.
    """
    for former, present in RENAMED["gpu_ls_plugin"].items():
        if snake_case(former) == name:
            return snake_case(present), f"{name} is called {snake_case(present)} now"
    for former, (replacement, remedy) in REMOVED["gpu_ls_plugin"].items():
        if snake_case(former) == name:
            return replacement and snake_case(replacement), f"{name} was removed: {remedy}"
    return None


def present_value(
    parameter: str, value: Any, removed: Mapping[str, RemovedValue], stacklevel: int = 5
) -> Any:
    """Return a parameter's value; for a removed one, warn and return the value that replaces it.

    With the default `stacklevel`, the warning points to the line that makes a dataclass whose
    `__post_init__` passes this function to `checks.fields`.
    """
    if not isinstance(value, str) or value not in removed:
        return value
    replacement, reason = removed[value]
    warnings.warn(
        f"{parameter}: {value!r} was removed, since {reason}; {replacement!r} takes its place",
        DeprecationWarning,
        stacklevel=stacklevel,
    )
    return replacement


def _removed(package: str, name: str) -> Callable[..., Any]:
    replacement, remedy = REMOVED[package][name]

    def stand_in(*args: Any, **kwargs: Any) -> Any:
        if replacement is None:
            raise UnknownPartError(f"{name} was removed: {remedy}")
        warnings.warn(f"{name} was removed: {remedy}", DeprecationWarning, stacklevel=2)
        return getattr(sys.modules[package], replacement)()

    stand_in.__name__ = stand_in.__qualname__ = name
    return stand_in

"""The number of calls that Python makes; code for whole batches makes no more for more rows."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def calls_of(function: Callable[[], Any]) -> int:
    """Return the number of calls of Python and C functions during a call of `function`."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    former = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(former)
    return calls

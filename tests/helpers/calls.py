"""How many calls Python makes: what is done for a whole batch takes no more for more rows."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def calls_of(function: Callable[[], Any]) -> int:
    """Return how many functions of Python and C are called in a call of `function`."""
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

"""The time limit of a whole benchmark."""

from __future__ import annotations

import math
import time


class Limit:
    """Seconds from now on; parts that do not fit are left out and printed."""

    def __init__(self, seconds: float = math.inf) -> None:
        self._end = time.perf_counter() + seconds

    @property
    def left(self) -> float:
        """Remaining seconds, at least 0."""
        return max(0.0, self._end - time.perf_counter())

    def over(self, what: str) -> bool:
        """Return whether time is over, which is printed."""
        if self.left > 0:
            return False
        print(f"out of time: {what} is left out", flush=True)
        return True

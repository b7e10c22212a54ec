"""How long a benchmark may take altogether."""

from __future__ import annotations

import math
import time


class Limit:
    """Seconds from now on; what does not fit is left out, and said."""

    def __init__(self, seconds: float = math.inf) -> None:
        self._end = time.perf_counter() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left, from 0 on."""
        return max(0.0, self._end - time.perf_counter())

    def over(self, what: str) -> bool:
        """Whether time is over, which is printed."""
        if self.left > 0:
            return False
        print(f"out of time: without {what}", flush=True)
        return True

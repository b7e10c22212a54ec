"""Seeds that are derived from other numbers."""

from __future__ import annotations

from typing import Any

import numpy as np


def derived(*numbers: Any) -> int:
    """Return a 64-bit seed that depends on all given integers, none of them negative."""
    return int(np.random.SeedSequence(list(numbers)).generate_state(1, np.uint64)[0])

"""Seeds that are made of others."""

from __future__ import annotations

from typing import Any

import numpy as np


def derived(*words: Any) -> int:
    """Return a seed of 64 bits that depends on all of some non-negative integers."""
    return int(np.random.SeedSequence(list(words)).generate_state(1, np.uint64)[0])

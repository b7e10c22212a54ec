"""Random numbers that constructions draw on the host."""

from __future__ import annotations

from typing import Any

import numpy as np


def philox(seed: int) -> np.random.Generator:
    """Return NumPy's counter-based generator for a seed, the kind that the kernels use, too."""
    return np.random.Generator(np.random.Philox(key=seed))


def derived(*words: Any) -> int:
    """Return a seed of 64 bits that depends on all of some non-negative integers."""
    return int(np.random.SeedSequence(list(words)).generate_state(1, np.uint64)[0])

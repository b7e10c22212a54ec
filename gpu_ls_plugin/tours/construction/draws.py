"""Random numbers that constructions draw on the host."""

from __future__ import annotations

import numpy as np


def philox(seed: int) -> np.random.Generator:
    """Return NumPy's counter-based generator for a seed, the kind that the kernels use, too."""
    return np.random.Generator(np.random.Philox(key=seed))

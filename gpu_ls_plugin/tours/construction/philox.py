"""Random numbers for constructions on the host."""

from __future__ import annotations

import numpy as np


def philox(seed: int) -> np.random.Generator:
    """Return NumPy's Philox generator for a seed; kernels use Philox, too."""
    return np.random.Generator(np.random.Philox(key=seed))

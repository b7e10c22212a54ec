"""What constructions share: random numbers drawn on the host, and batches that fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend


def philox(seed: int) -> np.random.Generator:
    """Return NumPy's counter-based generator for a seed, the kind that the kernels use, too."""
    return np.random.Generator(np.random.Philox(key=seed))


def batch_size(
    backend: Backend, n: int, size: Any, *, per_city: int = 4, name: str = "size"
) -> int:
    """Return a number of tours of n cities, which take so many bytes for each of their cities."""
    count = checks.integer(name, size, least=1, most=checks.MOST_INT)
    needed = count * n * per_city
    if needed > (available := backend.memory(None, needed)):
        raise InsufficientMemoryError(
            f"{name}: {count:,} tours of {n:,} cities need about {needed:,} bytes on the "
            f"{backend.name} backend, but only {available:,} are available; make fewer at a time"
        )
    return count

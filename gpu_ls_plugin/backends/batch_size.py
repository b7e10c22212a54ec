"""The check that a batch fits the memory of a backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend


def batch_size(
    backend: Backend, n: int, size: Any, *, per_city: int = 4, name: str = "size"
) -> int:
    """Return the checked number of tours; raise if their bytes per city exceed the memory."""
    count = checks.integer(name, size, least=1, most=checks.MOST_INT)
    needed = count * n * per_city
    if needed > (available := backend.memory(None, needed)):
        raise InsufficientMemoryError(
            f"{name}: {count:,} tours of {n:,} cities need about {needed:,} bytes on the "
            f"{backend.name} backend, but only {available:,} are available; make fewer at a time"
        )
    return count

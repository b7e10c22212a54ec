"""Values that are cached for objects as long as these live."""

from __future__ import annotations

import weakref
from typing import Generic, TypeVar

T = TypeVar("T")


class IdentityCache(Generic[T]):
    """A dict from objects, which need not be hashable, to values."""

    def __init__(self) -> None:
        self._values: dict[int, T] = {}

    def get(self, owner: object) -> T | None:
        """Return the object's value, or None if there is none yet."""
        return self._values.get(id(owner))

    def keep(self, owner: object, value: T) -> T:
        """Keep a value until the object is destroyed, and return it."""
        weakref.finalize(owner, self._values.pop, id(owner), None).atexit = False
        self._values[id(owner)] = value
        return value

"""What was found out about a pymoo problem, for as long as the problem lives."""

from __future__ import annotations

import weakref
from typing import Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """A value for each of some living objects, which need not be hashable."""

    def __init__(self) -> None:
        self._values: dict[int, T] = {}

    def __len__(self) -> int:
        return len(self._values)

    def get(self, owner: object) -> T | None:
        """Return the object's value, None if there is none yet."""
        return self._values.get(id(owner))

    def keep(self, owner: object, value: T) -> T:
        """Keep a value until the object is destroyed, and return it."""
        weakref.finalize(owner, self._values.pop, id(owner), None).atexit = False
        self._values[id(owner)] = value
        return value

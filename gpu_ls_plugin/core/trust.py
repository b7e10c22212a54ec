"""Tells whether a part belongs to this library; all other parts are checked when they are used."""

from __future__ import annotations

OURS = __name__.partition(".")[0]  # the name of this package


def foreign(part: object) -> bool:
    """Return whether the class of a part belongs to another package."""
    return type(part).__module__.partition(".")[0] != OURS

"""Which parts are proven by this library's tests; what others wrote is checked where it is used."""

from __future__ import annotations

OURS = __name__.partition(".")[0]


def foreign(part: object) -> bool:
    """Return whether a part's class was written by somebody else."""
    return type(part).__module__.partition(".")[0] != OURS

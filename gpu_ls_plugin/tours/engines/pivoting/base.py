"""What every pivoting rule says of itself."""

from __future__ import annotations

from typing import ClassVar


class Pivoting:
    """A rule that says which improving move a search takes.

    Attributes
    ----------
    name : str
        Name in the registry.
    """

    name: ClassVar[str]

    @property
    def by_step(self) -> bool:
        """Whether a move of a city's first step that has one is taken, not the best of a city."""
        return False

"""Kicks of sequences, as parts that are compiled into kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gpu_ls_plugin.core import checks

MOST_REMOVED = 63  # maximum number of items that a kick removes


class SequenceKick:
    """A change after which a chain descends again.

    Attributes
    ----------
    name : str
        Name in the registry.
    strength : int
        A number that the functor gets.
    """

    name: ClassVar[str]

    @property
    def functor(self) -> str:
        """The C++ type, as described in `sequences/kicks/destroy_repair.cuh`."""
        raise NotImplementedError

    @property
    def strength(self) -> int:
        """A number that the functor gets."""
        return 0

    def source(self) -> str:
        """Return the C++ text that defines the functor; empty if the package does."""
        return ""


@dataclass(frozen=True)
class DestroyRepair(SequenceKick):
    """Remove random items, then insert each at its best place: iterated greedy.

    Ruiz and Stützle (2007), and Dubois-Lacoste, Pagnozzi and Stützle (2017) for `descend`.

    Parameters
    ----------
    removed : int
        Number of items to remove, 1 to 63.
    descend : bool
        Whether to search the remaining sequence before the items are inserted again. It has no
        effect if the objective has no functor: functions in Python take complete sequences only.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or of another type.
    """

    removed: int = 4
    descend: bool = False

    name = "destroy_repair"

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "removed", least=1, most=MOST_REMOVED)
        checks.fields(self, checks.instance, "descend", kind=bool, wanted="bool")

    @property
    def functor(self) -> str:
        return f"gls::DestroyRepairKick<{str(self.descend).lower()}>"

    @property
    def strength(self) -> int:
        """Number of items to remove."""
        return self.removed

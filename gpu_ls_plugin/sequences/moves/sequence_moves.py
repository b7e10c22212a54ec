"""Moves of sequences, as parts that are compiled into kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.core import checks

MOST_LONGEST = constant("sequences/kernels/working_sequence.cuh", "kMostBlock")


class SequenceMove:
    """A kind of move: each look at an item makes the best move of the kind with that item.

    Attributes
    ----------
    name : str
        Name in the registry.
    header : str
        Path, within the package, of the file that defines the functor; empty if `source` does.
    search : str
        Registered name of the search that makes such moves.
    """

    name: ClassVar[str]
    header: ClassVar[str] = "sequences/moves/sequence_moves.cuh"
    search: ClassVar[str] = "sequence_search"

    @property
    def functor(self) -> str:
        """The C++ type, as described in `sequences/moves/sequence_moves.cuh`."""
        raise NotImplementedError

    def source(self) -> str:
        """Return the C++ text that defines the functor; empty if `header` does."""
        return ""


@dataclass(frozen=True)
class Insertion(SequenceMove):
    """Take a block of items out and insert it at its best place.

    Parameters
    ----------
    longest : int
        Maximum number of items in a block, 1 to 16.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `longest` is out of range or not an integer.
    """

    longest: int = 1

    name = "insertion"

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "longest", least=1, most=MOST_LONGEST)

    @property
    def functor(self) -> str:
        return f"gls::InsertionMove<{self.longest}>"


@dataclass(frozen=True)
class Swap(SequenceMove):
    """Swap two items."""

    name = "swap"

    @property
    def functor(self) -> str:
        return "gls::SwapMove"


@dataclass(frozen=True)
class Reversal(SequenceMove):
    """Reverse a part of the sequence."""

    name = "reversal"

    @property
    def functor(self) -> str:
        return "gls::ReversalMove"

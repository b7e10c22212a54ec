"""A kick of sequences that swaps two blocks."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.sequences.kicks.destroy_repair import SequenceKick


@dataclass(frozen=True)
class BlockSwap(SequenceKick):
    """Swap two adjacent blocks of random lengths: the double bridge of sequences.

    Martin, Otto and Felten (1991), for tours.

    Parameters
    ----------
    longest : int
        Maximum number of items of both blocks together, at least 2.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        The parameter is out of range or not an integer.
    """

    longest: int = 20

    name = "block_swap"

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "longest", least=2, most=checks.MOST_INT)

    @property
    def functor(self) -> str:
        return "gls::BlockSwapKick"

    @property
    def strength(self) -> int:
        """Maximum number of items of both blocks together."""
        return self.longest

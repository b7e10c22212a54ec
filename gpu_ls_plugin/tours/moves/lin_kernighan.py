"""The Lin-Kernighan neighbourhoods (Lin and Kernighan 1973)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.tours.moves.base import DEEPEST_EDGES, Neighbourhood

SHALLOWEST = 3
EXAMPLE = (5, 3, 1)


@dataclass(frozen=True)
class LinKernighan(Neighbourhood):
    """Chains of up to `depth` exchanges whose gains add up to more than nothing all the way.

    The first three exchanges are tried in breadth, with both choices of t4, so that depth 3 is
    sequential 3-opt; from there on the chain takes the best candidate. The tour is not changed
    before a gain is proven. Symmetric problems only.

    Parameters
    ----------
    depth : int
        Edges that may be exchanged, 3 to 12, on a GPU to 8.
    breadth : sequence of int
        Candidates tried as t3, as t5 and further on; beyond the second entry 1 is the only value.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not an integer.
    """

    depth: int = 5
    breadth: tuple[int, ...] = (5, 5, 1)

    name = "lin_kernighan"
    header = "tours/moves/lin_kernighan_move.cuh"

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "depth", least=SHALLOWEST, most=DEEPEST_EDGES)
        limits = {"least": 1, "most": checks.MOST_INT, "example": EXAMPLE}
        checks.fields(self, checks.integers, "breadth", **limits)
        if any(width != 1 for width in self.breadth[2:]):
            raise InvalidParameterError(
                f"breadth: {self.breadth} is wider than 1 beyond t5; use {EXAMPLE}"
            )

    @property
    def most_edges(self) -> int:
        """How many edges a chain exchanges at most."""
        return self.depth

    @property
    def deep(self) -> bool:
        """Whether moves exchange more than three edges."""
        return self.depth > SHALLOWEST

    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city."""
        return f"gls::LinKernighanMove<{self.depth}, {self._second}>"

    def first_breadth(self, degree: int) -> int:
        """Return how many of `degree` candidates are tried as t3."""
        return min(degree, self.breadth[0])

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return the 2-opt move, and three chains for each t5."""
        return 1 + 3 * min(degree, self._second)

    @property
    def _second(self) -> int:
        return self.breadth[1] if len(self.breadth) > 1 else 1


@dataclass(frozen=True)
class LinKernighanLead(LinKernighan):
    """As `LinKernighan`, but of each first step only the best chain goes beyond three exchanges.

    That is the one whose gains add up to most before it is closed, and it goes on only where no
    chain of up to three exchanges gains. Three times as many kicks a second as with
    `LinKernighan(5)`, on one core, and tours that are hardly longer: for a single tour in little
    time.

    Parameters
    ----------
    depth : int
        Edges that may be exchanged, 4 to 12, on a GPU to 8.
    breadth : sequence of int
        As of `LinKernighan`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not an integer.
    """

    name = "lin_kernighan_lead"
    header = "tours/moves/lin_kernighan_lead_move.cuh"

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "depth", least=SHALLOWEST + 1, most=DEEPEST_EDGES)
        super().__post_init__()

    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city."""
        return f"gls::LinKernighanLeadMove<{self.depth}, {self._second}>"

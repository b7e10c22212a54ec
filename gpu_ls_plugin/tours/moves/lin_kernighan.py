"""The Lin-Kernighan neighbourhoods (Lin and Kernighan 1973)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.tours.moves.base import DEEPEST_EDGES, Neighbourhood

SHALLOWEST = 3  # smallest depth; this many exchanges are tried in breadth
EXAMPLE = (5, 3, 1)  # breadths that messages recommend


@dataclass(frozen=True)
class LinKernighan(Neighbourhood):
    """Chains of up to `depth` exchanges whose partial sums of gains are all positive.

    A chain removes the edges (t1, t2), (t3, t4), ... and adds (t2, t3), (t4, t5), ... The first
    three exchanges are tried in breadth, with both neighbours of t3 as t4, so depth 3 is sequential
    3-opt. Beyond the third exchange, the chain follows only the best candidate. The tour changes
    only once a gain is certain (Lin and Kernighan 1973). Symmetric problems only.

    Parameters
    ----------
    depth : int
        Largest number of edges to exchange, 3 to 12 (on a GPU, 3 to 8).
    breadth : sequence of int
        Number of candidates tried as t3, t5, t7, ... Entries after the second must be 1.

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
                f"breadth: {self.breadth} has a number above 1 beyond t5; use {EXAMPLE}"
            )

    @property
    def most_edges(self) -> int:
        """Largest number of edges that a chain exchanges."""
        return self.depth

    @property
    def deep(self) -> bool:
        """Whether moves exchange more than three edges."""
        return self.depth > SHALLOWEST

    def functor(self, symmetric: bool) -> str:
        return f"gls::LinKernighanMove<{self.depth}, {self._second}>"

    def first_breadth(self, degree: int) -> int:
        """Return how many of `degree` candidates are tried as t3."""
        return min(degree, self.breadth[0])

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return how many chains continue a first step: one (2-opt), and 3 per candidate for t5."""
        return 1 + 3 * min(degree, self._second)

    @property
    def _second(self) -> int:
        return self.breadth[1] if len(self.breadth) > 1 else 1


@dataclass(frozen=True)
class LinKernighanLead(LinKernighan):
    """Like `LinKernighan`, but only the best chain of each first step exceeds three exchanges.

    The best chain is the one with the largest sum of gains before it is closed. It is extended
    only if no chain of up to three exchanges gains. On one core, a search makes three times as many
    kicks per second as with `LinKernighan(5)`, and its tours are hardly longer. Use it for a single
    tour if time is short.

    Parameters
    ----------
    depth : int
        Largest number of edges to exchange, 4 to 12 (on a GPU, 4 to 8).
    breadth : sequence of int
        See `LinKernighan`.

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
        return f"gls::LinKernighanLeadMove<{self.depth}, {self._second}>"

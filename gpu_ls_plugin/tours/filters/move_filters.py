"""The built-in filters; `header` of each filter defines its functor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.tours.candidates.base import check_sets
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.filters.base import Filter

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.candidates.base import Candidates
    from gpu_ls_plugin.tours.filters.base import Setting


@dataclass(frozen=True)
class Everything(Filter):
    """Keep all moves: the baseline for other filters."""

    name = "everything"

    def functor(self) -> str:
        return "gls::Everything"


@dataclass(frozen=True)
class Radius(Filter):
    """Keep moves whose new edges are all at most `r` long.

    Parameters
    ----------
    r : float
        Largest length of a new edge, in the unit of the problem's lengths; at least 0.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `r` is not a number of at least 0.
    """

    r: float

    name = "radius"
    header = "tours/filters/radius.cuh"
    opens = True

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "r", least=0)

    def functor(self) -> str:
        return "gls::Radius"

    def words(self, setting: Setting) -> list[Any]:
        """Return the longest allowed length."""
        return in_order(Radius.header, "ShortEdgeData", {"longest": self.r})


@dataclass(frozen=True)
class GainBound(Filter):
    """Drop moves that cannot improve the tour because one of their new edges is too long.

    Each end of a removed edge gets a new edge that is at least as long as the distance to the
    city's nearest neighbour. So a single long new edge can rule out a move. The filter drops no
    improving move, so the descent is the same as without it. In 3-opt the filter also rejects
    openings, since two of the removed edges can rule out all moves that remove both.
    """

    name = "gain_bound"
    header = "tours/filters/gain_bound.cuh"
    opens = True

    def functor(self) -> str:
        return "gls::GainBound"

    def rotations(self, edges: int) -> int:
        """Return 3 for 3-opt: an improving move may pass the test in only one rotation."""
        return 3 if edges > 2 else 1

    @property
    def candidate_sets(self) -> tuple[Nearest]:
        """The nearest neighbour of each city."""
        return (Nearest(1),)

    def words(self, setting: Setting) -> list[Any]:
        """Return the distance from each city to its nearest neighbour."""
        (nearest,) = self.candidate_sets
        lengths = nearest.of(setting.problem).lengths[:, 0]
        data = {"nearest": setting.backend.xp.asarray(lengths.astype(setting.dtype))}
        return in_order(GainBound.header, "GainBoundData", data)

    def state_words(self, n: int) -> int:
        """Return the number of 8-byte words of state: one per position, and one for the maximum."""
        return n + 1


@dataclass(frozen=True)
class InCandidates(Filter):
    """Keep moves whose new edges lead from a city to one of its candidates.

    An edge passes if at least one of its ends is a candidate of the other end.

    Parameters
    ----------
    candidates : Candidates or str
        Candidate lists, or their registered name.
    missing : int
        How many of the new edges, 0 or 1, need not lead to a candidate. With 1, the moves are
        those of a search on candidate lists, where the edge that closes the tour is free.

    Raises
    ------
    InvalidParameterError, InvalidTypeError, UnknownPartError
        `candidates` is neither a candidate set nor a known name, or `missing` is out of range.
    """

    candidates: Any = field(default_factory=Nearest)
    missing: int = 1

    name = "in_candidates"
    header = "tours/filters/in_candidates.cuh"
    opens = True

    def __post_init__(self) -> None:
        if isinstance(self.candidates, str):
            made = registry.lookup("candidates", self.candidates)()
            object.__setattr__(self, "candidates", made)
        check_sets(self, "candidates")
        checks.fields(self, checks.integer, "missing", least=0, most=1)

    def functor(self) -> str:
        return f"gls::InCandidates<{self.missing}>"

    def rotations(self, edges: int) -> int:
        """Return `missing` + 1 for 3-opt: one of any `missing` + 1 new edges passes the test."""
        return self.missing + 1 if edges > 2 else 1

    @property
    def candidate_sets(self) -> tuple[Candidates]:
        return (self.candidates,)

    def words(self, setting: Setting) -> list[Any]:
        """Return the lists, each city's distance to its farthest candidate, and the list length."""
        cities, _, degree = self.candidates.on(setting.backend, setting.problem)
        reach = self.candidates.of(setting.problem).lengths.max(axis=1).astype("float64")
        data = {"cities": cities, "reach": setting.backend.xp.asarray(reach), "degree": degree}
        return in_order(InCandidates.header, "CandidateEdgeData", data)


@dataclass(frozen=True)
class DontLook(Filter):
    """Keep moves that remove an edge at a city that is awake (Bentley 1992).

    All cities are awake at first. After a complete evaluation, only the ends of kept moves that
    gain stay awake. An applied move wakes the ends of the edges that it changes.
    """

    name = "dont_look"
    header = "tours/filters/dont_look.cuh"

    def functor(self) -> str:
        return "gls::DontLook"

    def state_words(self, n: int) -> int:
        """Return the number of 8-byte words of state: two bytes per city, rounded up."""
        return (2 * n + 7) // 8


@dataclass(frozen=True)
class RandomKeep(Filter):
    """Keep each move with a given probability, drawn again in each pass (Schulz 2013, section 7).

    Parameters
    ----------
    rate : float
        Probability of keeping a move, 0 to 1.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `rate` is not a number between 0 and 1.
    """

    rate: float = 0.25

    name = "random_keep"
    header = "tours/filters/random_keep.cuh"

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "rate", least=0, most=1)

    def functor(self) -> str:
        return "gls::RandomKeep"

    def words(self, setting: Setting) -> list[Any]:
        """Return the seed, and the probability times 2**32."""
        data = {"seed": setting.seed, "kept": round(self.rate * 2**32)}
        return in_order(RandomKeep.header, "RandomKeepData", data)

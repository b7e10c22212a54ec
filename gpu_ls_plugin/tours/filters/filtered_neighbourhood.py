"""Complete neighbourhoods of which a filter lets moves through (Schulz 2013, section 7)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.tours.filters.base import Filter
from gpu_ls_plugin.tours.filters.lengths import GainBound
from gpu_ls_plugin.tours.moves.base import Neighbourhood
from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt, TwoOpt

MODES = ("auto", "masked", "fused", "openings")
# The C++ type of each mapping, and the neighbourhoods that it serves.
MAPPINGS: dict[str, tuple[str, tuple[type[Neighbourhood], ...]]] = {
    "roots": ("gls::Roots", (TwoOpt, ThreeOpt)),
    "lexicographic": ("gls::Lexicographic", (TwoOpt, ThreeOpt)),
    "cut_triangle": ("gls::CutTriangle", (TwoOpt,)),
}


@dataclass(frozen=True)
class FilteredNeighbourhood(Neighbourhood):
    """All moves of a complete neighbourhood that a filter keeps.

    With `Best()` a pass takes the best move of all that are kept, with `First()` the best of the
    first part of the neighbourhood that has an improving one. Candidate lists of the search, where
    it has any, are one more filter: `InCandidates`.

    Parameters
    ----------
    neighbourhood : Neighbourhood or str
        `TwoOpt()`, or `ThreeOpt()`: here the four pure reconnections of every three edges, among
        which are all 2-opt moves.
    filter : Filter or str
        Which moves are evaluated; see `gpu_ls_plugin.tours.filters`.
    mode : str
        How the kept moves are evaluated. "masked": each lane tests its move. "fused": lanes append
        the moves that they keep to a queue of their warp. "openings": moves one of whose positions
        is open are tested first, and only those that pass are enumerated. "auto" chooses.
    mapping : str
        From the number of a move to its positions: "roots", "lexicographic" or "cut_triangle"
        (2-opt). "openings" needs none.

    Notes
    -----
    Mode and mapping do not change which move `Best()` takes. With `First()`, the parts of the
    neighbourhood are of consecutive openings or numbers, and so depend on them.

    Raises
    ------
    InvalidParameterError, InvalidTypeError, UnknownPartError
        A part is of the wrong kind or unknown, or they do not go together.
    """

    # A name is replaced by the part that it stands for.
    neighbourhood: Any = field(default_factory=TwoOpt)
    filter: Any = field(default_factory=GainBound)
    mode: str = "auto"
    mapping: str = "roots"

    name = "filtered_neighbourhood"
    alone = True

    def __post_init__(self) -> None:
        for kind in ("neighbourhood", "filter"):
            given = getattr(self, kind)
            if isinstance(given, str):
                object.__setattr__(self, kind, registry.lookup(kind, given)())
        if not isinstance(self.neighbourhood, (TwoOpt, ThreeOpt)):
            raise InvalidTypeError(
                f"neighbourhood: {self.neighbourhood!r} cannot be filtered, only TwoOpt() and "
                "ThreeOpt() can"
            )
        wanted = "filter, such as GainBound()"
        checks.fields(self, checks.instance, "filter", kind=Filter, wanted=wanted)
        checks.fields(self, checks.choice, "mode", known=MODES)
        checks.fields(self, checks.text, "mapping")
        fitting = [m for m, (_, kinds) in MAPPINGS.items() if type(self.neighbourhood) in kinds]
        if self.mapping not in fitting:
            raise InvalidParameterError(
                f"mapping: {self.mapping!r} is not a mapping of {self.neighbourhood.name}; "
                f"those are {', '.join(fitting)}"
            )

    @property
    def edges(self) -> int:
        """How many edges a move takes out."""
        return 2 if isinstance(self.neighbourhood, TwoOpt) else 3

    def functor(self, symmetric: bool) -> str:
        """Raise: a complete neighbourhood has no moves at a city."""
        raise InvalidParameterError(f"neighbourhoods: {self!r} is searched alone, not in a list")

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return what the neighbourhood does."""
        return int(self.neighbourhood.variants(degree, symmetric))

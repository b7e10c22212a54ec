"""Complete neighbourhoods with a filter (Schulz 2013, section 7)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.core.former_parts import RemovedValue, present_value
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.tours.filters.base import Filter
from gpu_ls_plugin.tours.filters.move_filters import GainBound
from gpu_ls_plugin.tours.moves.base import Neighbourhood
from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt, TwoOpt

MODES = ("auto", "masked", "fused", "openings")
# The C++ type of each mapping and the neighbourhoods that can use it.
MAPPINGS: dict[str, tuple[str, tuple[type[Neighbourhood], ...]]] = {
    "roots": ("gls::Roots", (TwoOpt, ThreeOpt)),
    "lexicographic": ("gls::Lexicographic", (TwoOpt, ThreeOpt)),
    "cut_triangle": ("gls::CutTriangle", (TwoOpt,)),
}
# Removed values by parameter; docs/papers/paper000.md has the measurements.
REMOVED = {
    "mode": {"compact": RemovedValue("auto", "'fused' and 'openings' are faster")},
    "mapping": {
        "bisection": RemovedValue("roots", "'roots' is faster"),
        "newton": RemovedValue("roots", "'roots' is faster"),
        "table": RemovedValue("roots", "it needs memory for each triple"),
    },
}


@dataclass(frozen=True)
class FilteredNeighbourhood(Neighbourhood):
    """The moves of a complete neighbourhood that a filter keeps.

    This follows Schulz (2013, section 7). With `Best()`, a pass applies the best of all kept moves.
    With `First()`, a pass evaluates the neighbourhood in portions and applies the best move of the
    first portion that has an improving move. If the search has candidate lists, they act as one
    more filter, `InCandidates`.

    Parameters
    ----------
    neighbourhood : Neighbourhood or str
        `TwoOpt()` or `ThreeOpt()`. The latter stands for the four pure reconnections of any three
        edges. They include all 2-opt moves, since two of the edges may be neighbours.
    filter : Filter or str
        Decides which moves are evaluated.
    mode : str
        How kept moves are evaluated. "masked": each lane tests one move and evaluates it if it is
        kept. "fused": lanes append kept moves to a queue of their warp, and evaluate them once
        the queue has a move for each lane. "openings": moves with one open position are tested
        first, and only those that pass are completed. "auto": the search chooses the mode.
    mapping : str
        How positions are computed from the number of a move: "roots", "lexicographic" or
        "cut_triangle" (2-opt only). The mode "openings" uses no mapping.

    Notes
    -----
    Mode and mapping do not change the moves that `Best()` applies. They change the moves that
    `First()` applies, since they determine the order in which moves are evaluated, and so the
    moves of each portion.

    Raises
    ------
    InvalidParameterError, InvalidTypeError, UnknownPartError
        A parameter is of the wrong kind or unknown, or `neighbourhood` does not support `mapping`.
    """

    # If a name is passed, the constructor replaces it with an instance.
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
                f"neighbourhood: {self.neighbourhood!r} cannot be filtered; use TwoOpt() or "
                "ThreeOpt()"
            )
        wanted = "filter, such as GainBound()"
        checks.fields(self, checks.instance, "filter", kind=Filter, wanted=wanted)
        for parameter, removed in REMOVED.items():
            checks.fields(self, present_value, parameter, removed=removed)
        checks.fields(self, checks.choice, "mode", known=MODES)
        checks.fields(self, checks.text, "mapping")
        fitting = [m for m, (_, kinds) in MAPPINGS.items() if type(self.neighbourhood) in kinds]
        if self.mapping not in fitting:
            raise InvalidParameterError(
                f"mapping: {self.mapping!r} is not a mapping of {self.neighbourhood.name}; "
                f"use one of {', '.join(fitting)}"
            )

    @property
    def edges(self) -> int:
        """Number of edges that a move removes."""
        return 2 if isinstance(self.neighbourhood, TwoOpt) else 3

    def functor(self, symmetric: bool) -> str:
        """Raise, since a complete neighbourhood has no moves at a city."""
        raise InvalidParameterError(f"neighbourhoods: {self!r} is searched alone, not in a list")

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return the number of moves of the complete neighbourhood that share a first step."""
        return int(self.neighbourhood.variants(degree, symmetric))

"""Search of parts of tours: all at the same time, each by several chains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.budget import NO_LIMIT, Stopwatch
from gpu_ls_plugin.objectives.under import searched
from gpu_ls_plugin.searches.chains.chain_kernel import (
    TOUR_PART,
    ChainState,
    chain_kernel,
)

if TYPE_CHECKING:
    from gpu_ls_plugin.acceptance import Acceptance
    from gpu_ls_plugin.neighbourhoods.composed import CandidateMoves
    from gpu_ls_plugin.perturbations import Perturbation
    from gpu_ls_plugin.searches.chains.start import Start
    from gpu_ls_plugin.tours.tour_layouts import ChainShape


@dataclass(frozen=True)
class TourParts:
    """Parts as small problems, whose cities have numbers of their own.

    Attributes
    ----------
    sizes : array, shape (K,), int32
        Cities of each part; rows of the other arrays are filled up to them.
    names : array, shape (K, m), int32
        The cities' numbers in the whole problem.
    mates : array, shape (K, m), int32
        The other end of each city's fixed edge, the city itself where it has none.
    near, near_lengths : arrays, shape (K, m, degree)
        Candidates, in the form of `CandidateMoves.arguments`.
    """

    sizes: Any
    names: Any
    mates: Any
    near: Any
    near_lengths: Any

    @classmethod
    def empty(cls, xp: Any, count: int, stride: int, arguments: dict[str, Any]) -> TourParts:
        """Return memory for parts of up to `stride` cities of a problem with such arguments."""
        near, lengths = (
            None if lists is None else xp.empty((count, stride, arguments["degree"]), lists.dtype)
            for lists in (arguments["candidates"], arguments["candidate_lengths"])
        )
        names, mates = (xp.empty((count, stride), "int32") for _ in range(2))
        return cls(xp.empty(count, "int32"), names, mates, near, lengths)


class PartSearch:
    """Chains on parts, in one launch.

    Parameters
    ----------
    start, accept
        As for chains on whole tours.
    parts : CandidateMoves
        Neighbourhoods and candidates of the whole problem.
    perturbation : Perturbation
    size : int
        Most cities of a part: m.
    layout : ChainShape
        Who holds a chain, and where.
    """

    def __init__(
        self,
        start: Start,
        accept: Acceptance,
        parts: CandidateMoves,
        perturbation: Perturbation,
        size: int,
        layout: ChainShape,
    ) -> None:
        self._start, self._accept = start, accept
        self._neighbourhoods = len(parts.moves.names)
        self._shared_bytes = layout.shared_bytes(size)
        self._kernel = chain_kernel(
            searched(start.problem), parts.moves, perturbation, accept, layout, TOUR_PART
        )
        self._arguments: dict[str, Any] = {
            **parts.arguments,
            "stride": size,
            "ahead": layout.ahead(parts.steps),
            "seed": start.seed,
            "max_moves": NO_LIMIT,
            "patience": 0,
            "scratch": None,
        }

    def run(
        self,
        cut: TourParts,
        rings: Any,
        units: Any,
        *,
        kicks: int,
        level: float,
        fall: float,
        window: int,
        first_row: int,
        seconds: float = math.inf,
        step: int = NO_LIMIT,
    ) -> ChainState:
        """Return chains that have gone on from tours of the parts.

        Parameters
        ----------
        cut : TourParts
        rings : array of the backend, shape (K * R, m), int32
            Tours of R chains for each part; changed.
        units : array of the backend, shape (K * R,), float32
            Length for which 1 stands in `level`.
        kicks : int
            Of each chain.
        level : float
            Of the acceptance rule.
        fall : float
            Of the level, over all kicks.
        window : int
            As `Perturbation.window` returns it.
        first_row : int
            Row r has the random numbers of row `first_row` + r.
        seconds : float
            After which no launch begins, and a CPU ends one.
        step : int
            Kicks of a launch, at most.

        Returns
        -------
        ChainState
            Its costs are counted from those of `rings`.
        """
        rises = self._start.backend.xp.zeros(len(rings), self._start.problem.cost_dtype)
        state, watch, done = self.begin(rings, rises, units), Stopwatch.of(seconds), 0
        while done < kicks and watch.left > 0:
            done = min(kicks, done + step)
            self.advance(
                cut,
                state,
                until=done,
                heat=level,
                cooling=fall / kicks,
                window=window,
                first_row=first_row,
                seconds=watch.left,
            )
            if done < kicks:
                state.kicks.max().item()  # waits: launches only queue
        return state

    def begin(self, rings: Any, costs: Any, units: Any) -> ChainState:
        """Return chains on tours of the parts, of such costs, before their first kick."""
        return ChainState(
            self._start.backend.xp,
            rings,
            costs,
            units,
            current_is_best=self._accept.never_worse,
            neighbourhoods=self._neighbourhoods,
        )

    def advance(
        self,
        cut: TourParts,
        state: ChainState,
        *,
        until: int,
        heat: float,
        cooling: float,
        window: int,
        first_row: int,
        seconds: float,
    ) -> None:
        """Queue one launch, in which chains go on to kick number `until`.

        The acceptance rule's level is ``heat - cooling * kick``.
        """
        self._start.backend.launch(
            self._kernel,
            len(state.tours),
            {
                **self._arguments,
                **state.state_arguments,
                "first_row": first_row,
                "window": window,
                "heat": heat,
                "cooling": cooling,
                "candidates": cut.near,
                "candidate_lengths": cut.near_lengths,
                "replicas": len(state.tours) // len(cut.sizes),
                "sizes": cut.sizes,
                "names": cut.names,
                "mates": cut.mates,
                "until": until,
            },
            shared_bytes=self._shared_bytes,
            seconds=seconds,
        )

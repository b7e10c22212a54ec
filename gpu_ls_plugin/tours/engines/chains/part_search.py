"""Search of parts of tours: all at the same time, each by several chains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.budget import NO_LIMIT, Stopwatch
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.acceptance import Acceptance
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.tours.engines.chains.chain_kernel import TOUR_PART, ChainState, chain_kernel
from gpu_ls_plugin.tours.engines.chains.rounds import Rounds
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.engines.chains.start import Start
    from gpu_ls_plugin.tours.kernels.tour_layouts import ChainShape
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves


@dataclass(frozen=True)
class TourParts:
    """Parts as small problems, whose cities have numbers of their own."""

    sizes: Any  # (K,) int32, cities; rows of the other arrays are filled up to them
    names: Any  # (K, m) int32, the cities' numbers in the whole problem
    mates: Any  # (K, m) int32, the other end of a city's fixed edge, or the city itself
    near: Any  # (K, m, degree), candidates in the form of `CandidateMoves.arguments`
    near_lengths: Any  # of the same shape

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
    """Chains on parts of at most `size` cities, in one launch; `parts` are of the whole problem."""

    def __init__(
        self,
        start: Start,
        accept: Acceptance,
        parts: CandidateMoves,
        perturbation: Perturbation,
        size: int,
        layout: ChainShape,
    ) -> None:
        self.start, self.accept = start, accept
        self.neighbourhoods = len(parts.moves.names)
        self.shared_bytes = layout.shared_bytes(size)
        self.kernel = chain_kernel(
            search_metric(start.problem), parts.moves, perturbation, accept, layout, TOUR_PART
        )
        self.neighbours = parts.neighbours
        self.arguments: dict[str, Any] = {
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
            Tours of R chains for each part; changed. Costs are counted from theirs.
        units : array of the backend, shape (K * R,), float32
            Length for which 1 stands in `level`.
        level : float
            Of the acceptance rule at first; it falls to 0 along a line over all kicks.
        window : int
            As `Perturbation.window` returns it.
        first_row : int
            Row r has the random numbers of row `first_row` + r.
        seconds : float
            After which no launch begins, and a CPU ends one.
        step : int
            Kicks of the first launch.
        """
        rises = self.start.backend.xp.zeros(len(rings), self.start.problem.cost_dtype)
        chains = PartChains(self, cut, rings, rises, units, window, first_row, step)
        chains.accept = _Falling(level)
        rounds, watch = Rounds(chains, Statistics()), Stopwatch.of(seconds)
        if drive(rounds, Stretch(kicks=kicks), watch=watch) == "interrupt":
            raise KeyboardInterrupt
        return chains


class PartChains(ChainState):
    """Chains on tours of parts, of certain costs, before their first kick; see `PartSearch.run`."""

    def __init__(
        self,
        search: PartSearch,
        cut: TourParts,
        rings: Any,
        costs: Any,
        units: Any,
        window: int,
        first_row: int,
        step: int,
    ) -> None:
        accept = search.accept
        self.start, self.accept, self._search, self._step = search.start, accept, search, step
        super().__init__(
            search.start.backend.xp,
            rings,
            costs,
            units,
            current_is_best=accept.never_worse,
            neighbourhoods=search.neighbourhoods,
        )
        self._arguments = {
            **search.arguments,
            **self.state_arguments,
            "first_row": first_row,
            "window": window,
            "candidates": cut.near,
            "candidate_lengths": cut.near_lengths,
            "replicas": len(rings) // len(cut.sizes),
            "sizes": cut.sizes,
            "names": cut.names,
            "mates": cut.mates,
        }

    def advance(self, until: int, heat: float, cooling: float, seconds: float) -> None:
        """Queue one launch, in which chains go on to kick number `until`.

        The acceptance rule's level is ``heat - cooling * kick``.
        """
        search = self._search
        search.start.backend.launch(
            search.kernel,
            len(self.tours),
            {**self._arguments, "until": until, "heat": heat, "cooling": cooling},
            shared_bytes=search.shared_bytes,
            seconds=seconds,
        )

    def behind(self, until: int) -> bool:
        """Return whether a chain has kicks left; waits for the launches."""
        return bool((self.kicks < until).any())

    def first_kicks(self) -> int:
        """Return the kicks of the first launch."""
        return self._step

    def moves_per_look(self) -> int:
        """Return how many moves looking at one city stands for."""
        return self._search.neighbours


class _Falling(Acceptance):
    """A level that falls to 0 along a line."""

    def __init__(self, level: float) -> None:
        self._level = level

    def level(self, progress: float) -> float:
        return self._level - self._level * progress

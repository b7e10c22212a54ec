"""Chains on parts of tours; several chains may search the same part."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.budget import NO_LIMIT, Stopwatch
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.acceptance import Acceptance
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.tours.engines.chains.chain_kernel import ChainState, chain_kernel
from gpu_ls_plugin.tours.engines.chains.rounds import Rounds
from gpu_ls_plugin.tours.engines.scopes import TOUR_PART
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.engines.chains.start import Start
    from gpu_ls_plugin.tours.kernels.tour_layouts import ChainShape
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves


@dataclass(frozen=True)
class TourParts:
    """Parts of tours, as small problems that number their cities from 0."""

    sizes: Any  # (K,) int32, number of cities of each part; the rest of its row is unused
    names: Any  # (K, m) int32, number of each city in the whole problem
    mates: Any  # (K, m) int32, the other end of a city's fixed edge, or the city itself
    near: Any  # (K, m, degree), candidates in the form of `CandidateMoves.arguments`, or None
    near_lengths: Any  # (K, m, degree), lengths to the candidates, or None

    @classmethod
    def empty(cls, xp: Any, count: int, stride: int, arguments: dict[str, Any]) -> TourParts:
        """Allocate `count` parts of up to `stride` cities; see `CandidateMoves.arguments`."""
        near, lengths = (
            None if lists is None else xp.empty((count, stride, arguments["degree"]), lists.dtype)
            for lists in (arguments["candidates"], arguments["candidate_lengths"])
        )
        names, mates = (xp.empty((count, stride), "int32") for _ in range(2))
        return cls(xp.empty(count, "int32"), names, mates, near, lengths)


class PartSearch:
    """The kernel of chains on parts of at most `size` cities, and its arguments.

    `parts` are the moves and candidates of the whole problem.
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
        """Run chains on tours of parts, and return the chains.

        Parameters
        ----------
        cut : TourParts
            The K parts.
        rings : array of the backend, shape (K * R, m), int32
            Initial tours of R chains for each part; the chains change them. Costs are relative to
            those of the initial tours.
        units : array of the backend, shape (K * R,), float32
            Length that corresponds to an acceptance level of 1, for each chain.
        kicks : int
            Number of kicks of each chain.
        level : float
            Initial level of the acceptance rule; the level falls linearly to 0.
        window : int
            Window of kicks, from `Perturbation.window`.
        first_row : int
            Chain r uses the random numbers of row `first_row` + r.
        seconds : float
            No launch begins after this time; a CPU also stops within a launch.
        step : int
            Maximum number of kicks of each chain in the first launch.
        """
        rises = self.start.backend.xp.zeros(len(rings), self.start.problem.cost_dtype)
        chains = PartChains(self, cut, rings, rises, units, window, first_row, step)
        chains.accept = _Falling(level)
        rounds, watch = Rounds(chains, Statistics()), Stopwatch.of(seconds)
        if drive(rounds, Stretch(kicks=kicks), watch=watch) == "interrupt":
            raise KeyboardInterrupt
        return chains


class PartChains(ChainState):
    """Chains on tours of parts; for the parameters, see `PartSearch.run`.

    `costs` (K * R,) are the costs of `rings`.
    """

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
        self._kernel, self._shared_bytes = search.kernel, search.shared_bytes
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

    def first_kicks(self) -> int:
        """Return the number of kicks of the first launch."""
        return self._step

    def moves_per_look(self) -> int:
        """Return how many moves a look at a city evaluates."""
        return self._search.neighbours


class _Falling(Acceptance):
    """A schedule whose level falls linearly to 0."""

    def __init__(self, level: float) -> None:
        self._level = level

    def level(self, progress: float) -> float:
        return self._level - self._level * progress

"""Chains of kicks in progress: what the loop of an iterated search drives."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, partial
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.evaluation import tour_costs
from gpu_ls_plugin.budget import Stopwatch
from gpu_ls_plugin.candidates import Nearest
from gpu_ls_plugin.construction.random_tours import shuffle
from gpu_ls_plugin.cooperation.contraction import Contraction
from gpu_ls_plugin.neighbourhoods import TwoOpt
from gpu_ls_plugin.neighbourhoods.composed import Composed
from gpu_ls_plugin.recombination.edge_assembly import Population
from gpu_ls_plugin.searches.chains import chain_layouts
from gpu_ls_plugin.searches.chains.chain_kernel import (
    NO_LIMIT,
    ChainState,
    chain_kernel,
    chain_layout,
)
from gpu_ls_plugin.searches.chains.part_search import PartSearch
from gpu_ls_plugin.tours import tour_layouts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.acceptance import Acceptance
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.cooperation.cooperation import EliteEdges
    from gpu_ls_plugin.perturbations import DoubleBridge
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.result import Statistics
    from gpu_ls_plugin.searches.local_search import LocalSearch

RESTART_STREAM = 2**40  # rows of random tours that belong to one round of restarts


@dataclass(frozen=True)
class Start:
    """Where chains begin.

    Attributes
    ----------
    backend : Backend
    problem : TSP
    tours : array of the backend, shape (P, n), int32
        Local optima; changed in place.
    seed, first_row : int
        Row r of the batch has the random numbers of row `first_row` + r.
    max_moves : int
        Moves after which a chain stops.
    moves : array of the backend, shape (P,), int64
        Moves that each has made already.
    moves_by : array of the backend, shape (K,), int64
        The same by neighbourhoods, of all together, where there are several.
    """

    backend: Backend
    problem: TSP
    tours: Any
    seed: int
    first_row: int = 0
    max_moves: int = NO_LIMIT
    moves: Any = 0
    moves_by: Any = 0


class Chains(ChainState, ABC):
    """A batch of chains; each goes on from its current tour and keeps the best.

    Parameters
    ----------
    start : Start
    accept : Acceptance
    patience : int, optional
        Kicks without a new best after which a chain waits for a restart.
    parts : Composed, optional
        Neighbourhoods and candidates on the backend.
    neighbourhoods : int
        That moves are counted by.

    Attributes
    ----------
    divisible : bool
        Whether launches may end anywhere without a difference to the result.
    """

    divisible: ClassVar[bool] = True

    def __init__(
        self,
        start: Start,
        accept: Acceptance,
        patience: int | None,
        parts: Composed | None = None,
        neighbourhoods: int = 1,
    ) -> None:
        self.start, self.accept, self.patience = start, accept, patience or 0
        self._parts = parts
        costs = tour_costs(start.backend, start.problem, start.tours)
        units = (costs / start.problem.n).astype("float32")
        super().__init__(
            start.backend.xp,
            start.tours,
            costs,
            units,
            current_is_best=self.current_is_best,
            neighbourhoods=neighbourhoods,
        )
        self.moves += start.moves
        self.moves_by += start.moves_by
        self.restarts = start.backend.xp.zeros(len(self.tours), "int64")

    @property
    def current_is_best(self) -> bool:
        """Whether a chain's current tour is always its best one."""
        return self.accept.never_worse and not self.patience

    @cached_property
    def population(self) -> Population:
        """What crosses the best tours; on the nearest cities where the search has no lists."""
        start, parts = self.start, self._parts
        if parts is None:
            parts = Composed(start.backend, start.problem, [TwoOpt()], Nearest(8))
        return Population(start.backend, start.problem, parts, start.seed, len(self.tours))

    @abstractmethod
    def advance(self, until: int, heat: float, cooling: float, seconds: float) -> None:
        """Let every chain go on to kick number `until`, if it is begun within `seconds`.

        The acceptance rule's level is ``heat - cooling * kick``.
        """

    @abstractmethod
    def first_kicks(self) -> int:
        """Return a number of kicks that surely takes less than a launch should."""

    @abstractmethod
    def moves_per_look(self) -> int:
        """Return how many moves looking at one city stands for."""

    def work_where_differing(
        self, elite: Any, limits: EliteEdges, level: float, seconds: float, kicks: int
    ) -> int:
        """Let each chain go on for a while where its tour differs from elite ones.

        Nothing happens where chains are driven from the host, or work on parts anyway.

        Parameters
        ----------
        elite : integer array
            Rows of the best tours.
        limits : EliteEdges
            Of the cities that may remain, and of the kicks for each.
        level : float
            Of the acceptance rule.
        seconds : float
            That may be spent, about.
        kicks : int
            That each chain may make.

        Returns
        -------
        int
            Kicks that each chain has made.
        """
        return 0

    def behind(self, until: int) -> bool:
        """Return whether a chain has kicks and moves left; waits for the launches."""
        return bool(((self.kicks < until) & (self.moves < self.start.max_moves)).any())

    def take(self, rows: Any, others: Any) -> None:
        """Let the chains `rows` go on from the best tours of the chains `others`."""
        for mine, best in ((self.tours, self.best_tours), (self.costs, self.best_costs)):
            mine[rows] = best[others]
            if mine is not best:
                best[rows] = mine[rows]
        self.idle[rows] = 0

    def keep_best(self) -> Any:
        """Keep current tours that are cheaper than the best so far; return which are."""
        leads = self.costs < self.best_costs
        self.best_costs[leads] = self.costs[leads]
        if self.best_tours is not self.tours:
            self.best_tours[leads] = self.tours[leads]
        return leads

    def restart_stalled(self, search: LocalSearch, seconds: float = math.inf) -> None:
        """Let chains without a new best for `patience` kicks go on from random local optima."""
        if self.patience:
            (rows,) = self.start.backend.xp.nonzero(self.idle >= self.patience)
            self.restart(search, rows, seconds)

    def restart(self, search: LocalSearch, rows: Any, seconds: float = math.inf) -> None:
        """Let some chains go on from random local optima; their best tours are kept.

        Parameters
        ----------
        search : LocalSearch
        rows : integer array
            Ascending.
        seconds : float
            After which nothing more happens.
        """
        if not len(rows):
            return
        backend, problem, seed = self.start.backend, self.start.problem, self.start.seed
        watch, rounds = Stopwatch.of(seconds), backend.to_numpy(self.restarts[rows])
        for number in sorted(set(rounds.tolist())):
            mine = rows[backend.xp.asarray(rounds == number)]
            first = self.start.first_row + (number + 1) * RESTART_STREAM
            fresh = shuffle(backend, problem.n, len(self.tours), seed, first)
            found = self.searched(search, fresh, mine, seed, watch.left)
            if found is None:
                return
            self.tours[mine], self.costs[mine], _ = found
            self.restarts[mine] += 1
            self.idle[mine] = 0
        self.keep_best()

    def searched(
        self, search: LocalSearch, fresh: Any, rows: Any, seed: int, seconds: float
    ) -> tuple[Any, Any, Statistics] | None:
        """Search some rows from tours of their own; how many there are makes no difference.

        Parameters
        ----------
        search : LocalSearch
        fresh : array, shape (P, n), int32
            Where each row begins.
        rows : integer array, shape (R,)
            Ascending; the only ones that are searched.
        seed : int
        seconds : float
            That may be spent.

        Returns
        -------
        (tours, costs, statistics)
            Of those rows; None where they have not become local optima in the time.
        """
        return self._found(search, fresh[rows], seed, 0, seconds)

    def _found(
        self, search: LocalSearch, begin: Any, seed: int, first: int, seconds: float
    ) -> tuple[Any, Any, Statistics] | None:
        """Search tours that have the numbers of the rows from `first` on."""
        backend, first_row = self.start.backend, self.start.first_row + first
        found = search(
            self.start.problem,
            begin,
            seed=seed,
            budget=Stopwatch.of(seconds).budget,
            backend=backend,
            first_row=first_row,
        )
        if found.statistics.interrupted:  # which the search has taken for its own
            raise KeyboardInterrupt
        if found.statistics.stopped_by == "seconds":
            return None
        xp = backend.xp
        return xp.asarray(found.tours), xp.asarray(found.costs), found.statistics


class FusedChains(Chains):
    """Chains of one kernel: kick, repair, accept or undo, without a step back to the host.

    Parameters
    ----------
    start, accept, patience
        As for all chains.
    parts : Composed
        Neighbourhoods and candidates on the backend.
    perturbation : DoubleBridge
    """

    _parts: Composed

    def __init__(
        self,
        start: Start,
        accept: Acceptance,
        patience: int | None,
        parts: Composed,
        perturbation: DoubleBridge,
    ) -> None:
        super().__init__(start, accept, patience, parts, len(parts.moves.names))
        backend, problem, (size, n) = start.backend, start.problem, start.tours.shape
        self._perturbation = perturbation
        rule = partial(chain_layouts.chain_shape, tours=-(-size // backend.processors))
        layout = chain_layout(backend, parts, n, rule)
        self._kernel = chain_kernel(problem.metric, parts.moves, perturbation.cuts, accept, layout)
        self._shared_bytes, scratch = layout.shared_bytes(n), None
        if not layout.in_shared:
            scratch = backend.xp.empty((size, tour_layouts.chain_bytes(n, 4)), "uint8")
        self._arguments: dict[str, Any] = {
            **parts.arguments,
            **self.state_arguments,
            "ahead": layout.ahead(parts.steps),
            "seed": start.seed,
            "first_row": start.first_row,
            "max_moves": start.max_moves,
            "patience": self.patience,
            "window": perturbation.window(n),
            "scratch": scratch,
            "total": n,
            "replicas": 1,
            "part_sizes": None,
            "part_names": None,
            "part_mates": None,
        }

    @staticmethod
    def bytes_per_tour(n: int) -> int:
        """Return the device memory of one chain in bytes."""
        return 8 * n + tour_layouts.chain_bytes(n, 4) + 128

    def advance(self, until: int, heat: float, cooling: float, seconds: float) -> None:
        """Queue one launch."""
        self.start.backend.launch(
            self._kernel,
            len(self.tours),
            {**self._arguments, "until": until, "heat": heat, "cooling": cooling},
            shared_bytes=self._shared_bytes,
            seconds=seconds,
        )

    def work_where_differing(
        self, elite: Any, limits: EliteEdges, level: float, seconds: float, kicks: int
    ) -> int:
        """Let each chain go on for a while where its tour differs from elite ones."""
        if kicks <= 0 or seconds <= 0:
            return 0
        backend = self.start.backend
        contraction = Contraction(backend, self.tours, self.best_tours[elite])
        remaining, size = float(contraction.sizes.mean()), int(contraction.sizes.max())
        kicks = min(kicks, max(1, round(limits.kicks_per_city * remaining)))
        layout = chain_layout(backend, self._parts, size, chain_layouts.contracted_shape)
        if remaining > limits.most * self.start.problem.n or layout is None:
            return 0
        search = PartSearch(self.start, self.accept, self._parts, self._perturbation, size, layout)
        rings = backend.xp.empty((len(self.tours), size), "int32")
        rings[:] = backend.xp.arange(size, dtype="int32")
        found = search.run(
            contraction.cut(self._parts),
            rings,
            self.units,
            kicks=kicks,
            level=level,
            fall=0.0,
            window=self._perturbation.window(size),
            first_row=self.start.first_row + (int(self.kicks.max()) << 32),
            seconds=seconds,
            step=self.first_kicks(),
        )
        best_costs = self.costs + found.best_costs
        leads = best_costs < self.best_costs
        if self.best_tours is not self.tours:
            self.best_tours[leads] = contraction.expand(found.best_tours)[leads]
        self.best_costs[leads] = best_costs[leads]
        self.tours[:] = contraction.expand(found.tours)  # of which it is a contraction: last
        self.costs += found.costs
        self.kicks += found.kicks
        self.accepted += found.accepted
        self.looks += found.looks
        self.moves += found.moves
        self.moves_by += found.moves_by
        self.idle[leads] = 0
        return int(found.kicks.max())

    def first_kicks(self) -> int:
        """Return a number of kicks that surely takes less than a launch should."""
        backend = self.start.backend
        seconds = chain_layouts.SECONDS_PER_KICK[backend.name] * -(
            -len(self.tours) // backend.processors
        )
        return max(1, int(tuning.LAUNCH_SECONDS / seconds))

    def moves_per_look(self) -> int:
        """Return how many moves looking at one city stands for."""
        return self._parts.neighbours


class SteppedChains(Chains):
    """Chains of any search and perturbation, kick by kick from the host.

    Parameters
    ----------
    start, accept, patience
        As for all chains.
    search : LocalSearch
    perturbation
        Has ``perturb(problem, tours, seed=, backend=)``, and ``first_row=`` where the kick of a row
        depends on its number.
    """

    def __init__(
        self,
        start: Start,
        accept: Acceptance,
        patience: int | None,
        search: LocalSearch,
        perturbation: Any,
    ) -> None:
        super().__init__(start, accept, patience, neighbourhoods=len(search.neighbourhoods))
        self._search, self._perturbation = search, perturbation
        self._numbered = {"first_row": start.first_row}
        try:
            signature(perturbation.perturb).bind(None, None, seed=0, backend="", **self._numbered)
        except TypeError:  # then kicks depend on where in the batch a row stands
            self._numbered = {}

    def advance(self, until: int, heat: float, cooling: float, seconds: float) -> None:
        """Kick, search and accept for all chains together, until all have made their kicks."""
        watch = Stopwatch.of(seconds)
        xp = self.start.backend.xp
        while self.behind(until) and watch.left > 0:
            going = (self.kicks < until) & (self.moves < self.start.max_moves)
            if self.patience:
                going &= self.idle < self.patience
            (rows,) = xp.nonzero(going)
            if not len(rows):
                return
            kick = int(self.kicks[rows].min())
            rows = rows[self.kicks[rows] == kick]  # who fell behind goes first
            self._step(rows, kick, max(0.0, heat - cooling * kick), watch.left)

    def searched(
        self, search: LocalSearch, fresh: Any, rows: Any, seed: int, seconds: float
    ) -> tuple[Any, Any, Statistics] | None:
        """As for all chains; each row keeps its number, on which random moves depend.

        Rows in between go along: they are at local optima, which is little work.
        """
        first, last = int(rows[0]), int(rows[-1])
        begin = self.tours[first : last + 1].copy()
        begin[rows - first] = fresh[rows]
        found = self._found(search, begin, seed, first, seconds)
        if found is None:
            return None
        tours, costs, statistics = found
        return tours[rows - first], costs[rows - first], statistics

    def _step(self, rows: Any, kick: int, level: float, seconds: float) -> None:
        """Kick and repair once; a kick that is not repaired in the time is forgotten."""
        backend, problem, first_row = self.start.backend, self.start.problem, self.start.first_row
        seed = (self.start.seed * 0x9E3779B97F4A7C15 + kick + 1) % 2**64
        kicked = self._perturbation.perturb(  # whose device is the current one, and the tours'
            problem, self.tours, seed=seed, backend=backend.name, **self._numbered
        )
        found = self.searched(self._search, kicked, rows, seed, seconds)
        if found is None:
            return
        tours, costs, statistics = found
        uniform = backend.xp.asarray(_uniform(seed, first_row, len(self.tours)))[rows]
        taken = self.accept.takes(costs - self.costs[rows], level * self.units[rows], uniform)
        self.tours[rows[taken]] = tours[taken]
        self.costs[rows[taken]] = costs[taken]
        self.kicks[rows] += 1
        self.accepted[rows] += taken
        self.moves[rows] += statistics.moves // len(rows)
        self.moves_by += backend.xp.asarray(list(statistics.moves_by.values()))
        self.looks[rows] += statistics.passes // len(rows)
        self.idle[rows] += 1
        self.idle[self.keep_best()] = 0

    def first_kicks(self) -> int:
        """Return 1: a kick may take long."""
        return 1

    def moves_per_look(self) -> int:
        """Return 1: searches differ in what they count."""
        return 1


def _uniform(seed: int, first_row: int, count: int) -> NDArray[np.float64]:
    """Return a number in (0, 1] for each of some rows, which no other row changes."""
    bits = np.random.Philox(key=seed)
    bits.advance(first_row)
    return 1.0 - np.random.Generator(bits).random((count, 4))[:, 0]  # four numbers a step

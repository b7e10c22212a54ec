"""Batches of chains; a chain repeats a kick, its repair, and a decision to accept or undo both."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from gpu_ls_plugin.core.budget import NO_LIMIT, Stopwatch
from gpu_ls_plugin.tours.construction.random_tours import shuffle
from gpu_ls_plugin.tours.engines.chains import chain_layouts
from gpu_ls_plugin.tours.engines.chains.chain_kernel import ChainState, chain_kernel, chain_layout
from gpu_ls_plugin.tours.kernels import tour_layouts
from gpu_ls_plugin.tours.kernels.evaluation import better, tour_costs
from gpu_ls_plugin.tours.problem.device_data import batch_data
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from numpy.typing import NDArray

    from gpu_ls_plugin.core.result import Statistics
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.tours.engines.chains.start import Repair, Start
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves

RESTART_STREAM = 2**40  # number of random streams per round of restarts; each row uses one
Kept = TypeVar("Kept")
_STATE = (
    *("tours", "best_tours", "costs", "best_costs", "units", "kicks", "accepted", "idle"),
    *("looks", "moves", "moves_by", "restarts"),
)


class Chains(ChainState, ABC):
    """A batch of chains; each has a current tour and keeps its best tour.

    Parameters
    ----------
    patience : int, optional
        A chain waits for a restart after this many kicks without a new best tour; if None, never.
    parts : CandidateMoves, optional
        Neighbourhoods and candidates on the backend, if a kernel of chains needs them.
    neighbourhoods : int
        Number of neighbourhoods whose moves are counted separately.

    Attributes
    ----------
    crossed : int
        Number of generations of crossovers so far; each uses new random numbers.
    gaining : float, or array of the backend, shape (P,), bool
        Share of the chains for which the last crossover found a new best tour, or a mask of them;
        1.0 if not counted.
    """

    def __init__(
        self,
        start: Start,
        accept: Acceptance,
        patience: int | None,
        parts: CandidateMoves | None = None,
        neighbourhoods: int = 1,
    ) -> None:
        self.start, self.accept, self.patience = start, accept, patience or 0
        self.parts = parts
        self._kept: dict[Hashable, Any] = {}
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
        self.crossed, self.gaining = 0, 1.0

    @property
    def current_is_best(self) -> bool:
        """Whether a chain's current tour is always its best one."""
        # Under other objectives, a cheaper tour may be infeasible.
        alone = self.start.problem.objective.length_alone
        return self.accept.never_worse and not self.patience and alone

    def state(self) -> dict[str, Any]:
        """Return the state of the chains, as a dict of new NumPy arrays and plain values."""
        to_numpy = self.start.backend.to_numpy
        arrays = {name: np.array(to_numpy(getattr(self, name))) for name in _STATE}
        return {**arrays, "crossed": self.crossed, "gaining": self.gaining_share()}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from the state of a batch with the same number of chains."""
        for name in _STATE:
            getattr(self, name)[...] = self.start.backend.xp.asarray(state[name])
        self.crossed, self.gaining = state["crossed"], state["gaining"]

    @abstractmethod
    def first_kicks(self) -> int:
        """Return a number of kicks for the first launch, before the time of a kick is known."""

    @abstractmethod
    def moves_per_look(self) -> int:
        """Return how many moves a look at one city evaluates."""

    def kept(self, owner: Hashable, make: Callable[[], Kept]) -> Kept:
        """Return the object that `make` returned on the first call for this `owner`."""
        if owner not in self._kept:
            self._kept[owner] = make()
        kept: Kept = self._kept[owner]
        return kept

    def behind(self, until: int) -> bool:
        """Wait for the launches; return whether any chain has kicks and moves left."""
        to_numpy, most = self.start.backend.to_numpy, self.start.max_moves
        behind = to_numpy(self.kicks) < until
        if most < NO_LIMIT:
            behind &= to_numpy(self.moves) < most
        return bool(behind.any())

    def gaining_share(self) -> float:
        """Wait for the last crossover; return the share of the chains that it improved."""
        return float(np.mean(self.start.backend.to_numpy(self.gaining)))

    def keep_best(self) -> Any:
        """Keep each current tour that is better than its chain's best; return a mask of them."""
        return self.offer(self.tours, self.costs)

    def offer(self, tours: Any, costs: Any) -> Any:
        """Keep each row of `tours` (P, n) that beats its chain's best; return a mask of them."""
        start, best = self.start, (self.best_tours, self.best_costs)
        leads = better(start.backend, start.problem, (tours, costs), best)
        self.best_costs[leads] = costs[leads]
        if self.best_tours is not tours:
            self.best_tours[leads] = tours[leads]
        return leads

    def restart_stalled(self, search: Repair, seconds: float = math.inf) -> None:
        """Restart the chains that have found no new best tour for `patience` kicks."""
        if self.patience:
            (rows,) = self.start.backend.xp.nonzero(self.idle >= self.patience)
            self.restart(search, rows, seconds)

    def restart(self, search: Repair, rows: Any, seconds: float = math.inf) -> None:
        """Let the chains `rows`, in ascending order, continue from random local optima.

        They keep their best tours. Chains whose local optima are not found within `seconds` do not
        change.
        """
        if not len(rows):
            return
        backend, problem, seed = self.start.backend, self.start.problem, self.start.seed
        watch, rounds = Stopwatch.of(seconds), backend.to_numpy(self.restarts[rows])
        for number in sorted(set(rounds.tolist())):
            of_round = rows[backend.xp.asarray(rounds == number)]
            first = self.start.first_row + (number + 1) * RESTART_STREAM
            fresh = shuffle(backend, problem.n, len(self.tours), seed, first)
            found = self.searched(search, fresh, of_round, seed, watch.left)
            if found is None:
                return
            self.begin_anew(of_round, *found[:2])
        self.keep_best()

    def begin_anew(self, rows: Any, tours: Any, costs: Any) -> None:
        """Let the chains `rows` continue from these tours; the chains keep their best tours."""
        self.tours[rows], self.costs[rows] = tours, costs
        self.restarts[rows] += 1
        self.idle[rows] = 0

    def searched(
        self, search: Repair, fresh: Any, rows: Any, seed: int, seconds: float
    ) -> tuple[Any, Any, Statistics] | None:
        """Run the local search from `fresh[rows]`; `fresh` is (P, n), `rows` are ascending.

        Return tours, costs and statistics; None if the tours are not local optima after `seconds`.
        The result does not depend on the other rows.
        """
        return self._found(search, fresh[rows], seed, 0, seconds)

    def _found(
        self, search: Repair, begin: Any, seed: int, first: int, seconds: float
    ) -> tuple[Any, Any, Statistics] | None:
        """Run the local search; tour r uses the random numbers of chain `first` + r."""
        backend, first_row = self.start.backend, self.start.first_row + first
        found = search(
            self.start.problem,
            begin,
            seed=seed,
            budget=Stopwatch.of(seconds).budget,
            backend=backend,
            first_row=first_row,
        )
        if found.statistics.interrupted:  # the local search has caught the Ctrl-C
            raise KeyboardInterrupt
        if found.statistics.stopped_by == "seconds":
            return None
        xp = backend.xp
        return xp.asarray(found.tours), xp.asarray(found.costs), found.statistics


class FusedChains(Chains):
    """Chains that kick, repair, and accept or undo in one kernel."""

    parts: CandidateMoves

    def __init__(
        self,
        start: Start,
        accept: Acceptance,
        patience: int | None,
        parts: CandidateMoves,
        perturbation: Perturbation,
    ) -> None:
        super().__init__(start, accept, patience, parts, len(parts.moves.names))
        backend, problem, (size, n) = start.backend, start.problem, start.tours.shape
        rule = partial(chain_layouts.chain_shape, tours=-(-size // backend.processors))
        layout = chain_layout(backend, parts.needs, n, rule)
        self._kernel = chain_kernel(
            search_metric(problem), parts.moves, perturbation, accept, layout
        )
        self._shared_bytes, scratch = layout.shared_bytes(n), None
        if not layout.in_shared:
            scratch = backend.xp.empty((size, tour_layouts.chain_bytes(n, 4)), "uint8")
        self._arguments = {
            **parts.arguments,
            **batch_data(self.start.backend, self.start.problem, len(self.tours)),
            **self.state_arguments,
            "ahead": layout.ahead(parts.steps),
            "seed": start.seed,
            "first_row": start.first_row,
            "max_moves": start.max_moves,
            "patience": self.patience,
            "window": perturbation.window(n),
            "scratch": scratch,
        }

    @staticmethod
    def bytes_per_tour(n: int) -> int:
        """Return how many bytes of device memory a chain needs."""
        return 8 * n + tour_layouts.chain_bytes(n, 4) + 128

    def first_kicks(self) -> int:
        return chain_layouts.first_kicks(self.start.backend, len(self.tours))

    def moves_per_look(self) -> int:
        return self.parts.neighbours


class NumberedChains(Chains):
    """Chains whose local search draws random numbers by the row of a tour."""

    def searched(
        self, search: Repair, fresh: Any, rows: Any, seed: int, seconds: float
    ) -> tuple[Any, Any, Statistics] | None:
        """As in the base class, but search all rows from the first of `rows` to the last.

        Each row keeps its number, because random moves depend on it. The rows that are not in
        `rows` are already local optima, so searching them takes little time.
        """
        first, last = int(rows[0]), int(rows[-1])
        begin = self.tours[first : last + 1].copy()
        begin[rows - first] = fresh[rows]
        found = self._found(search, begin, seed, first, seconds)
        if found is None:
            return None
        tours, costs, statistics = found
        return tours[rows - first], costs[rows - first], statistics


class SteppedChains(NumberedChains):
    """Chains with any local search and perturbation; the host calls both for each kick."""

    def __init__(
        self,
        start: Start,
        accept: Acceptance,
        patience: int | None,
        search: Repair,
        perturbation: Perturbation,
    ) -> None:
        super().__init__(start, accept, patience, neighbourhoods=len(search.neighbourhoods))
        self._search, self._perturbation = search, perturbation

    def advance(self, until: int, heat: float, cooling: float, seconds: float) -> None:
        """Run each chain up to kick number `until`; a step makes at most one kick per chain."""
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
            rows = rows[self.kicks[rows] == kick]  # chains that fell behind go first
            self._step(rows, kick, max(0.0, heat - cooling * kick), watch.left)

    def _step(self, rows: Any, kick: int, level: float, seconds: float) -> None:
        """Kick the chains `rows` once; no effect if the repair takes longer than `seconds`."""
        backend, problem, first_row = self.start.backend, self.start.problem, self.start.first_row
        seed = (self.start.seed * 0x9E3779B97F4A7C15 + kick + 1) % 2**64
        kicked = self._perturbation.perturb(
            problem, self.tours, seed=seed, backend=backend.name, first_row=first_row
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
        """Return 1: a kick may take a long time."""
        return 1

    def moves_per_look(self) -> int:
        """Return 1: `looks` counts the passes of the local search."""
        return 1


def _uniform(seed: int, first_row: int, count: int) -> NDArray[np.float64]:
    """Return a random number in (0, 1] for each row; it depends only on the seed and the row."""
    bits = np.random.Philox(key=seed)
    bits.advance(first_row)
    return 1.0 - np.random.Generator(bits).random((count, 4))[:, 0]  # Philox draws four at once

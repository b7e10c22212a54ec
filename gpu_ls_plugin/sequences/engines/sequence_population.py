"""Sequences as a population: a chain of kicks and descents for each row."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.core.budget import NO_LIMIT
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.pace import Pace
from gpu_ls_plugin.runs.population import Population
from gpu_ls_plugin.sequences.engines.exact_values import check_values, never_worse
from gpu_ls_plugin.sequences.engines.kernels import (
    THREADS,
    chain_kernel,
    layout_of,
    problem_arguments,
)
from gpu_ls_plugin.sequences.kicks.destroy_repair import DestroyRepair

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.runs.stretch import Leg
    from gpu_ls_plugin.sequences.cooperation.exchanges import ChainExchange
    from gpu_ls_plugin.sequences.engines.kernels import Layout
    from gpu_ls_plugin.sequences.kicks.destroy_repair import SequenceKick
    from gpu_ls_plugin.sequences.moves.sequence_moves import SequenceMove
    from gpu_ls_plugin.sequences.problem.sequence import Sequence

FIRST_LOOKS, FIRST_KICKS = 16, 1  # of the first launches, which must be short
MOST_LOOKS = 2**30  # of a launch


class SequencePopulation(Population):
    """The rows of a search on a sequence problem, each with a chain.

    A chain first descends to a local optimum; then it kicks, descends, and accepts or undoes.

    Parameters
    ----------
    problem : Sequence
    rows : int32 array, shape (P, n)
    seed : int
    backend : str or Backend
    moves : tuple of SequenceMove
    pivoting : {"first", "best"}
    kick : SequenceKick or None
        If None, the chains end at their first local optimum.
    accept : Acceptance
    exchange : ChainExchange or None
        How chains help each other.
    first_row : int
        Number of the first row if the rows are part of a larger population.
    target : float, optional
        Value at which the search ends.
    most_moves : int, optional
        Limit of moves of each row, and of its kicks, since these may find no moves.
    """

    by_moves = True

    def __init__(
        self,
        problem: Sequence,
        rows: Any,
        seed: int,
        backend: str | Backend,
        *,
        moves: tuple[SequenceMove, ...],
        pivoting: str,
        kick: SequenceKick | None,
        accept: Acceptance,
        exchange: ChainExchange | None = None,
        first_row: int = 0,
        target: float | None = None,
        most_moves: int = NO_LIMIT,
    ) -> None:
        self.problem, self._device = problem, backend
        self.moves, self.pivoting, self.kick = moves, pivoting, kick
        self.accept, self.exchange = accept, exchange
        self._most_moves, self.target = most_moves, target
        self.statistics = Statistics()
        self._counted = np.zeros(3, np.int64)
        self._stored = self._first(rows, seed, first_row)
        self._looks, self._kicks = Pace(FIRST_LOOKS), Pace(FIRST_KICKS)
        self._descended = False

    @property
    def backend(self) -> Backend:  # type: ignore[override]  # a pickle may go to another machine
        """The backend that holds the rows."""
        return get_backend(self._device)

    @property
    def tours(self) -> Any:
        """The best sequence of each chain: array of the backend, shape (P, n), int32."""
        return self._arguments["bests"]

    @property
    def costs(self) -> Any:
        """The values of the best sequences: cost plus price of violations, shape (P,)."""
        return self._arguments["best_values"]

    @property
    def claimed(self) -> Any:
        """The costs of the best sequences, after a comparison with those of the kernel."""
        self.check()
        if not self.problem.constrained:
            return self.costs
        return self.backend.xp.asarray(self.problem.cost(on_host(self.tours)))

    def check(self) -> None:
        """Compare the values with those of the referee, and replace real values by these."""
        own, first, problem = self._arguments, self._stored, self.problem
        found, given = (
            (on_host(state["bests"]), on_host(state["best_values"])) for state in (own, first)
        )
        if self.statistics.interrupted:
            exact = problem.compared(found[0])
        else:
            exact = check_values(problem, found, given)
        if not problem.integer:
            kept = never_worse(problem, (found[0], exact), given[0])
            for name, values in zip(("bests", "best_values"), kept, strict=True):
                own[name][:] = self.backend.xp.asarray(values)

    def __len__(self) -> int:
        return len(self.tours)

    def over(self, leg: Leg) -> str | None:
        """Return why the stretch ends, or None: "optimum", "target", "kicks" or "moves"."""
        if self.target is not None and float(self.costs.min()) <= self.target:
            return "target"
        if self._descended and (self.kick is None or not self.moves_items):
            return "moves" if self._out_of_moves.any() else "optimum"
        if self._descended and (self.done >= leg.until or leg.bred(self.generations)):
            return "kicks"
        if self.done >= self._most_moves or self._out_of_moves.all():
            return "moves"
        return None

    def launch(self, leg: Leg) -> None:
        """Continue the first descents; once all have ended, make a number of kicks."""
        if not self._descended:
            self._descend(leg.left)
            return
        with self._kicks.timed() as pace:
            pace.made = max(1, min(pace.steps, leg.until - self.done, self._until_exchange))
            heat, cooling = leg.level(self.accept, self.done, self.done + pace.made)
            self._run(leg.left, kick=self.done, kicks=pace.made, heat=heat, cooling=cooling)
            self.backend.wait()
        self.done += pace.made
        pace.follow(leg.left)
        if self.exchange is not None and self.done % self.exchange.kicks(self.problem.n) == 0:
            self._exchange(self.exchange)
        if leg.stretch.generations is not None:
            self.generations += 1

    def count(self) -> None:
        """Add kicks, moves and evaluations since the last count to the statistics."""
        totals = (self.done * len(self), *(int(array.sum()) for array in self.counts[1:]))
        now = np.array(totals)
        kicks, moves, looks = (now - self._counted).tolist()
        self._counted = now
        self.statistics.kicks += kicks
        self.statistics.moves += moves
        self.statistics.evaluations += looks

    def adopt(self, tours: Any, costs: Any) -> None:
        """Replace the worst rows by given ones that are better; their chains continue from them."""
        own, xp = self._arguments, self.backend.xp
        worst = xp.argsort(own["best_values"])[::-1][: len(tours)]
        taken = xp.asarray(costs) < own["best_values"][worst]
        rows, tours, costs = worst[taken], xp.asarray(tours)[taken], xp.asarray(costs)[taken]
        for name, values in (("rows", tours), ("bests", tours), ("best_values", costs)):
            own[name][rows] = values

    @property
    def counts(self) -> tuple[int, Any, Any]:
        """Kicks of each row, and arrays (P,): moves and evaluations of each row."""
        return self.done, self._arguments["move_counts"], self._arguments["look_counts"]

    @property
    def moves_items(self) -> bool:
        """Whether there are at least two items to move."""
        return self.problem.n - self.problem.fixed > 1

    @property
    def _out_of_moves(self) -> Any:
        return self.counts[1] >= self._most_moves

    @property
    def _until_exchange(self) -> int:
        """Number of kicks until the next exchange, at least 1."""
        if self.exchange is None:
            return NO_LIMIT
        every = self.exchange.kicks(self.problem.n)
        return every - self.done % every

    def _exchange(self, exchange: ChainExchange) -> None:
        exchange.exchange(self.problem, self.backend, self._arguments, self.exchanges)
        self.exchanges += 1
        self._descended = False

    def compile(self) -> None:
        """Compile all kernels; the rows are of no use afterwards."""
        with self.backend.current():
            self._run()
            if self.exchange is not None:
                self._exchange(self.exchange)

    def _descend(self, left: float) -> None:
        with self._looks.timed() as pace:
            pace.made = min(pace.steps, MOST_LOOKS)
            self._run(left, kick=self.done, looks=pace.made)
            self._descended = bool(self._arguments["ended"].all())  # waits for the GPU
        pace.follow(left)
        if self._descended and not self.exchanges:
            own = self._arguments
            own["units"][:] = abs(own["values"] / self.problem.n).astype("float32")

    def _run(self, seconds: float = math.inf, **numbers: float) -> None:
        layout, kernel = self._layout
        self.statistics.launches += 1
        self.backend.launch(
            kernel,
            len(self),
            {**self._arguments, **numbers},
            shared_bytes=layout.shared_bytes,
            seconds=seconds,
        )

    @cached_property
    def _layout(self) -> tuple[Layout, Kernel]:
        backend, problem = self.backend, self.problem
        kick = self.kick or DestroyRepair()  # is not used without kicks

        def compose(memory: str) -> Kernel:
            team = backend.block(THREADS)
            return chain_kernel(problem, memory, team, self.accept, kick, self.moves, self.pivoting)

        layout, kernel = layout_of(backend, problem, compose)
        self._arguments |= layout.scratch(backend, len(self))
        return layout, kernel

    @cached_property
    def _arguments(self) -> dict[str, Any]:
        """Arguments of the kernels, with arrays of the backend."""
        xp = self.backend.xp
        self._words, known = problem_arguments(self.backend, self.problem)
        moved = {
            name: xp.array(value) if isinstance(value, np.ndarray) else value
            for name, value in self._stored.items()
        }
        return {
            **moved,
            **known,
            "saved": xp.empty(moved["rows"].shape, "int32"),
            "kick": 0,
            "kicks": 0,
            "looks": 0,
            "most_moves": self._most_moves,
            "heat": 0.0,
            "cooling": 0.0,
            "strength": 0 if self.kick is None else self.kick.strength,
        }

    def __getstate__(self) -> dict[str, Any]:
        own = self._arguments
        stored = {
            name: on_host(own[name]) if isinstance(value, np.ndarray) else value
            for name, value in self._stored.items()
        }
        made = ("_arguments", "_layout", "_words")
        kept = {name: value for name, value in vars(self).items() if name not in made}
        return {**kept, "_stored": stored, "_device": self.backend.name}

    def _first(self, rows: Any, seed: int, first_row: int) -> dict[str, Any]:
        """Return the state of chains that begin with these rows, on the host."""
        size, n = rows.shape
        values = self.problem.compared(rows)
        progress = np.zeros((size, 3), np.int32)
        progress[:, 0] = -1  # there is no queue yet
        return {
            "seed": seed,
            "first_row": first_row,
            "rows": rows,
            "bests": rows,
            "values": values,
            "best_values": values,
            "queues": np.zeros((size, n), np.int32),
            "progress": progress,
            "ended": np.zeros(size, np.uint8),
            "units": np.zeros(size, np.float32),
            "move_counts": np.zeros(size, np.int64),
            "look_counts": np.zeros(size, np.int64),
        }

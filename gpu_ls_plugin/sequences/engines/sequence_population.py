"""Sequences as a population: a chain of kicks and descents for each row."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.core.budget import NO_LIMIT
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.pace import Pace
from gpu_ls_plugin.runs.population import PortablePopulation
from gpu_ls_plugin.sequences.cooperation.exchanges import FIRST_DESCENT, NEXT_KICK, first_state
from gpu_ls_plugin.sequences.engines.exact_values import check_values, never_worse
from gpu_ls_plugin.sequences.engines.kernels import (
    chain_kernel,
    layout_of,
    problem_arguments,
    team_of,
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

FIRST_LOOKS = 16  # of the first launch, which must be short
MOST_LOOKS = 2**30  # of a launch


class SequencePopulation(PortablePopulation):
    """The rows of a search on a sequence problem, each with a chain.

    A chain first descends to a local optimum; then it kicks, descends, and accepts or undoes.

    Parameters
    ----------
    rows : int32 array, shape (P, n)
    pivoting : {"first", "best"}
    kick : SequenceKick or None
        If None, the chains end at their first local optimum.
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
        self._counted = {}
        self._stored = self._first(rows, seed, first_row)
        self._pace = Pace(FIRST_LOOKS)
        self._kicks_of_launch = 1
        # Kicks before the next exchange, and the share of the run before the last one.
        self._interval = NO_LIMIT if exchange is None else exchange.interval(problem.n)
        self._next_exchange, self._share = self._interval, 0.0

    @property
    def tours(self) -> Any:
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
        descended, out_of_moves = self._descended, self._out_of_moves
        if descended and not self.kicks_items:
            return "moves" if out_of_moves.any() else "optimum"
        if self.done >= self._most_moves or out_of_moves.all():
            return "moves"
        if descended and (self.done >= leg.until or leg.bred(self.generations)):
            return "kicks"
        return None

    def launch(self, leg: Leg) -> None:
        """Continue descents and kicks for a number of looks; exchange if it is time."""
        until = min(leg.until, self._next_exchange) if self.kicks_items else 0
        with self._pace.timed() as pace:
            pace.made, before = min(pace.steps, MOST_LOOKS), self.done
            heat, cooling = leg.level(self.accept, self.done, self.done + self._kicks_of_launch)
            self._run(leg.left, until=until, looks=pace.made, heat=heat, cooling=cooling)
            self.done = int(self._arguments["kick_counts"].min())  # waits for the GPU
        pace.follow(leg.left)
        self._kicks_of_launch = max(1, self.done - before)
        if leg.stretch.generations is not None and self._descended:
            self.generations += 1
        if self.exchange is not None and self.done == self._next_exchange:
            self._exchange(self.exchange)
            share = leg.share(self.done, leg.watch.elapsed)
            gained, self._share = share - self._share, share
            self._interval = self.exchange.interval(self.problem.n, self._interval, gained)
            self._next_exchange += self._interval

    def count(self) -> None:
        names = {"kicks": "kick_counts", "moves": "move_counts", "evaluations": "look_counts"}
        self._add(**{name: self._arguments[array].sum() for name, array in names.items()})

    def adopt(self, tours: Any, costs: Any) -> None:
        """Replace the worst rows by given ones that are better; their chains continue from them."""
        own, xp = self._arguments, self.backend.xp
        worst = xp.argsort(own["best_values"])[::-1][: len(tours)]
        taken = xp.asarray(costs) < own["best_values"][worst]
        rows, tours, costs = worst[taken], xp.asarray(tours)[taken], xp.asarray(costs)[taken]
        for name, values in (("rows", tours), ("bests", tours), ("best_values", costs)):
            own[name][rows] = values
        _, *others = first_state(self.problem.n)  # a kick that has not ended begins again
        own["states"][rows, 0] = xp.minimum(own["states"][rows, 0], NEXT_KICK)
        own["states"][rows, 1:4] = xp.asarray(others, "int32")

    @property
    def kicks_items(self) -> bool:
        """Whether there are kicks, and at least two items that may move."""
        return self.kick is not None and self.problem.n - self.problem.fixed > 1

    @property
    def _out_of_moves(self) -> Any:
        return self._arguments["move_counts"] >= self._most_moves

    def _exchange(self, exchange: ChainExchange) -> None:
        exchange.exchange(self.problem, self.backend, self._arguments, self.exchanges)
        self.exchanges += 1

    @property
    def _descended(self) -> bool:
        """Whether each chain has ended its first descent."""
        return not bool((self._arguments["states"][:, 0] == FIRST_DESCENT).any())

    def compile(self) -> None:
        """Compile all kernels; the rows are of no use afterwards."""
        with self.backend.current():
            self._run()
            if self.exchange is not None:
                self._exchange(self.exchange)

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
            team = team_of(backend, problem)
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
            "until": 0,
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
        states = np.zeros((size, 5), np.int32)
        states[:, :4] = first_state(n)
        return {
            "seed": seed,
            "first_row": first_row,
            "rows": rows,
            "bests": rows,
            "values": values,
            "best_values": values,
            "saved": rows,
            "queues": np.zeros((size, n), np.int32),
            "states": states,
            "units": np.full(size, -1, np.float32),
            "kick_counts": np.zeros(size, np.int64),
            "move_counts": np.zeros(size, np.int64),
            "look_counts": np.zeros(size, np.int64),
        }

"""The population of a sequence problem whose objective is only a Python function."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.pace import Pace
from gpu_ls_plugin.runs.population import PortablePopulation
from gpu_ls_plugin.sequences.searches.batched_rows import BatchedRows
from gpu_ls_plugin.sequences.searches.evaluation import MOST_ROWS
from gpu_ls_plugin.sequences.searches.neighbours import neighbours_of, removed_by, without_functor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.runs.stretch import Leg
    from gpu_ls_plugin.sequences.cooperation.exchanges import ChainExchange
    from gpu_ls_plugin.sequences.kicks.destroy_repair import SequenceKick
    from gpu_ls_plugin.sequences.moves.sequence_moves import SequenceMove
    from gpu_ls_plugin.sequences.problem.sequence import Sequence

# Neighbours in a call of the objective by its library, if a launch evaluates as many. A call with
# fewer takes hardly less time.
CALL = {"numpy": 2000}
FIRST_ROWS = 16  # neighbours in the first launch; the time of an evaluation is not known yet


class BatchedPopulation(PortablePopulation):
    """Sequences that iterated local searches improve on the host; see `BatchedRows`.

    All rows advance together if the objective can evaluate their neighbours within a launch.
    Otherwise, a launch advances a few rows. Under a limit in seconds, the best row gets the most
    kicks, and the k-th best about a k-th of these.

    Parameters are those of `SequencePopulation`. Returned rows are arrays of `backend`.

    Raises
    ------
    UnsupportedProblemError
        A part exists in C++ only, as all exchanges do.
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
        kick: SequenceKick | None,
        accept: Acceptance,
        exchange: ChainExchange | None = None,
        pivoting: str = "first",
        first_row: int = 0,
        target: float | None = None,
        most_moves: int | None = None,
    ) -> None:
        self.problem, self._device, self.target = problem, backend, target
        self._most_moves = math.inf if most_moves is None else most_moves
        self._kicked = kick is not None
        if exchange is not None:
            raise without_functor(f"exchange: {exchange!r:.80}", "none")
        room = problem.n - problem.fixed
        fitting = [some for some in neighbours_of(moves) if some.length <= room]
        removed, given = removed_by(kick), on_host(rows)
        parts = (fitting, removed, accept, pivoting == "best")
        self.rows = BatchedRows(problem, given, seed, first_row, *parts)
        self.statistics = Statistics()
        self._call = min(CALL.get(problem.objective.library, MOST_ROWS), self.rows.evaluate.most)
        self._pace = Pace(FIRST_ROWS)
        self._counted = {}

    def __len__(self) -> int:
        return len(self.rows)

    def __getstate__(self) -> dict[str, Any]:
        device = self._device if isinstance(self._device, str) else self._device.name
        return {**vars(self), "_device": device}

    @property
    def tours(self) -> Any:
        return self.backend.xp.asarray(self.rows.best_rows)

    @property
    def costs(self) -> Any:
        """The costs by which searches compare the best sequences, with the price of violations."""
        return self.backend.xp.asarray(self.rows.best_costs)

    @property
    def claimed(self) -> Any:
        """The costs of the best sequences, from the objective itself: there are no kernels."""
        return self.backend.xp.asarray(self.problem.cost(self.rows.best_rows))

    @property
    def seen(self) -> tuple[float, float]:
        """Best and mean cost of the feasible sequences; infinite if there are none."""
        costs = self.rows.best_costs[self.rows.best_feasible]
        return (costs.min().item(), float(costs.mean())) if len(costs) else (math.inf, math.inf)

    @property
    def done(self) -> int:  # type: ignore[override]
        """Number of kicks that every row has made; each was followed by a whole descent."""
        return max(0, int(self._kicks.min()))

    @property
    def finished(self) -> bool:  # type: ignore[override]
        """Whether no row can change any more."""
        return self.rows.each < 2 or not (self._kicked or (self._kicks < 0).any())

    @property
    def _kicks(self) -> NDArray[np.int64]:
        """Number of kicks of each row; -1 before the end of its first descent."""
        return self.rows.state["periods"] - 1

    def over(self, leg: Leg) -> str | None:
        """Return why the stretch ends, or None if it continues.

        A generation is a kick of each row.
        """
        if self.target is not None and self.seen[0] <= self.target:
            return "target"
        if self.finished:
            return "optimum"
        if self._going(leg).any():
            return None
        return "moves" if (self._kicks < self._until(leg)).any() else "kicks"

    def launch(self, leg: Leg) -> None:
        """Evaluate neighbours for about 50 ms."""
        rows, each = self.rows, self.rows.each
        rows.heat, rows.cooling = leg.level(rows.accept, self.done, self.done + 1)
        with self._pace.timed() as pace:
            pace.made, least = 0, each if pace.steps >= each else 1  # whole sites if there is time
            ahead = self._call if pace.steps >= self._call else 0
            while pace.made < pace.steps:
                room = min(rows.evaluate.most, max(least, min(self._call, pace.steps - pace.made)))
                chosen = self._chosen(leg, room)
                if not len(chosen):
                    break
                pace.made += rows.step(chosen, room, ahead)
        pace.follow(leg.left)
        leg.steps += pace.made
        self.statistics.launches += 1

    def compile(self) -> None:
        """Do nothing: there are no kernels."""

    def count(self) -> None:
        rows = self.rows
        kicks, moves = np.maximum(self._kicks, 0).sum(), rows.state["moved"].sum()
        self._add(kicks=kicks, moves=moves, evaluations=rows.evaluations, accepted=rows.accepted)

    def adopt(self, tours: Any, costs: Any) -> None:
        """Let the worst rows continue from given ones that are better; these are evaluated."""
        worst = self._by_worth()[::-1][: len(tours)]
        self.rows.replace(worst, on_host(tours))

    def _by_worth(self) -> NDArray[np.intp]:
        """Return the numbers of the rows, the best first."""
        return np.lexsort((self.rows.best_costs, ~self.rows.best_feasible))

    def _going(self, leg: Leg) -> NDArray[np.bool_]:
        """Return which rows have not reached the limits of kicks and moves."""
        moving: NDArray[np.bool_] = self.rows.state["moved"] < self._most_moves
        return moving & (self._kicks < self._until(leg))

    def _chosen(self, leg: Leg, room: int) -> NDArray[np.intp]:
        """Return the rows to advance if `room` neighbours may be evaluated."""
        going = np.flatnonzero(self._going(leg))
        count = max(1, room // self.rows.each)
        if len(going) <= count:
            return going
        rank = np.empty(len(self), np.int64)
        rank[self._by_worth()] = np.arange(1, len(self) + 1)
        turn = (rank * (self._kicks + 2))[going]
        return going[np.argsort(turn, kind="stable")[:count]]

    def _until(self, leg: Leg) -> int:
        """Return the number of kicks of each row at which a stretch ends."""
        if not self._kicked:
            return 0
        generations = leg.stretch.generations
        return leg.until if generations is None else min(leg.until, leg.first + generations)

"""The states of an assignment problem as a population, which is searched in rounds of steps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gpu_ls_plugin.assignment.engines.found_states import NOTHING, completed
from gpu_ls_plugin.assignment.engines.searched_states import SearchedStates
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.pace import Pace
from gpu_ls_plugin.runs.population import PortablePopulation

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gpu_ls_plugin.assignment.engines.improvements import RoundPlan
    from gpu_ls_plugin.assignment.problem.assignment import Assignment
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.runs.stretch import Leg, Stretch

FIRST_STEPS = {"cpu": 8, "cuda": 256}  # steps of the first launch, which takes less than 50 ms
STEPS = 5  # number of steps per variable in a generation; fewer if the round ends earlier


class Planning(Protocol):
    """The part of `SuccessorSearch` that a population uses."""

    def plan(self, problem: Assignment) -> RoundPlan: ...


class StatePopulation(PortablePopulation):
    """The rows of a search on an assignment problem, each represented by its best state.

    A round counts as one kick of each row. Copies and pickles hold the best states on the host, and
    begin a new round from them.

    Parameters
    ----------
    rows : int32 array, shape (P, m)
        A variable that is not assigned yet has the value -1.
    first_row : int
        Number of the first row if the rows are part of a larger population.
    target : float, optional
        Cost at which the search ends; by default, the problem's optimum if it is known.
    memory_limit : int, optional
        How many bytes may be used; by default, all that are available.
    moves : int, optional
        Maximum number of steps of each row in a stretch.
    asked : Assignment, optional
        If given, its costs are reported instead of those of `problem`, even for infeasible rows.
    """

    by_moves = True

    def __init__(
        self,
        search: Planning,
        problem: Assignment,
        rows: Any,
        seed: int,
        backend: str | Backend,
        *,
        first_row: int = 0,
        target: float | None = None,
        memory_limit: int | None = None,
        moves: int | None = None,
        asked: Assignment | None = None,
    ) -> None:
        self.search, self.problem, self._rows = search, problem, rows
        self._numbers, self._memory_limit = (seed, first_row), memory_limit
        self._device, self._wanted = backend, target
        self.moves, self.asked = moves, asked
        self.statistics = Statistics()
        self._begun: SearchedStates | None = None
        self._counted = {}
        self._seen: tuple[float, float] | None = None  # cache of `seen`
        self._launched = False

    @property
    def target(self) -> float | None:
        """The cost at which the search ends."""
        return self.problem.optimum if self._wanted is None else self._wanted

    @property
    def states(self) -> SearchedStates:
        """The states of the search, which are made on first use."""
        if self._begun is None:
            backend = self.backend
            self._begun = SearchedStates(
                self.search.plan(self.problem),
                backend,
                self.problem,
                backend.xp.array(self._rows, "int32"),
                *self._numbers,
                self.target,
                backend.memory(self._memory_limit),
            )
            self._pace = Pace(FIRST_STEPS[backend.name])
        return self._begun

    def begin(self) -> None:
        """Make the initial states."""
        with self.backend.current():
            _ = self.states

    @property
    def tours(self) -> Any:
        """The best state of each row, complete: array of the backend, shape (P, m), int32."""
        if self._begun is None:
            return completed(self.problem, on_host(self._rows), *self._numbers)
        return self._begun.found.states

    @property
    def claimed(self) -> Any:
        """Costs that the functor computed for the best states, feasible or not."""
        return self.states.found.costs

    @property
    def costs(self) -> Any:
        """Costs of `tours`, shape (P,); without `asked`, an infeasible state costs NOTHING."""
        if self.asked is not None:
            with self.backend.current():
                return self.backend.xp.asarray(self.asked.cost(on_host(self.tours)))
        if self._begun is None:
            rows = self.tours
            return np.where(self.problem.feasible(rows), self.problem.cost(rows), NOTHING)
        found, xp = self._begun.found, self._begun.backend.xp
        return xp.where(found.excesses == 0, found.costs, NOTHING)

    def __len__(self) -> int:
        return len(self._rows)

    def __getstate__(self) -> dict[str, Any]:
        name, rows = self.backend.name, on_host(self.tours).copy()
        fresh: dict[str, Any] = {"_begun": None, "_counted": {}, "_seen": None, "_launched": False}
        device = self._device if isinstance(self._device, str) else name
        return {**vars(self), **fresh, "_device": device, "_rows": rows}

    @property
    def done(self) -> int:  # type: ignore[override]
        """Number of finished rounds."""
        return self.states.round + self.states.round_is_over

    def advance(self, stretch: Stretch, enough: Callable[[], bool] = lambda: False) -> Statistics:
        """Search for a stretch; at the optimum or after all moves, the population is finished."""
        counted = super().advance(stretch, enough)
        self.finished = counted.stopped_by in ("optimum", "moves")
        return counted

    def over(self, leg: Leg) -> str | None:
        """Return why the stretch ends, or None if it continues.

        "kicks": the stretch has made its rounds or its generation; "moves": it has made its steps;
        "optimum" or "target": a state has reached the target.
        """
        target = self.target
        if leg.stretch.generations is not None:
            bred = leg.steps >= STEPS * self.problem.n or self.states.round_is_over
            return "kicks" if leg.steps and bred else None
        if target is not None and self._launched and self.seen[0] <= target:
            return "optimum" if self._wanted is None else "target"
        if self.done >= leg.until:
            return "kicks"
        return "moves" if self.moves is not None and leg.steps >= self.moves else None

    def launch(self, leg: Leg) -> None:
        """Make a number of steps of the round; if it is over, begin the next one first."""
        states = self.states
        if states.round_is_over:
            states.renew()
        most = math.inf if self.moves is None else self.moves
        if leg.stretch.generations is not None:
            most = STEPS * self.problem.n
        with self._pace.timed() as pace:
            before = states.step
            states.advance(int(min(pace.steps, most - leg.steps)), leg.left)
            pace.made = states.step - before
        pace.follow(leg.left)
        leg.steps += pace.made
        self.statistics.launches += 1
        self._seen, self._launched = None, True

    @property
    def seen(self) -> tuple[float, float]:
        """Best and mean cost of the feasible rows; infinite if there are none."""
        if self._seen is None:
            found, to_numpy = self.states.found, self.states.backend.to_numpy
            costs: NDArray[Any] = to_numpy(found.costs)[to_numpy(found.excesses) == 0]
            best = (int(costs.min()), float(costs.mean())) if len(costs) else (math.inf, math.inf)
            self._seen = best
        return self._seen

    def count(self) -> None:
        if (states := self._begun) is not None:
            moves, looks = states.move_counts.sum(), states.look_counts.sum()
            self._add(kicks=states.round * len(self), moves=moves, evaluations=looks)

    def adopt(self, rows: Any, costs: Any) -> None:
        """Let the worst rows begin their next round from `rows` (K, m) where these are better."""
        with self.backend.current():
            self.states.adopt(*map(self.backend.xp.asarray, (rows, costs)))

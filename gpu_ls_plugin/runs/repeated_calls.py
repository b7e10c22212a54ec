"""The population for a search that does not define one: each stretch is a call of the search.

If the search takes `begin_share` and `end_share`, each call receives the shares of the run, 0 to 1,
at which the call begins and ends.
"""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.claims import as_asked
from gpu_ls_plugin.runs.elites import Elites, joined
from gpu_ls_plugin.runs.population import Population
from gpu_ls_plugin.runs.stretch import Leg

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.runs.stretch import Stretch

ENDS = ("optimum", "climbs", "filter", "moves")  # a search that stops for these is finished
NEARLY = 0.9  # a search that used at least this share of its seconds may have run out of time


def population_of(
    search: Any,
    problem: Problem,
    rows: Any,
    *,
    calls: int = 0,
    seconds: float = math.inf,
    parts: int = 1,
    **options: Any,
) -> Population:
    """Return the population in which a search improves rows.

    If the attribute `adopts` of the search is true, its method `population` creates the population.
    For any other search, it is a `RepeatedCalls`.

    Parameters
    ----------
    problem : Problem
        In the form that is searched.
    rows : array, shape (P, n), or None
        None if the search makes its own rows.
    calls : int
        See `RepeatedCalls`.
    seconds, parts
        See `tours.searches.chain_population.descended`.
    **options
        As in `RepeatedCalls`: `seed`, `backend`, `first_row`, `moves`, `target`, `memory_limit` and
        `asked`.
    """
    if getattr(search, "adopts", False):
        made: Population = search.population(problem, rows, seconds=seconds, parts=parts, **options)
        return made
    return RepeatedCalls(search, problem, rows, calls=calls, **options)


def makes_rows(search: Any) -> bool:
    """Return whether a search makes its own rows, and is therefore called without rows."""
    kinds = [parameter.kind for parameter in inspect.signature(search).parameters.values()]
    several = kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) > 1
    return not several and inspect.Parameter.VAR_POSITIONAL not in kinds


class RepeatedCalls(Population):
    """The rows of any search. If the search makes its own rows, the best of all calls are kept.

    A launch of this population is a call of the search, which ends at the limits of its stretch.
    During the call, the search calls `callback`, which may raise KeyboardInterrupt to end the call.

    Parameters
    ----------
    problem : Problem
        In the form that is searched.
    rows : array, shape (P, n), or None
        None if the search makes its own rows.
    seed, first_row : int
        Seed of the run, and number of the first row.
    moves : int, optional
        Maximum number of moves per row and call.
    asked : Problem, optional
        The problem whose costs are reported; by default `problem`.
    calls : int
        Number of earlier calls. Each call has a different seed.
    """

    def __init__(
        self,
        search: Any,
        problem: Problem,
        rows: Any,
        *,
        seed: int,
        backend: str,
        first_row: int = 0,
        moves: int | None = None,
        target: float | None = None,
        memory_limit: int | None = None,
        asked: Problem | None = None,
        calls: int = 0,
    ) -> None:
        self.search, self.problem, self.calls = search, problem, calls
        self.asked = problem if asked is None else asked
        self.backend, self.statistics = get_backend(backend), Statistics()
        self.seed, self._limits = seed, (moves, target)
        self._given = {"backend": backend, "memory_limit": memory_limit, "first_row": first_row}
        self._taken = inspect.signature(search).parameters
        self._makes = makes_rows(search)
        self._tours, self._costs = rows, None if rows is None else _costs(self.asked, rows)

    @property
    def tours(self) -> Any:
        """The rows; None before the first call of a search that makes its own rows."""
        return self._tours

    @property
    def costs(self) -> Any:
        return self._costs

    def advance(self, stretch: Stretch, enough: Callable[[], bool] = lambda: False) -> Statistics:
        """Call the search, even if no time is left; return its statistics."""
        self.launch(Leg(stretch))
        return self.statistics

    def over(self, leg: Leg) -> str | None:
        """Return why the call of this stretch ended, None before the call."""
        return self.statistics.stopped_by if leg.steps else None

    def launch(self, leg: Leg) -> None:
        stretch, given = leg.stretch, () if self._makes else (self._tours,)
        found: Result = self.search(self.problem, *given, **self._options(stretch))
        self._take(as_asked(found, self.asked, self.search))
        self.calls, leg.steps = self.calls + 1, leg.steps + 1
        counted = self.statistics = found.statistics
        in_time = counted.seconds < NEARLY * stretch.seconds
        self.finished = counted.stopped_by in ENDS and in_time

    def adopt(self, tours: Any, costs: Any) -> None:
        own = np.array(on_host(self._tours)), np.array(on_host(self._costs))
        worst = np.argsort(-own[1], kind="stable")[: len(costs)]
        better = costs < own[1][worst]
        own[0][worst[better]], own[1][worst[better]] = tours[better], costs[better]
        self._tours, self._costs = own

    def _options(self, stretch: Stretch) -> dict[str, Any]:
        """Return the options of a call that the search accepts."""
        seconds = None if stretch.seconds == math.inf else max(0.0, stretch.seconds)
        options = {
            "seed": derived(self.seed, self._given["first_row"], self.calls),
            "budget": Budget(seconds, stretch.kicks, *self._limits),
            "callback": self.callback,
            **self._given,
        }
        shares = {"begin_share": stretch.begin, "end_share": stretch.end}
        named = {name: value for name, value in (options | shares).items() if name in self._taken}
        kinds = [parameter.kind for parameter in self._taken.values()]
        return options | named if inspect.Parameter.VAR_KEYWORD in kinds else named

    def _take(self, found: Result) -> None:
        """Keep the rows of a call, or the best ones of it and of all earlier calls."""
        tours, problem = found.tours, self.asked
        costs = problem.compared_costs(self.backend, tours, found.costs)
        if self._makes and self._tours is not None:
            both = (self._tours, self._costs), (tours, costs)
            groups = [Elites.of(problem, *group) for group in both]
            best = joined(problem, groups).chosen(problem, len(costs), 0)
            tours, costs = best.rows, best.costs
        self._tours, self._costs = tours, costs


def derived(*numbers: Any) -> int:
    """Return a 64-bit seed that depends on all given integers, which must not be negative."""
    return int(np.random.SeedSequence(list(numbers)).generate_state(1, np.uint64)[0])


def _costs(problem: Problem, rows: Any) -> Any:
    rows, priced = on_host(rows), problem.tsp or problem
    full = (rows >= 0).all()  # variables without a value are -1
    return priced.cost(rows) if full else np.full(len(rows), np.inf)

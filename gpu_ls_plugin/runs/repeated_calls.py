"""Rows of a search that keeps nothing: it is called again for every stretch.

A search that takes a `begin_share` and an `end_share` is told which part of the run that is.
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
from gpu_ls_plugin.runs.seeds import derived
from gpu_ls_plugin.runs.stretch import Leg

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.runs.stretch import Stretch

ENDS = ("optimum", "climbs", "filter", "moves")  # behind which nothing is left to do
NEARLY = 0.9  # of its seconds: a search that took so much was ended by them, whatever it says


def population_of(
    search: Any,
    problem: Problem,
    rows: Any,
    *,
    calls: int = 0,
    seconds: float = math.inf,
    parts: int = 1,
    **place: Any,
) -> Population:
    """Return rows as a population of whatever searches them.

    A search whose populations adopt rows has a method `population`, and says so by `adopts`. Any
    other one is called for every stretch.

    Parameters
    ----------
    search : callable
    problem : Problem
        As it is searched.
    rows : array, shape (P, n), or None
        None if the search makes its own.
    calls : int
        As of a `RepeatedCalls`.
    seconds, parts
        Of the first descents, as of `descended`.
    **place
        Seed, backend, first_row, moves, target, memory_limit and asked.
    """
    if getattr(search, "adopts", False):
        made: Population = search.population(problem, rows, seconds=seconds, parts=parts, **place)
        return made
    return RepeatedCalls(search, problem, rows, calls=calls, **place)


def makes_rows(search: Any) -> bool:
    """Return whether a search makes its rows itself: it is called with the problem alone."""
    kinds = [parameter.kind for parameter in inspect.signature(search).parameters.values()]
    several = kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) > 1
    return not several and inspect.Parameter.VAR_POSITIONAL not in kinds


class RepeatedCalls(Population):
    """Rows of any search; one that makes its rows keeps the best of all its calls.

    A launch is a call, which ends by the limits of its stretch. `callback` is told of the launches
    within it, and may raise KeyboardInterrupt to end it.

    Parameters
    ----------
    search : callable
    problem : Problem
        As it is searched.
    rows : array, shape (P, n), or None
    seed, first_row : int
    backend : str
    moves : int, optional
        Limit for each row.
    target : float, optional
    memory_limit : int, optional
    asked : Problem, optional
        Whose costs are told; by default those of `problem`.
    calls : int
        That were made of the search before; each call has a seed of its own.
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
        """The rows; None before the first call of a search that makes its rows."""
        return self._tours

    @property
    def costs(self) -> Any:
        """Their costs."""
        return self._costs

    def advance(self, stretch: Stretch, enough: Callable[[], bool] = lambda: False) -> Statistics:
        """Call the search, even if there is no time left; return what it has counted."""
        self.launch(Leg(stretch))
        return self.statistics

    def over(self, leg: Leg) -> str | None:
        """Return why the call of a stretch has ended, None before it."""
        return self.statistics.stopped_by if leg.steps else None

    def launch(self, leg: Leg) -> None:
        """Call the search for a whole stretch."""
        stretch, given = leg.stretch, () if self._makes else (self._tours,)
        found: Result = self.search(self.problem, *given, **self._options(stretch))
        self._take(as_asked(found, self.asked, self.search))
        self.calls, leg.steps = self.calls + 1, leg.steps + 1
        counted = self.statistics = found.statistics
        in_time = counted.seconds < NEARLY * stretch.seconds
        self.finished = counted.stopped_by in ENDS and in_time

    def adopt(self, tours: Any, costs: Any) -> None:
        """Put rows in the place of the worst, where they are better."""
        own = np.array(on_host(self._tours)), np.array(on_host(self._costs))
        worst = np.argsort(-own[1], kind="stable")[: len(costs)]
        better = costs < own[1][worst]
        own[0][worst[better]], own[1][worst[better]] = tours[better], costs[better]
        self._tours, self._costs = own

    def _options(self, stretch: Stretch) -> dict[str, Any]:
        """Return what the search is told in a call, as far as it takes it."""
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
        """Take what was found, or the best of it and what there was."""
        tours, problem = found.tours, self.asked
        costs = problem.compared_costs(self.backend, tours, found.costs)
        if self._makes and self._tours is not None:
            both = (self._tours, self._costs), (tours, costs)
            groups = [Elites.of(problem, *group) for group in both]
            best = joined(problem, groups).chosen(problem, len(costs), 0)
            tours, costs = best.rows, best.costs
        self._tours, self._costs = tours, costs


def _costs(problem: Problem, rows: Any) -> Any:
    rows, priced = on_host(rows), problem.tsp or problem
    full = (rows >= 0).all()  # states may be empty
    return priced.cost(rows) if full else np.full(len(rows), np.inf)

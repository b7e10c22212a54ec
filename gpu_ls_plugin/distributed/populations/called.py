"""Rows of a search that keeps nothing: it is called again for every stretch.

A search that takes a `begin_share` and an `end_share` is told which part of the run that is.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_host, take_tours
from gpu_ls_plugin.backends.evaluation import tour_costs
from gpu_ls_plugin.distributed.elites import Elites, joined
from gpu_ls_plugin.distributed.exchange import derived
from gpu_ls_plugin.distributed.populations.base import Place, Population, Seen
from gpu_ls_plugin.problems.tsp import tour_problem
from gpu_ls_plugin.solver.soft_constraints import as_asked

if TYPE_CHECKING:
    from gpu_ls_plugin.result import Progress, Result, Statistics
    from gpu_ls_plugin.runs.stretch import Stretch

ENDS = ("optimum", "climbs", "filter", "moves")  # behind which nothing is left to do
NEARLY = 0.9  # of its seconds: a search that took so much was ended by them, whatever it says


def makes_rows(search: Any) -> bool:
    """Return whether a search makes its rows itself: it is called with the problem alone."""
    kinds = [parameter.kind for parameter in inspect.signature(search).parameters.values()]
    several = kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) > 1
    return not several and inspect.Parameter.VAR_POSITIONAL not in kinds


class CalledPopulation(Population):
    """Rows of any search; one that makes its rows keeps the best of all its calls.

    Parameters
    ----------
    place : Place
    rows : array, shape (P, n), or None
    """

    def __init__(self, place: Place, rows: Any) -> None:
        self._place, self._makes = place, makes_rows(place.search)
        self._taken = inspect.signature(place.search).parameters
        self._rows = rows
        self._costs = None if rows is None else _costs(place, rows)

    def advance(self, stretch: Stretch, number: int, seen: Seen) -> Statistics:
        """Call the search; each call has a seed of its own."""

        def callback(progress: Progress) -> None:
            if seen(progress.best_cost, progress.mean_cost, progress.kicks):
                raise KeyboardInterrupt  # as searches are stopped everywhere

        place = self._place
        options: dict[str, Any] = {
            "seed": derived(place.seed, place.first_row, number),
            "budget": place.budget(stretch),
            "backend": place.backend,
            "callback": callback,
            "memory_limit": place.memory_limit,
            "first_row": place.first_row,
        }
        if all(parameter.kind is not parameter.VAR_KEYWORD for parameter in self._taken.values()):
            options = {name: value for name, value in options.items() if name in self._taken}
        shares = {"begin_share": stretch.begin, "end_share": stretch.end}
        options |= {name: share for name, share in shares.items() if name in self._taken}
        given = () if self._makes else (self._rows,)
        found: Result = place.search(place.searched, *given, **options)
        self._take(as_asked(found, place.problem, place.search))
        counted = found.statistics
        in_time = counted.seconds < NEARLY * stretch.seconds
        self.finished = counted.stopped_by in ENDS and in_time
        return counted

    def rows(self) -> tuple[Any, Any]:
        """Return the rows."""
        return self._rows, self._costs

    def adopt(self, rows: Any, costs: Any) -> None:
        """Put rows in the place of the worst, where they are better."""
        own = np.array(on_host(self._rows)), np.array(on_host(self._costs))
        worst = np.argsort(-own[1], kind="stable")[: len(costs)]
        better = costs < own[1][worst]
        own[0][worst[better]], own[1][worst[better]] = rows[better], costs[better]
        self._rows, self._costs = own

    def _take(self, found: Result) -> None:
        """Take what was found, or the best of it and what there was."""
        costs = _searched_costs(self._place, found)
        if self._makes and self._rows is not None:
            problem, size = self._place.problem, len(costs)
            groups = [
                Elites.of(problem, *self.rows()),
                Elites.of(problem, found.tours, costs),
            ]
            best = joined(problem, groups).chosen(problem, size, 0)
            self._rows, self._costs = best.rows, best.costs
        else:
            self._rows, self._costs = found.tours, costs


def _searched_costs(place: Place, found: Result) -> Any:
    """Return the costs by which islands compare rows: routes pay for violations."""
    tsp = place.problem.tsp
    if tsp is None or tsp is place.problem:
        return found.costs
    backend = get_backend(place.backend)
    with backend.current():
        giant = tour_problem(tsp)
        tours = take_tours(backend, giant, found.tours)
        return backend.to_numpy(tour_costs(backend, giant, tours))


def _costs(place: Place, rows: Any) -> Any:
    problem = place.problem.tsp or place.problem
    full = (on_host(rows) >= 0).all()  # states may be empty
    return problem.cost(on_host(rows)) if full else np.full(len(rows), np.inf)

"""The run of an iterated local search: descend, then kick, repair and accept."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.tours.engines import engines
from gpu_ls_plugin.tours.engines.audit import Audit, check_tours, foreign_names
from gpu_ls_plugin.tours.engines.chains.rounds import Rounds
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.kernels.evaluation import better, tour_costs
from gpu_ls_plugin.tours.searches.descents import Descents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.history import Point
    from gpu_ls_plugin.tours.engines.chains.chains import Chains
    from gpu_ls_plugin.tours.engines.chains.start import Kicking
    from gpu_ls_plugin.tours.searches.search_call import Call


def improve(search: Kicking, call: Call, rows: slice) -> None:
    """Improve some rows of a call in place, within their share of the time."""
    tours, problem = call.tours[rows], call.problem
    watch = _share_of_time(call, rows)
    # A descent may lead from a feasible tour to an infeasible one.
    before = None if problem.objective.length_alone else tours.copy()
    start = _descend(search, call, rows, watch)
    if start is None:
        return
    if call.stopped or not search.kicks_tours(problem):
        if before is not None:
            _put_back(call, tours, before)
        return
    chains = search.chains(start)
    if before is not None:
        chains.offer(before, tour_costs(call.backend, problem, before))
    _kick(search, call, rows, chains, watch)


def _kick(search: Kicking, call: Call, rows: slice, chains: Chains, watch: Stopwatch) -> None:
    """Run chains until the budget is spent, and store their best tours in the call."""
    kicks = _kicks(search, call)
    best = chains.best_costs.min().item() if kicks is None else math.inf
    rounds = Rounds(chains, call.statistics, search.search, search.cooperation, best=best)
    watcher = _Watcher(search, call, rounds, rows.start)
    ended = "target"
    try:
        if not watcher():
            ended = drive(rounds, Stretch(watch.seconds, kicks), watcher, watch)
    finally:
        call.tours[rows] = chains.best_tours
        rounds.count()
    call.end(ended)
    if ended == "interrupt":  # costs may be out of date in the middle of an exchange
        return
    names = foreign_names(call.problem, search.parts)
    check_tours(names, call.problem, call.backend, chains.best_tours, chains.best_costs)


class _Watcher:
    """Reports the state of chains after each launch, and checks costs after exchanges."""

    def __init__(self, search: Kicking, call: Call, rounds: Rounds, finished: int) -> None:
        self._search, self._call, self._rounds = search, call, rounds
        self._finished = finished  # number of tours of earlier turns
        self._exchanges = 0

    def __call__(self) -> bool:
        """Report the state after a launch; return whether the call is stopped."""
        call, rounds, chains = self._call, self._rounds, self._rounds.chains
        if rounds.exchanges > self._exchanges:
            self._exchanges = rounds.exchanges
            self._check_exchange(chains)

        def tours() -> NDArray[Any]:
            return np.array(call.backend.to_numpy(chains.best_tours))

        rounds.count()
        costs = _result_costs(self._search, call, chains.best_tours, chains.best_costs)
        constrained = not call.problem.objective.length_alone
        call.report(costs, tours if constrained else None, self._finished)
        return call.stopped

    def _check_exchange(self, chains: Chains) -> None:
        cooperation, call = self._search.cooperation, self._call
        if cooperation is not None and foreign(cooperation):
            names = (cooperation.name,)
            for tours, costs in (
                (chains.tours, chains.costs),
                (chains.best_tours, chains.best_costs),
            ):
                check_tours(names, call.problem, call.backend, tours, costs)


def last_point(search: Kicking, call: Call, costs: Any) -> Point:
    """Return the last point of the history, with exact costs."""
    point = call.last_point(costs)
    if search.cooperation is None or not search.cooperation.priced:
        return point
    soft = tour_costs(call.backend, call.problem, call.tours)
    costs = call.backend.to_numpy(_result_costs(search, call, call.tours, soft))
    best = point.best_cost if math.isfinite(costs.min()) else math.inf
    return replace(point, best_cost=best, mean_cost=float(costs.mean()))


def _share_of_time(call: Call, rows: slice) -> Stopwatch:
    """Return a stopwatch with the share of the time that some rows get."""
    seconds = call.budget.seconds
    if seconds is None:
        return Stopwatch.of(math.inf)
    return Stopwatch.of(rows.stop / len(call.tours) * seconds - call.stopwatch.elapsed)


def _kicks(search: Kicking, call: Call) -> int | None:
    """Return the limit on kicks per chain; None if the budget has only other limits."""
    budget = call.budget
    if (budget.kicks, budget.moves, budget.seconds) != (None, None, None):
        return budget.kicks
    return search.own_kicks(call.problem)


def _descend(search: Kicking, call: Call, rows: slice, watch: Stopwatch) -> Start | None:
    """Descend from some rows in place; return the start of chains, or None if time is too short."""
    local, statistics = search.search, call.statistics
    with statistics.phase("descent"):
        if not engines.ready(local, call.backend, call.problem, watch.left):
            statistics.stopped_by = "seconds"
            return None
        first = call.first_row + rows.start
        factory = engines.choose(local)(local, call.backend, call.problem, call.seed, call.memory)
        engine = factory.make(call.tours[rows], first, call.max_moves)
        audit = Audit(engine, foreign_names(call.problem, local.parts))
        descents = Descents(engine, statistics, audit, local.neighbourhoods)
        ended = drive(descents, Stretch(watch.seconds), watch=watch)
        audit.compare()
    descents.count()
    call.end(ended)
    # Chains continue the counts of moves, so that a budget in moves covers both phases.
    moves = engine.move_counts, engine.moves_by
    tours = engine.tours.copy()
    return Start(call.backend, call.problem, tours, call.seed, first, call.max_moves, *moves)


def _put_back(call: Call, tours: Any, before: Any) -> None:
    """Restore the tours that a descent has made worse."""
    known = ((rows, tour_costs(call.backend, call.problem, rows)) for rows in (before, tours))
    worse = better(call.backend, call.problem, *known)
    tours[worse] = before[worse]


def _result_costs(search: Kicking, call: Call, tours: Any, costs: Any) -> Any:
    """Return the costs by which the cooperation compares the results, shape (P,)."""
    if search.cooperation is None:
        return costs
    return search.cooperation.results(call.backend, call.problem, tours, costs)

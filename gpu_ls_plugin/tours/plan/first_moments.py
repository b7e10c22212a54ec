"""One good tour of the host's cores, before a population or in place of it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.runs.plan import Stage
from gpu_ls_plugin.tours.problem.tsp import tour_problem
from gpu_ls_plugin.tours.searches.iterated import OpeningSearch
from gpu_ls_plugin.tours.searches.opening import Opening, chains

if TYPE_CHECKING:
    from gpu_ls_plugin.core.budget import Budget
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback, Result
    from gpu_ls_plugin.runs.plan import Found
    from gpu_ls_plugin.runs.request import Request
    from gpu_ls_plugin.runs.settings import Settings
    from gpu_ls_plugin.tours.problem.tsp import TSP

# Kicks of one tour for each city, all cores together, in whose time a population comes to be ahead
# of it: where there is less, all the time is the tour's. It has a share of it in any case.
KICKS_ALONE, SHARE = 3.0, 0.25
KICKS_PER_SECOND = 2.5e4  # of a core, until they have been measured
OF_A_GPU, LEAST_ON_GPU = 1e-5, 0.004  # seconds for a city, and in all, that its population needs


class GoodTour:
    """Greedy tours that chains of kicks improve on the CPU (`Opening`)."""

    name = "opening"

    def __call__(
        self,
        problem: Problem,
        tours: Any = None,
        *,
        seed: int,
        budget: Budget,
        callback: Callback | None,
        **_: Any,
    ) -> Result:
        """Return as good tours as there is time for, from others on if these are given."""
        return Opening(tour_problem(problem), seed, OpeningSearch).run(budget, callback, tours)

    def __repr__(self) -> str:
        return "Opening()"


def first_moments(problem: Problem, request: Request, chosen: Settings) -> Stage | None:
    """Return the stage of one good tour, None if a run begins by the tours of a population.

    It is the only one if there is no time for a population (its seconds are infinite). What
    somebody asked for is taken as it is: a search, starts, or limits other than time.
    """
    given, backend = request.given, request.backend
    if not given.by_time_alone or not Opening.serves(problem):
        return None
    tours, fixed_size = tour_problem(problem), given.population is not None
    needed = _needed(tours, KICKS_PER_SECOND * chains())
    if backend.name != "cpu":
        needed = OF_A_GPU * tours.n + LEAST_ON_GPU
    alone = chosen.seconds < needed and not fixed_size
    if not alone and backend.name != "cpu":
        return None
    return Stage(
        "one good tour",
        "no time for a population" if alone else "it is there in milliseconds",
        GoodTour(),
        problem,
        problem,
        seconds=math.inf if alone else SHARE * needed,
        prepare=_prepare,
        after=None if alone or fixed_size else _unless_slow,
    )


def _prepare(stage: Stage) -> None:
    Opening(tour_problem(stage.problem), 0, OpeningSearch).compile()


def _needed(problem: TSP, kicks_per_second: float) -> float:
    """Return the seconds that a population needs to be ahead, by what one tour needs."""
    return KICKS_ALONE * problem.n / kicks_per_second


def _unless_slow(
    stage: Stage, found: Found, left: float, rest: tuple[Stage, ...]
) -> tuple[Stage, ...]:
    """Return the stages that follow; the tour alone if this machine is too slow for these."""
    assert found.result is not None
    own = found.result.statistics
    rate = own.kicks / max(own.phases.get("kicks", math.inf), 1e-6)
    if left > _needed(tour_problem(stage.problem), max(rate, 1.0)):
        return rest
    return (replace(stage, rows=found.result.tours, seconds=math.inf, after=None),)

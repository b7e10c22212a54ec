"""Short runs, called tries, that find out whether a smaller fleet gives shorter routes.

Annealing chains open routes while they are hot, and cannot close these routes again when they are
cold. If the fleet is limited, chains end with other routes, which are often much shorter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.routes.plan.settings import KICKS_OF_ROUTES, left_alone
from gpu_ls_plugin.tours.plan.preparation import compile_ahead

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.runs.plan import Found, Stage
    from gpu_ls_plugin.runs.settings import Request, Settings

SHARE, LONGEST = 1 / 12, 60.0  # duration of a try: share of the time left, and maximum in seconds
MOST = 4  # maximum number of tries with fewer vehicles
# Minimum number of kicks per node in a try: per chain on a GPU, per core on a CPU. With fewer
# kicks, chains of a GPU still have more routes than after a full run, so the tried fleets are
# misleading (docs/lab/vehicle-routing.md, "How many vehicles?").
KICKS = {"cuda": 12.0, "cpu": 5.0}
NAME = "try of chains"


def pay(problem: CVRP, request: Request, chosen: Settings) -> bool:
    """Return whether tries with fewer vehicles pay.

    They do not pay if the time is too short for `KICKS`. There are no tries if the request sets a
    search, starts, or limits other than time, or if the problem limits the fleet.
    """
    if not left_alone(problem, request.given, chosen) or problem.fleet is not None:
        return False
    device, seconds = request.backend.name, seconds_of_a_try(chosen.seconds)
    return seconds * KICKS_OF_ROUTES[device] >= KICKS[device] * problem.n


def seconds_of_a_try(left: float) -> float:
    """Return the duration of each try in seconds, given the seconds left before the first one."""
    return min(SHARE * left, LONGEST)


def one_fewer(problem: CVRP, tour: NDArray[Any], tried: int) -> int | None:
    """Return the fleet to try next, one vehicle fewer than in `tour`; None if no more tries follow.

    `tour` (n,) is the best one so far; `tried` is the number of tries with fewer vehicles so far.
    """
    fleet = len(problem.routes(tour)) - 1
    return fleet if tried < MOST and fleet >= problem.least_vehicles else None


def first_try(main: Stage, tried: Settings, seconds: float) -> Stage:
    """Return the stage of the first try, which does not limit the fleet.

    `main` is the stage after all tries, which uses the best fleet; `tried` are complete settings
    for a run of `seconds`.
    """
    return replace(
        main,
        name=NAME,
        why=f"up to {MOST + 1} tries, each with one vehicle fewer as long as results improve",
        search=tried.search,
        size=tried.population or 1,
        start=tried.start,
        seconds=seconds,
        joins=False,
        prepare=_Prepare(tried.backend),
        after=_Tries(),
    )


@dataclass(frozen=True)
class _Prepare:
    """Compiles kernels for a limited fleet: the price of a surplus route may need a wider type."""

    backend: str

    def __call__(self, stage: Stage) -> None:
        limited = stage.searched.with_fleet(stage.problem.least_vehicles)
        compile_ahead(limited, stage.search, stage.size, stage.start, self.backend)


@dataclass(frozen=True)
class _Tries:
    """Plans another try with one vehicle fewer after a better try, otherwise the main stage."""

    number: int = 0  # number of this try
    fleet: int | None = None  # fleet of this try; None if unlimited
    best: Found | None = None  # best result of the earlier tries
    limit: int | None = None  # fleet of the try that found `best`

    def __call__(
        self, stage: Stage, found: Found, left: float, rest: tuple[Stage, ...]
    ) -> tuple[Stage, ...]:
        """Return the stages that follow; `rest` are those that were planned after this one."""
        main = rest[-1]
        if self.best is not None and found.worth >= self.best.worth:
            return (_limited(main, self.limit),)
        asked = main.problem
        fewer = one_fewer(asked, found.row, self.number)
        if fewer is None:
            return (_limited(main, self.fleet),)
        after = _Tries(self.number + 1, fewer, found, self.fleet)
        unlimited = replace(stage, problem=asked, searched=main.searched)
        return (replace(_limited(unlimited, fewer), after=after), *rest)


def _limited(stage: Stage, fleet: int | None) -> Stage:
    """Return a stage with at most `fleet` vehicles; if that is None, return it unchanged."""
    if fleet is None:
        return stage
    problem, hard = stage.problem.with_fleet(fleet), stage.searched is stage.problem
    searched = problem if hard else stage.searched.with_fleet(fleet)
    return replace(stage, problem=problem, searched=searched)

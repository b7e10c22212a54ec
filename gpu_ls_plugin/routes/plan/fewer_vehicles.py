"""How many vehicles chains may use: fewer than they come to by themselves, where that pays.

Chains that anneal open routes while it is hot, and cannot close them again when it is cold. Under a
limit of the fleet they end at other routes, often much shorter ones; a short try says whether.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.routes.plan.routes import KICKS_OF_ROUTES, left_alone
from gpu_ls_plugin.tours.plan.preparation import compile_ahead

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.runs.plan import Found, Stage
    from gpu_ls_plugin.runs.request import Request
    from gpu_ls_plugin.runs.settings import Settings

SHARE, LONGEST = 1 / 12, 60.0  # of the time, and in seconds: what a try takes
MOST = 4  # tries of fewer vehicles
# Kicks for each node, of a core or of a chain on a GPU, that a try has at least. A GPU's chains of
# fewer end with more routes than they would in all of the time, so that a limit misleads them.
KICKS = {"cuda": 12.0, "cpu": 5.0}
NAME = "try of chains"


def pay(problem: CVRP, request: Request, chosen: Settings) -> bool:
    """Return whether routes are searched by chains that had better find out how many vehicles.

    What somebody asked for is taken as it is: a search, starts, limits other than time, a fleet.
    """
    if not left_alone(problem, request.given, chosen) or problem.fleet is not None:
        return False
    device, seconds = request.backend.name, seconds_of_a_try(chosen.seconds)
    return seconds * KICKS_OF_ROUTES[device] >= KICKS[device] * problem.n


def seconds_of_a_try(left: float) -> float:
    """Return for how long a try searches where so many seconds are left at first."""
    return min(SHARE * left, LONGEST)


def one_fewer(problem: CVRP, tour: NDArray[Any], tried: int) -> int | None:
    """Return the fleet to be tried next, None where the best tour's is the last one.

    Parameters
    ----------
    problem : CVRP
    tour : array, shape (n,), int32
        The best one so far.
    tried : int
        Tries of fewer vehicles before.
    """
    fleet = len(problem.routes(tour)) - 1
    return fleet if tried < MOST and fleet >= problem.least_vehicles else None


def first_try(main: Stage, tried: Settings, seconds: float) -> Stage:
    """Return the stage of the first try, with as many vehicles as its chains like.

    Parameters
    ----------
    main : Stage
        That follows, with the fleet that was the best.
    tried : Settings
        Complete, of a run of so many seconds.
    """
    return replace(
        main,
        name=NAME,
        why=f"up to {MOST + 1} tries, each with one vehicle fewer as long as that is better",
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
    """Compile for a fleet, whose prices may need wider numbers."""

    backend: str

    def __call__(self, stage: Stage) -> None:
        limited = stage.searched.with_fleet(stage.problem.least_vehicles)
        compile_ahead(limited, stage.search, stage.size, stage.start, self.backend)


@dataclass(frozen=True)
class _Tries:
    """What follows a try: one with a vehicle fewer as long as that is better, then the rest.

    Attributes
    ----------
    number : int
        Of tries before.
    fleet : int or None
        Of this one.
    best : Found or None
        Of the tries before ...
    limit : int or None
        ... and its fleet.
    """

    number: int = 0
    fleet: int | None = None
    best: Found | None = None
    limit: int | None = None

    def __call__(
        self, stage: Stage, found: Found, left: float, rest: tuple[Stage, ...]
    ) -> tuple[Stage, ...]:
        """Return the stages that follow."""
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
    """Return a stage with so many vehicles at most, itself where that is None."""
    if fleet is None:
        return stage
    problem, hard = stage.problem.with_fleet(fleet), stage.searched is stage.problem
    searched = problem if hard else stage.searched.with_fleet(fleet)
    return replace(stage, problem=problem, searched=searched)

"""What coordinator and workers tell each other; all of it travels as pickles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Statistics
    from gpu_ls_plugin.runs.elites import Elites
    from gpu_ls_plugin.runs.settings import Settings
    from gpu_ls_plugin.runs.stretch import Stretch


@dataclass(frozen=True)
class Job:
    """What all islands of a run search, and how; the same for many runs."""

    problem: Problem
    search: Any  # taken as it is; None: as `settings` say
    settings: Settings  # completed on each worker, for its device; orders have the seed
    first_row: int
    memory_limit: int | None
    best: int  # rows that stand for an island
    distant: int
    islands: int = 1  # with which a run begins


@dataclass(frozen=True)
class Settled:
    """How a worker is going to search, on threads of a CPU or multiprocessors of a GPU."""

    backend: str
    processors: int
    settings: Settings


@dataclass(frozen=True, eq=False)
class Order:
    """A stretch of an island."""

    run: str
    island: int
    life: int  # how often it has begun anew: each has random numbers of its own
    number: int  # of the stretch
    seed: int  # of the run
    stretch: Stretch
    left: float  # seconds of the run
    rows: NDArray[Any] | None  # (K, n) int32, from which an island begins that is not there yet
    size: int | None  # of its population; by default what the device is kept busy by
    guests: Elites  # of other islands


@dataclass(frozen=True, eq=False)
class Report:
    """What an island has found by the end of a stretch; numbers are as in the order."""

    island: int
    life: int
    number: int
    elites: Elites
    size: int  # of the population
    mean: float  # cost of a row
    statistics: Statistics  # of the stretch alone
    finished: bool  # whether going on would change nothing
    searched: float  # seconds that the worker has searched, ...
    exchanged: float  # ... and has spent on elites

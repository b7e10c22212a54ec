"""The messages between coordinator and workers; all of them are sent as pickles."""

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
    """The problem of a run and how islands search it; many runs may share a job."""

    problem: Problem
    search: Any  # used unchanged; None: `settings` determine the search
    settings: Settings  # each worker completes them for its device; orders contain the seed
    first_row: int  # number of the first row of the first island
    memory_limit: int | None  # bytes
    best: int  # number of best rows that an island offers
    distant: int  # number of offered rows that are far from the best row
    islands: int = 1  # number of islands at the start of a run


@dataclass(frozen=True)
class Settled:
    """How a worker will search; `processors` is its number of CPU threads or multiprocessors."""

    backend: str
    processors: int
    settings: Settings


@dataclass(frozen=True, eq=False)
class Order:
    """The order to search an island for a stretch."""

    run: str
    island: int
    life: int  # number of restarts of the island; its random numbers depend on this
    number: int  # number of the stretch
    seed: int  # seed of the run
    stretch: Stretch
    left: float  # seconds left in the run
    rows: NDArray[Any] | None  # (K, n) int32: initial rows, if the worker does not have the island
    size: int | None  # rows in the population; None: as many as keep the device busy
    guests: Elites  # rows from other islands


@dataclass(frozen=True, eq=False)
class Report:
    """The state of an island at the end of a stretch.

    `island`, `life` and `number` are those of the order.
    """

    island: int
    life: int
    number: int
    elites: Elites
    size: int  # number of rows in the population
    mean: float  # mean cost of these rows
    statistics: Statistics  # of this stretch
    finished: bool  # whether more stretches would change nothing
    searched: float  # seconds of search on the worker
    exchanged: float  # seconds that the worker spent on elites

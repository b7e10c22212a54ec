"""What coordinator and workers tell each other; all of it travels as pickles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.result import Statistics
    from gpu_ls_plugin.runs.elites import Elites
    from gpu_ls_plugin.runs.stretch import Stretch
    from gpu_ls_plugin.solver.settings import Settings


@dataclass(frozen=True)
class Job:
    """What all islands of a run search, and how; the same for many runs.

    Attributes
    ----------
    problem : Problem
    search : callable or None
        Taken as it is; None where `settings` have to say, as in `solve`.
    settings : Settings
        Completed on each worker, for its device. Their seed does not count: orders have it.
    first_row : int
    memory_limit : int or None
    best, distant : int
        Rows that stand for an island.
    islands : int
        With which a run begins.
    """

    problem: Problem
    search: Any
    settings: Settings
    first_row: int
    memory_limit: int | None
    best: int
    distant: int
    islands: int = 1


@dataclass(frozen=True)
class Settled:
    """How a worker is going to search.

    Attributes
    ----------
    backend : str
    processors : int
        Threads of a CPU, multiprocessors of a GPU.
    settings : Settings
        Complete.
    """

    backend: str
    processors: int
    settings: Settings


@dataclass(frozen=True, eq=False)
class Order:
    """A stretch of an island.

    Attributes
    ----------
    run, island : str, int
    life : int
        How often the island has begun anew: each life has random numbers of its own.
    number : int
        Of the stretch.
    seed : int
        Of the run.
    stretch : Stretch
    left : float
        Seconds of the run.
    rows : int32 array, shape (K, n), or None
        From which the island begins where it is not there yet.
    size : int or None
        Rows of its population; by default what the device is kept busy by.
    guests : Elites
        Of other islands.
    """

    run: str
    island: int
    life: int
    number: int
    seed: int
    stretch: Stretch
    left: float
    rows: NDArray[Any] | None
    size: int | None
    guests: Elites


@dataclass(frozen=True, eq=False)
class Report:
    """What an island has found by the end of a stretch.

    Attributes
    ----------
    island, life, number : int
        As in the order.
    elites : Elites
    size : int
        Rows of the population.
    mean : float
        Cost of a row.
    statistics : Statistics
        Of the stretch alone.
    finished : bool
        Whether going on would change nothing.
    searched, exchanged : float
        Seconds that the worker has searched, and that it has spent on elites.
    """

    island: int
    life: int
    number: int
    elites: Elites
    size: int
    mean: float
    statistics: Statistics
    finished: bool
    searched: float
    exchanged: float

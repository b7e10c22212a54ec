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

    A search that is given is taken as it is; without one, `settings` say how, as in `solve`. They
    are completed on each worker, for its device; their seed does not count: orders have it. `best`
    and `distant` are the rows that stand for an island, and `islands` how many a run begins with.
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
    """How a worker is going to search, with complete settings.

    `processors` are threads of a CPU, multiprocessors of a GPU.
    """

    backend: str
    processors: int
    settings: Settings


@dataclass(frozen=True, eq=False)
class Order:
    """A stretch of an island, the `number`th of it.

    `life` says how often the island has begun anew: each life has random numbers of its own. `left`
    are the seconds of the run. An island that is not there yet begins from `rows`, int32 (K, n),
    with a population of `size`, by default what the device is kept busy by. `guests` come from
    other islands.
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

    `island`, `life` and `number` are as in the order, `size` is that of the population, `mean` the
    cost of a row, and `statistics` are of the stretch alone. It is `finished` if going on would
    change nothing. The worker has `searched` and `exchanged` elites for so many seconds.
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

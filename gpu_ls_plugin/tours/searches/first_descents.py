"""The first descents of an iterated search, whose local optima become a population."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.budget import NO_LIMIT, Stopwatch
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.tours.engines.chains.chains import FusedChains
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.problem.tsp import tour_problem
from gpu_ls_plugin.tours.searches.chain_population import ChainPopulation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.tours.engines.chains.callers import Kicking
    from gpu_ls_plugin.tours.problem.tsp import TSP


def descended(
    search: Kicking,
    problem: Problem,
    tours: Any,
    *,
    seed: int,
    backend: str,
    first_row: int = 0,
    moves: int | None = None,
    target: float | None = None,
    memory_limit: int | None = None,
    asked: Problem | None = None,
    seconds: float = math.inf,
    parts: int = 1,
) -> ChainPopulation:
    """Descend from tours; return the chains of an iterated search on the local optima.

    Parameters
    ----------
    search : Kicking
        An `IteratedLocalSearch`.
    problem : Problem
        The problem to search.
    tours : array, shape (P, n)
    seed, backend, first_row, target
        As in `ChainPopulation`.
    moves : int, optional
        Limit for each row.
    memory_limit : int, optional
    asked : Problem, optional
        The problem whose costs the population returns.
    seconds : float
        Time limit of the descents.
    parts : int
        Number of parts of the batch, which descend one after the other. The population consists of
        the parts that begin in time. With one part, the time limit interrupts the descents.

    Raises
    ------
    InsufficientMemoryError
        The chains do not fit the memory.
    """
    searched, chosen = tour_problem(problem), get_backend(backend)
    counted, watch, size = Statistics(), Stopwatch.of(seconds), -(-len(tours) // parts)

    def descents() -> Iterator[Result]:
        for begin in range(0, len(tours), size):
            if begin and watch.left <= 0:
                return
            yield search.search(
                searched,
                tours[begin : begin + size],
                seed=seed,
                budget=watch.budget if parts == 1 else None,
                backend=backend,
                first_row=first_row + begin,
            )

    with chosen.current():
        _require_memory(search, searched, chosen, len(tours), memory_limit)
        tours, found = chosen.xp.asarray(tours), []
        for result in descents():
            counted.add(result.statistics)
            found.append((result.tours, result.costs))
        rows, costs = (chosen.xp.concatenate(arrays) for arrays in zip(*found, strict=True))
    return ChainPopulation(
        search,
        searched,
        rows,
        costs,
        seed,
        backend,
        first_row,
        NO_LIMIT if moves is None else moves,
        None if asked is None or asked is problem else tour_problem(asked),
        target,
        counted,
    )


def _require_memory(
    search: Kicking, problem: TSP, backend: Backend, size: int, memory_limit: int | None
) -> None:
    """Raise InsufficientMemoryError unless `size` chains fit the memory."""
    cooperation = search.cooperation
    each = FusedChains.bytes_per_tour(problem.n) + problem.objective.kept_bytes(problem)
    each += 0 if cooperation is None else cooperation.bytes_per_tour(problem.n)
    fixed, memory = metric_data(backend, problem).nbytes, backend.memory(memory_limit)
    fitting = backend.rows_that_fit(each, fixed, memory)
    if fitting < size:
        raise InsufficientMemoryError(
            f"population: {fitting:,} of {size:,} tours fit; search fewer on each island"
        )

"""Other libraries side by side with ours: fast-tsp and elkai in processes, OR-Tools here."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import queue
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_ls_plugin import TSP

CONTEXT = multiprocessing.get_context("spawn")  # a child must not inherit a CUDA context
BLOCK_ROWS = 256
RATIO = 2.5  # between two durations of a series
FIRST_SECONDS = 0.05

_matrix: Any = None
_barrier: Any = None


def has(package: str) -> bool:
    """Return whether a package can be imported."""
    return importlib.util.find_spec(package) is not None


def processes(most: int) -> int:
    """Return how many processes can run at a time, at least one."""
    return max(1, min(most, len(os.sched_getaffinity(0))))


def durations(longest: float) -> list[float]:
    """Return a geometric series of seconds that ends with the longest."""
    series = []
    seconds = FIRST_SECONDS
    while seconds < 0.8 * longest:
        series.append(round(seconds, 3))
        seconds *= RATIO
    return [*series, longest]


def matrix_of(problem: TSP) -> np.ndarray[Any, Any]:
    """Return all lengths, shape (n, n), int32."""
    cities = np.arange(problem.n)
    matrix = np.empty((problem.n, problem.n), np.int32)
    for begin in range(0, problem.n, BLOCK_ROWS):
        rows = cities[begin : begin + BLOCK_ROWS, None]
        matrix[rows.ravel()] = problem.lengths(rows, cities[None, :])
    return matrix


class FastTsp:
    """fast-tsp in processes that hold the matrix of an instance and wait.

    Starting them and making the matrix is not timed.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._pool = CONTEXT.Pool(size, _remember, (CONTEXT.Barrier(size),))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.terminate()
        self._pool.join()

    def load(self, problem: TSP) -> None:
        """Let every process hold the lengths of this instance."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "matrix.npy"
            np.save(path, matrix_of(problem))
            self._pool.map(_load, [path] * self.size, chunksize=1)

    def independent(self, seconds: float, count: int) -> tuple[list[int], float]:
        """Run one thread in each of `count` tasks; return the costs and the wall time of all."""
        return self._map([(seconds, 1)] * count)

    def together(self, seconds: float, threads: int) -> tuple[int, float]:
        """Let threads of one process search together; return the cost and the wall time."""
        costs, wall = self._map([(seconds, threads)])
        return costs[0], wall

    def _map(self, tasks: list[tuple[float, int]]) -> tuple[list[int], float]:
        begin = time.perf_counter()
        costs = self._pool.map(_fast_tsp, tasks, chunksize=1)
        return costs, time.perf_counter() - begin


def _remember(barrier: Any) -> None:
    global _barrier
    import fast_tsp  # noqa: F401  (imported before time runs)

    _barrier = barrier


def _load(path: Path) -> None:
    global _matrix
    _matrix = np.load(path)
    _barrier.wait()  # no process takes the task of another


def _fast_tsp(task: tuple[float, int]) -> int:
    import fast_tsp

    seconds, threads = task
    tour = np.asarray(fast_tsp.find_tour(_matrix, seconds, max_threads=threads))
    if len(np.unique(tour)) != len(_matrix):
        raise AssertionError("fast-tsp returned no tour")
    return int(_matrix[tour, np.roll(tour, -1)].sum(dtype=np.int64))


@contextmanager
def elkai_runs(problems: dict[str, TSP], limit: float) -> Iterator[dict[str, Any]]:
    """Run elkai once on each problem, in the background of the block; its records follow it.

    A run has a process of its own, which is ended `limit` seconds after its start.
    """
    records: dict[str, Any] = {}
    running = {}
    for name, problem in problems.items() if has("elkai") else ():
        answers = CONTEXT.Queue()
        process = CONTEXT.Process(target=_elkai, args=(problem.coordinates, answers), daemon=True)
        process.start()
        running[name] = (process, answers, time.perf_counter() + limit)
    try:
        yield records
        for name, (_, answers, end) in running.items():
            try:
                tour, seconds = answers.get(timeout=max(0.1, end - time.perf_counter()))
            except queue.Empty:
                records[name] = {"seconds": None, "cost": None, "limit": limit}
            else:
                cost = int(problems[name].cost(np.asarray(tour, np.int32)[None])[0])
                records[name] = {"seconds": seconds, "cost": cost, "limit": limit}
    finally:
        for process, _, _ in running.values():
            process.kill()
            process.join()


def _elkai(coordinates: Any, answers: Any) -> None:
    import elkai

    cities = elkai.Coordinates2D({str(c): tuple(xy) for c, xy in enumerate(coordinates.tolist())})
    begin = time.perf_counter()
    tour = cities.solve_tsp(runs=1)
    answers.put(([int(c) for c in tour[: len(coordinates)]], time.perf_counter() - begin))


def or_tools(matrix: np.ndarray[Any, Any], seconds: float) -> int:
    """Return the cost of OR-Tools' tour: guided local search from the cheapest arcs."""
    from ortools.constraint_solver import pywrapcp, routing_enums_pb2

    manager = pywrapcp.RoutingIndexManager(len(matrix), 1, 0)
    routing = pywrapcp.RoutingModel(manager)
    lengths = routing.RegisterTransitMatrix(matrix.tolist())
    routing.SetArcCostEvaluatorOfAllVehicles(lengths)
    settings = pywrapcp.DefaultRoutingSearchParameters()
    settings.first_solution_strategy = routing_enums_pb2.FirstSolutionStrategy.PATH_CHEAPEST_ARC
    settings.local_search_metaheuristic = (
        routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    )
    settings.time_limit.FromMilliseconds(round(1000 * seconds))
    return int(routing.SolveWithParameters(settings).ObjectiveValue())

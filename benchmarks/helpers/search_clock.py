"""Clocks of the local search benchmarks: kernels apart from calls, GPU beside CPU."""

from __future__ import annotations

import math
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpu_ls_plugin import TSP, LocalSearch
    from gpu_ls_plugin.tours.engines.engine import Engine

NO_LIMIT = 2**62
WHOLE = 2**30  # examined cities: a launch of this many ends with all tours at the optimum
LONG = 1.0  # seconds of a call that is not repeated
FILL_BYTES, FILLS = 1 << 30, 4  # keep a GPU busy for about a millisecond


def engine_maker(
    search: LocalSearch, problem: TSP, tours: Any, backend: str
) -> Callable[[], Engine]:
    """Return a function that makes the engine behind a search, on copies of the tours."""
    from gpu_ls_plugin.backends import get_backend
    from gpu_ls_plugin.tours.engines import engines

    chosen = get_backend(backend)
    factory = engines.choose(search)(search, chosen, problem, 1, chosen.available_memory)
    given = chosen.xp.asarray(tours)
    return lambda: factory.make(given.copy(), 0, NO_LIMIT)


def to_optimum(engine: Engine) -> None:
    """Search to the end: one launch of a descent, as many as it takes of other engines."""
    from gpu_ls_plugin.core.result import Statistics
    from gpu_ls_plugin.runs.drive import drive
    from gpu_ls_plugin.runs.stretch import Stretch
    from gpu_ls_plugin.tours.engines.descent.city_descent import CityDescent
    from gpu_ls_plugin.tours.searches.descents import Descents

    if isinstance(engine, CityDescent):
        engine.launch(WHOLE, math.inf)
    else:
        drive(Descents(engine, Statistics()), Stretch())


def repeated(call: Callable[[], float], repeats: int) -> list[float]:
    """Return the results of several calls, or of one call if it is long."""
    seconds = [call()]
    while len(seconds) < repeats and seconds[0] < LONG:
        seconds.append(call())
    return seconds


def queued_seconds(call: Callable[[], Any]) -> float:
    """Return the seconds between events around work that is queued behind other work of the device.

    So the time in which Python launches kernels does not count.
    """
    import cupy

    block = cupy.empty(FILL_BYTES, "uint8")
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    for _ in range(FILLS):
        block.fill(0)
    begin.record()
    call()
    end.record()
    end.synchronize()
    return float(cupy.cuda.get_elapsed_time(begin, end)) / 1e3


def search_seconds(
    search: LocalSearch, problem: TSP, tours: Any, backend: str, repeats: int
) -> tuple[list[float], Engine]:
    """Time the search alone, data and tours on the backend; return the last engine, too."""
    make = engine_maker(search, problem, tours, backend)
    make().launch(1, math.inf)  # compiles
    last: list[Engine] = []

    def once() -> float:
        last[:] = [make()]
        if backend == "cuda":
            return queued_seconds(lambda: to_optimum(last[0]))
        return common.seconds_of(lambda: to_optimum(last[0]))[0]

    seconds = repeated(once, repeats)
    if last[0].unfinished():
        raise AssertionError(f"{search!r} did not end in {backend}")
    return seconds, last[0]


def compare(
    what: str,
    search: LocalSearch,
    problem: TSP,
    tours: Any,
    *,
    gpu: bool,
    bar_ms: float | None = None,
    ratio_bar: float | None = None,
    repeats: int = 5,
    cpu_repeats: int = 3,
    calls: bool = True,
) -> dict[str, Any]:
    """Time one search of some tours to the optimum on the GPU and on the CPU backend.

    `kernel_ms` and `cpu_ms` are the search alone, `wall_ms` and `cpu_wall_ms` whole calls of
    `LocalSearch` with NumPy arrays in and out (left out without `calls`). All are medians, and the
    ratios are those of the CPU to the GPU. `peak_gb` is the device memory that these calls need.
    Without `gpu`, the numbers of the GPU are None. Long calls on the CPU are left out.
    """
    row: dict[str, Any] = {
        "what": what,
        "instance": problem.name,
        "n": problem.n,
        "tours": len(tours),
        "search": repr(search),
        "threads": _threads(),
        "bar_ms": bar_ms,
        "ratio_bar": ratio_bar,
        "peak_gb": None,
    }
    ends = {}

    def call(backend: str) -> float:
        return common.seconds_of(lambda: search(problem, tours, backend=backend))[0]

    for backend, prefix, times in (("cuda", "", repeats), ("cpu", "cpu_", cpu_repeats)):
        kernel, wall = ("kernel_ms" if not prefix else "cpu_ms"), f"{prefix}wall_ms"
        row[kernel] = row[wall] = None
        if backend == "cuda" and not gpu:
            continue
        seconds, engine = search_seconds(search, problem, tours, backend, times)
        row[kernel], row[f"all_{kernel}"] = _milliseconds(seconds)
        ends[backend] = engine.backend.to_numpy(engine.tours)
        row["passes_per_tour"] = float(engine.pass_counts.mean())
        row["moves_per_tour"] = float(engine.move_counts.mean())
        del engine  # its memory is not that of a call
        if calls and (backend == "cuda" or seconds[0] < LONG):
            with device_peak(row, backend):
                seconds = repeated(lambda b=backend: call(b), times)
            row[wall], row[f"all_{wall}"] = _milliseconds(seconds)
    costs = problem.cost(ends["cpu"])
    row |= {"mean_cost": float(costs.mean()), "best_cost": float(costs.min())}
    row["start_cost"] = float(problem.cost(tours).mean())
    row["same_tours"] = bool((ends["cuda"] == ends["cpu"]).all()) if gpu else None
    row["ratio"] = row["cpu_ms"] / row["kernel_ms"] if gpu else None
    walls = row["cpu_wall_ms"], row["wall_ms"]
    row["wall_ratio"] = None if None in walls else walls[0] / walls[1]
    print(what, *(f"{k} {row[k]:.4g}" for k in PRINTED if row[k] is not None), sep="; ", flush=True)
    return row


PRINTED = ("kernel_ms", "wall_ms", "cpu_ms", "cpu_wall_ms", "ratio", "bar_ms", "mean_cost")


def _milliseconds(seconds: list[float]) -> tuple[float, list[float]]:
    return 1e3 * common.median(seconds), [1e3 * s for s in seconds]


def _threads() -> int:
    from gpu_ls_plugin.backends import get_backend

    return get_backend("cpu").processors


@contextmanager
def device_peak(row: dict[str, Any], backend: str) -> Iterator[None]:
    """Set `peak_gb`: the device memory of the block, and of the data that are there before it."""
    if backend != "cuda":
        yield
        return
    import cupy

    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    yield
    row["peak_gb"] = pool.total_bytes() / 1e9  # the pool gave nothing back


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Limit the CPU backend to some threads."""
    before = os.environ.get("GPU_LS_THREADS")
    os.environ["GPU_LS_THREADS"] = str(count)
    try:
        yield
    finally:
        if before is None:
            del os.environ["GPU_LS_THREADS"]
        else:
            os.environ["GPU_LS_THREADS"] = before

"""Kicks a second of populations in one kernel, and of the engine for single large tours."""

from __future__ import annotations

import dataclasses
import math
from contextlib import contextmanager
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.helpers.search_clock import queued_seconds
from benchmarks.iterated.setting import Setting, lin_kernighan, read, show, timed_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpu_ls_plugin import TSP
    from gpu_ls_plugin.backends.base import Backend

POPULATIONS = {"pr1002": 140.0, "fnl4461": 80.0}  # instance: bar in million kicks a second
PER_PROCESSOR = {"pr1002": (16, 24, 28, 32), "fnl4461": (10, 16, 20, 32)}
WINDOWS = (10, 30, 50)  # of kicks, in addition to the usual one
WINDOW_CHAINS = {"pr1002": 32, "fnl4461": 10}  # on a multiprocessor
LAUNCHES = {"pr1002": 10, "fnl4461": 4}  # of n kicks for each chain
LARGE_CITIES = (5_000, 20_000, 100_000, 1_000_000)
LARGE_SECONDS = 2.0
HALF_CITIES, HALF_BAR = 100_000, 1.7  # of a tour that is also searched on half of the device
SECONDS_PER_CITY = 2e-5  # of candidates, start and first descents
PART, SIDE = 800, 1_000_000  # cities of a part of a tour; side of the square
COLUMNS = (
    "instance",
    "n",
    "tours",
    "engine",
    "mkicks_per_second",
    "first_mkicks_per_second",
    "launch_ms",
    "bar",
)


def kicks(setting: Setting) -> dict[str, Any]:
    """Measure kicks a second of all tours together."""
    import gpu_ls_plugin as gls

    rows: list[dict[str, Any]] = []
    for name, bar in setting.some({"pr1002": 140.0}, POPULATIONS).items():
        problem = read(name)
        for each in setting.some((1, 2), PER_PROCESSOR[name]):
            if setting.spent(f"{name}, {each} tours a multiprocessor", 2.0):
                continue
            with setting.guarded(f"{name}, {each} tours a multiprocessor"):
                rows.append(_population(setting, problem, each) | {"bar": bar})
                setting.log(f"{name}, {rows[-1]['tours']}: {rows[-1]['mkicks_per_second']:.4g} M/s")
    for name, window in product(setting.some((), WINDOW_CHAINS), WINDOWS):
        with setting.guarded(f"{name}, window {window}"):
            kick = gls.DoubleBridge(segment=window)
            row = _population(setting, read(name), WINDOW_CHAINS[name], perturbation=kick)
            rows.append(row | {"engine": f"window {window}", "bar": POPULATIONS[name]})
            setting.log(f"{name}, window {window}: {rows[-1]['mkicks_per_second']:.4g} M/s")
    rows += _large(setting)
    show("million kicks a second, all tours together", rows, COLUMNS)
    return {"rows": rows, "launch": "n kicks a chain, on the way through an annealing schedule"}


def _population(setting: Setting, problem: TSP, each: int, **options: Any) -> dict[str, Any]:
    """Time launches of n kicks for each chain between events, from local optima on."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.backends import get_backend
    from gpu_ls_plugin.tours.engines.chains.start import Start

    backend = get_backend(setting.backend)
    size, search = each * backend.processors, lin_kernighan(**options)
    tours = gls.nearest_neighbour(problem, size, seed=1, backend=setting.backend)
    optima = search.search(problem, tours, backend=setting.backend).tours
    launches = setting.some(2, LAUNCHES.get(problem.name, 4))
    length = setting.some(100, problem.n)
    first = search.accept.level(0.0)
    cooling = (first - search.accept.level(1.0)) / (launches * length)

    def begin() -> Any:
        return search.chains(Start(backend, problem, backend.xp.asarray(optima).copy(), 1))

    begin().advance(1, first, cooling, math.inf)  # compiles
    chains, seconds = begin(), []
    for launch in range(launches):
        until = (launch + 1) * length
        seconds.append(_seconds(partial(chains.advance, until, first, cooling, math.inf), backend))
    made = int(chains.kicks.sum())
    if made != size * launches * length:
        raise AssertionError(f"{made} kicks instead of {size * launches * length}")
    rates = [size * length / s / 1e6 for s in seconds]
    return {
        "instance": problem.name,
        "n": problem.n,
        "tours": size,
        "engine": type(chains).__name__,
        "mkicks_per_second": made / sum(seconds) / 1e6,
        "first_mkicks_per_second": rates[0],
        "launch_mkicks_per_second": rates,
        "launch_ms": 1e3 * common.median(seconds),
    }


def _seconds(launch: Callable[[], None], backend: Backend) -> float:
    """Return the seconds of a kernel; on the GPU without the time in which Python launches it."""
    return queued_seconds(launch) if backend.name == "cuda" else common.seconds_of(launch)[0]


def _large(setting: Setting) -> list[dict[str, Any]]:
    """Time the engine for large tours on one tour, if the backend has it."""
    import gpu_ls_plugin as gls

    if "part" not in {field.name for field in dataclasses.fields(gls.IteratedLocalSearch)}:
        setting.skipped.append("large tours: IteratedLocalSearch has no part")
        return []
    rows = []
    for n in setting.some(LARGE_CITIES[:1], LARGE_CITIES):
        if setting.spent(f"one tour of {n} cities", LARGE_SECONDS + n * SECONDS_PER_CITY):
            continue
        with setting.guarded(f"one tour of {n} cities"):
            rows.append(_one_tour(setting, n))
            setting.log(f"{n} cities: {rows[-1]['mkicks_per_second']:.4g} M/s")
    return rows


def multiprocessors(setting: Setting) -> dict[str, Any]:
    """Measure kicks a second of one tour on all multiprocessors, and on half of them."""
    n = setting.some(LARGE_CITIES[0], HALF_CITIES)
    whole = _one_tour(setting, n)
    with occupied(setting.processors // 2):
        half = _one_tour(setting, n)
    half["engine"] += ", half of the multiprocessors occupied"
    show("million kicks a second, one tour", [whole, half], COLUMNS[:5])
    return {
        "rows": [whole, half],
        "occupied": setting.processors // 2,
        "ratio": whole["mkicks_per_second"] / half["mkicks_per_second"],
        "bar": HALF_BAR,
    }


def _one_tour(setting: Setting, n: int) -> dict[str, Any]:
    """Count the kicks of some seconds, without the time of starts and first descents."""
    import gpu_ls_plugin as gls

    search = gls.IteratedLocalSearch(
        gls.LocalSearch([gls.LinKernighan(3)], candidates=gls.Quadrant(8)), part=PART
    )
    problem = gls.TSP(common.uniform(n, SIDE), "EUC_2D", name=f"uniform {n}")
    shared = {"optimum": 1.0, "start": gls.greedy(problem, backend=setting.backend)}
    first, _ = timed_run(setting, problem, search, 1, **shared, kicks=1)  # compiles
    seconds = first["phases"]["descent"] + setting.seconds(LARGE_SECONDS)
    record, _ = timed_run(setting, problem, search, 1, **shared, seconds=seconds)
    return {
        "instance": problem.name,
        "n": n,
        "tours": 1,
        "engine": f"parts of {PART}",
        "mkicks_per_second": record["kicks_per_second"] / 1e6,
        "phases": record["phases"],
        "kicks": record["kicks"],
    }


OCCUPY = r"""
extern "C" __global__ void occupy(const volatile int* leave, long long until) {
  long long now;
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  while (!*leave && now < until);
}
extern "C" __global__ void read_clock(long long* now) {
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(*now));
}
"""
MOST_OCCUPIED = 30.0  # seconds


@contextmanager
def occupied(processors: int) -> Iterator[None]:
    """Keep some multiprocessors busy, each by one block that takes all shared memory."""
    import cupy
    import numpy as np

    from gpu_ls_plugin.backends import get_backend

    module = cupy.RawModule(code=OCCUPY)
    now, stream = cupy.empty(1, "int64"), cupy.cuda.Stream(non_blocking=True)
    module.get_function("read_clock")((1,), (1,), (now,))
    until = int(now[0]) + int(MOST_OCCUPIED * 1e9)
    leave = np.frombuffer(cupy.cuda.alloc_pinned_memory(4), np.int32, 1)
    leave[0] = 0
    kernel, room = module.get_function("occupy"), get_backend("cuda").shared_memory
    kernel.max_dynamic_shared_size_bytes = room
    arguments = (np.uint64(leave.ctypes.data), np.int64(until))
    kernel((processors,), (32,), arguments, shared_mem=room, stream=stream)
    try:
        yield
    finally:
        leave[0] = 1
        stream.synchronize()


def draw(plot: Any, section: dict[str, Any]) -> None:
    """Draw kicks a second against the number of tours, and of single tours against cities."""
    rows = [
        row
        for row in section["rows"]
        if row["tours"] > 1 and not row["engine"].startswith("window")
    ]
    for number, name in enumerate(dict.fromkeys(row["instance"] for row in rows)):
        mine = [row for row in rows if row["instance"] == name]
        rates = [r["mkicks_per_second"] for r in mine]
        plot.plot([r["tours"] for r in mine], rates, "-o", color=f"C{number}", label=name)
        plot.axhline(mine[0]["bar"], color=f"C{number}", linestyle=":")
    plot.set(title="LinKernighan(3), Alpha(5)", xlabel="tours", ylabel="million kicks a second")
    plot.set_ylim(bottom=0)
    plot.legend(fontsize=7)

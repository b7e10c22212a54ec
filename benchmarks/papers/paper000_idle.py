"""The share of an iteration in which the GPU has no kernel to run (figures 7 to 9 and 20 to 22).

Loops of the kernels in paper000.cu are driven by the host, as in the paper: `waiting` copies each
move and waits for it; `ahead` queues the next stretches before it waits for the move. `graph` is
the library's search. Kernels are recorded by the GPU's profiler (CUPTI, by torch, if it is
installed) in a second run; otherwise their time is that of a CUDA graph of the same launches, which
has gaps of about a microsecond between kernels.
"""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.papers.paper000 import constrained, iteration_seconds, search_of
from benchmarks.papers.paper000_ablation import Ablation, Variant, decoded
from benchmarks.papers.paper000_kernels import pass_seconds
from benchmarks.papers.paper000_steps import chain, replayed

if TYPE_CHECKING:
    from collections.abc import Callable

LOOPS = ("first, waiting", "tuned, waiting", "tuned, ahead", "graph")
SIZES = {2: (399, 967, 2401), 3: (99, 399)}
ITERATIONS = {2: 100, 3: 20}
TO_HOST = 2  # kind of a copy


def row(edges: int, n: int, loop: str) -> dict[str, Any]:
    """Return the seconds of an iteration, and of its kernels."""
    problem, tours = constrained(n)
    count = ITERATIONS[edges]
    if loop == "graph":
        wall, busy, source = of_the_library(problem, tours, edges, count)
    else:
        version, kind = loop.split(", ")
        variant = Variant(edges) if version == "first" else paper_best(edges)
        search = Ablation(problem, tours[0].get(), variant)
        run = {"waiting": waiting, "ahead": ahead}[kind]
        run(search, 3)
        wall = run(search, count)
        recorded = kernel_seconds(lambda: run(search, count))
        busy, source = (recorded or 0.0) / count, "profiler"
        if recorded is None:
            busy, source = replayed(lambda: one_iteration(search)), "graph"
    return {"edges": edges, "n": n, "loop": loop, "wall": wall, "kernels": busy, "by": source,
            "idle": max(0.0, 1 - busy / wall)}  # fmt: skip


def paper_best(edges: int) -> Variant:
    """Return the paper's last variant: two kernels of two resources each."""
    return next(v for step, v, _ in chain(edges) if step.name == "pairs of resources")


def one_iteration(search: Any) -> None:
    """Queue the kernels of an iteration."""
    for step in (search.build, search.clear, search.evaluate, search.reduce, search.apply):
        step()


def waiting(search: Any, count: int) -> float:
    """Run iterations that copy each move and wait for it; return the seconds of one."""
    begin = time.perf_counter()
    for _ in range(count):
        one_iteration(search)
        search.swap(decoded(int(search.read("found", "u8")[0]))[0])
    return (time.perf_counter() - begin) / count


def ahead(search: Any, count: int) -> float:
    """Run iterations that queue the next stretches before they wait for the move."""
    import cupy

    stream, key = cupy.cuda.get_current_stream(), np.ndarray(1, "u8", pinned(8))
    begin = time.perf_counter()
    search.build()
    for _ in range(count):
        for step in (search.clear, search.evaluate, search.reduce, search.apply):
            step()
        source = int(search.batch["found"][0])
        cupy.cuda.runtime.memcpyAsync(key.ctypes.data, source, 8, TO_HOST, stream.ptr)
        copied = cupy.cuda.Event()
        copied.record()
        search.swap()
        search.build()
        copied.synchronize()
        search.batch["length"] += decoded(int(key[0]))[0]
    stream.synchronize()
    return (time.perf_counter() - begin) / count


def pinned(count: int) -> Any:
    """Return pinned memory of the host."""
    import cupy

    return cupy.cuda.alloc_pinned_memory(count)


def of_the_library(problem: Any, tours: Any, edges: int, count: int) -> tuple[float, float, str]:
    """Return the seconds of an iteration of the library, and of its kernels."""
    import gpu_ls_plugin as gls

    search = search_of(edges)
    wall = iteration_seconds(search, problem, tours, count)

    def run(moves: int) -> tuple[float | None, int]:
        passes: list[int] = []

        def call() -> None:
            found = search(problem, tours, budget=gls.Budget(moves=moves), backend="cuda")
            passes.append(found.statistics.passes)

        return kernel_seconds(call), passes[-1]

    (short, few), (long, many) = run(1), run(count)
    if short is None or long is None:
        evaluation, step = pass_seconds(problem.tsp, tours, edges)
        return wall, evaluation + step, "kernels one by one"
    return wall, (long - short) / max(1, many - few), "profiler"


def kernel_seconds(work: Callable[[], Any]) -> float | None:
    """Return the seconds in which kernels ran, by the GPU's profiler; None if it recorded none."""
    if find_spec("torch") is None:
        return None
    import torch
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        work()
        torch.cuda.synchronize()
    spans = sorted(
        (event.time_range.start, event.time_range.end)
        for event in profiler.events()
        if event.device_type == torch.autograd.DeviceType.CUDA
        and not event.name.startswith(("Memcpy", "Memset"))
    )
    busy, end = 0.0, 0.0
    for begin, stop in spans:  # kernels may overlap
        busy += max(0.0, stop - max(begin, end))
        end = max(end, stop)
    return busy / 1e6 if spans else None

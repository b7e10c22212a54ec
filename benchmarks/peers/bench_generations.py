"""The time of a generation of `MemeticGA` beside its kernels, and its memory over generations.

The share of kernels is recorded by the GPU's profiler (CUPTI, by torch) over 30 generations of
1,000 tours of 1,000 cities; copies do not count as kernels. Memory is that of the process and of
the device after 1,000 and after 10,000 generations of 200 tours of 200 cities.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common

if TYPE_CHECKING:
    import argparse

SIZE, CITIES, GENERATIONS = 1000, 1000, 30
FEW, LAST = 200, 10_000
PAGE = 4096  # bytes


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the requested parts."""
    found: dict[str, Any] = {"memory": _memory(options)}
    if options.backend == "cuda":
        found["share"] = [_share(name, limit) for name, limit in (("gen", 10**6), ("time", 600))]
    for name, rows in found.items():
        common.show(name, tuple(rows[0]), [list(row.values()) for row in rows])
    return {options.backend: found}


def _algorithm(size: int, n: int, backend: str, termination: tuple[str, int]) -> Any:
    import gpu_ls_plugin as gls
    from gpu_ls_pymoo import MemeticGA, TSPProblem

    places = np.random.default_rng(1).integers(0, 10**6, (n, 2))
    algorithm = MemeticGA(size, backend=backend)
    return algorithm.setup(TSPProblem(gls.TSP(places)), termination=termination, seed=1)


def _share(limit: str, most: int) -> dict[str, Any]:
    """Return the milliseconds of a generation, and of its kernels."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    algorithm = _algorithm(SIZE, CITIES, "cuda", (f"n_{limit}" if limit == "gen" else limit, most))
    for _ in range(10):
        algorithm.next()
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        begin = time.perf_counter()
        for _ in range(GENERATIONS):
            algorithm.next()
        torch.cuda.synchronize()
        whole = 1e3 * (time.perf_counter() - begin) / GENERATIONS
    kernels = 0.0
    for event in profiler.events():
        on_device = event.device_type == torch.autograd.DeviceType.CUDA
        if on_device and not event.name.startswith(("Memcpy", "Memset")):
            kernels += event.time_range.elapsed_us()
    kernels /= 1e3 * GENERATIONS
    return {"limit": limit, "ms": whole, "kernels_ms": kernels, "rest": 1 - kernels / whole}


def _memory(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the bytes in use after some generations, and after ten times as many."""
    algorithm = _algorithm(FEW, FEW, options.backend, ("n_gen", 10**9))
    rows = []
    for generation in range(1, options.generations + 1):
        algorithm.next()
        if generation in (options.generations // 10, options.generations):
            host = int(Path("/proc/self/statm").read_text().split()[1]) * PAGE
            rows.append({"generations": generation, "host": host, "device": _held(options.backend)})
    return rows


def _held(backend: str) -> int:
    if backend == "cpu":
        return 0
    import cupy

    return int(cupy.get_default_memory_pool().total_bytes())


if __name__ == "__main__":
    options = common.arguments(
        __doc__,
        ("--backend", {"choices": ("cpu", "cuda"), "default": "cpu", "help": "backend"}),
        ("--generations", {"type": int, "default": LAST, "help": "before memory is read"}),
    )
    common.write_json(
        options.out, f"generations_{options.backend}", __doc__ or "", measure(options)
    )

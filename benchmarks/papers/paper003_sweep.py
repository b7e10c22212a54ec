"""Layouts of short climbs on a GPU: which number of lanes and rows is the fastest?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.papers.paper003_ours import Ours, layout
from benchmarks.papers.paper003_versions import instance, throughput

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

SIZES = (10, 16, 25, 33, 50, 64, 75, 100, 128, 150, 200, 256, 300, 400, 480)
LOAD = 2048  # climbs per multiprocessor
UNROLLED = (1, 4)  # columns per iteration, besides the usual two


def sweep(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Measure each layout with its predicted speed, and that of blocks."""
    cupy = common.require_gpu()
    from gpu_ls_plugin.backends import get_backend
    from gpu_ls_plugin.tours.engines.exhaustive import two_opt_climb as climb

    backend = get_backend("cuda")
    processors = int(cupy.cuda.Device().attributes["MultiProcessorCount"])
    memory = backend.shared_memory
    metric = instance(SIZES[0])[0].metric
    sizes = options.sizes or SIZES
    for n in sizes:
        for shape in _shapes(n, memory):
            backend.begin(climb.climb_kernel(metric, shape))  # compiled side by side
    for n in sizes:
        problem, starts = instance(n)
        own = Ours(problem, starts)
        row: dict[str, Any] = {"n": n}
        for shape in _shapes(n, memory):
            of_lanes = isinstance(shape, climb.LaneShape)
            speed = shape.speed(n, LOAD, memory) if of_lanes else shape.speed(n, LOAD)
            with layout(shape):
                found = throughput(own.kernel, n, own.full_load(), options)
            row[_name(shape)] = found | {"predicted": 1e9 * processors * speed}
        rates = {k: (v["moves_per_s"], v["predicted"]) for k, v in row.items() if k != "n"}
        print(n, {k: f"{r / 1e9:.0f} ({p / 1e9:.0f})" for k, (r, p) in rates.items()}, flush=True)
        yield str(n), row


def _shapes(n: int, memory: int) -> list[Any]:
    """Return the best layout by blocks, those of each number of lanes, and the best unrolled."""
    from dataclasses import replace

    from gpu_ls_plugin.tours.engines.exhaustive import lane_climb
    from gpu_ls_plugin.tours.engines.exhaustive.two_opt_climb import climb_shape

    found: list[Any] = [climb_shape(n, LOAD, memory, True)]
    for lanes in lane_climb.LANES:
        rows = [r for r in lane_climb.ROWS[True] if lanes * r >= n >= 2 * r + 2]
        found += [lane_climb.usual_shape(lanes, r, True) for r in rows[:1]]
    best = lane_climb.lane_shape(n, LOAD, memory, True)
    if best is not None:
        if best.lanes > 1:
            found += [replace(best, unroll=u) for u in UNROLLED]
        found += [best, replace(best, warps=4, blocks=best.blocks // 2)]
    return list(dict.fromkeys(found))


def _name(shape: Any) -> str:
    """Return a short name: lanes x rows, unrolled columns, warps; or warps x rows of a block."""
    if hasattr(shape, "lanes"):
        return f"{shape.lanes}x{shape.rows}, {shape.unroll}, {shape.warps}"
    return f"block {shape.warps}x{shape.rows}"

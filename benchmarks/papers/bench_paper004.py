"""Successor generation as Köster, Groß and Krüger measure it (FANG): points that walk on a grid.

`states` (table 1): 1,024 and 4,096 states of 8 and 32 variables with 1,224, 4,488 and 9,800 values,
all active, by each sampler. `loads` (table 2): the same with 8 variables and 1, 8 and 16 distances
in a rating. `seconds` are those of the kernel, the median of pairs of events around it.
`call_seconds` are those of a whole call with states on the GPU, with checks and allocation.
`cores`: rescan of 64 states on one core and on up to 16 of this machine, with the variables and
values of table 1. The paper's figures are of a GeForce GTX 1080 Ti and of a Core i9 7940X (14
cores). Compiling is not timed.
"""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common
from benchmarks.helpers.limit import Limit
from benchmarks.papers.paper004 import GridWalk

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

NAME = "paper004"
SIDES = (35, 67, 99)
STATES, VARIABLES, LOADS = (1024, 4096), (8, 32), (1, 8, 16)
SAMPLERS = ("stored", "rescan")
# Milliseconds of the paper: GTX 1080 Ti, Core i9 7940X.
TABLE_1 = {
    (1024, 8): ((2.20, 3.26), (3.34, 10.42), (5.05, 22.28)),
    (1024, 32): ((6.97, 11.06), (9.85, 40.02), (16.90, 87.31)),
    (4096, 8): ((6.48, 12.08), (9.84, 40.18), (16.94, 85.09)),
    (4096, 32): ((23.27, 42.21), (37.78, 154.70), (66.30, 336.196)),
}
TABLE_2 = {
    (1024, 35): ((2.20, 3.26), (1.88, 7.81), (1.82, 14.05)),
    (1024, 67): ((3.34, 10.42), (3.40, 27.39), (2.75, 50.11)),
    (4096, 35): ((6.48, 12.08), (6.26, 29.42), (6.26, 53.70)),
    (4096, 67): ((9.84, 40.18), (10.00, 104.61), (9.91, 193.39)),
}
BARS = {("rescan", 1024): 4e-4, ("stored", 1024): 1.6e-3, ("rescan", 4096): 1.6e-3}  # 32 x 9,800
REPEATS, CPU_STATES, MOST_CORES = 20, 64, 16
SECTIONS = ("states", "loads", "cores")
COLUMNS = ("states", "variables", "values", "load", "sampler", "seconds", "call_seconds", "paper")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the requested sections."""
    record = common.stored(options.out, NAME, SECTIONS)
    measures, limit = {"states": states, "loads": loads, "cores": cores}, Limit(options.limit)
    for name in options.sections.split(","):
        if limit.over(f"section {name}"):
            continue
        record[name] = measures[name](limit, options.tiny)
        common.write_json(options.out, NAME, __doc__ or "", record)  # also if the run is cut off
    return record


def states(limit: Limit, tiny: bool) -> list[dict[str, Any]]:
    """Time table 1."""
    common.require_gpu()
    rows = []
    largest_first = reversed(TABLE_1.items())  # those with bars
    for (count, variables), figures in largest_first:
        for side, paper in reversed([*zip(SIDES, figures, strict=True)]):
            for sampler in SAMPLERS:
                if limit.over(f"{count} x {variables} x {side**2 - 1}, {sampler}"):
                    continue
                row = _row(count, GridWalk(variables, side), sampler, paper)
                largest = variables == VARIABLES[-1] and side == SIDES[-1]
                rows.append(row | {"bar": BARS.get((sampler, count)) if largest else None})
    common.show("table 1", COLUMNS, [[row[c] for c in COLUMNS] for row in rows])
    return rows


def loads(limit: Limit, tiny: bool) -> list[dict[str, Any]]:
    """Time table 2."""
    common.require_gpu()
    rows = []
    for (count, side), figures in TABLE_2.items():
        for load, paper in zip(LOADS, figures, strict=True):
            for sampler in SAMPLERS:
                if not limit.over(f"{count} x 8 x {side**2 - 1}, load {load}, {sampler}"):
                    rows.append(_row(count, GridWalk(VARIABLES[0], side, load), sampler, paper))
    common.show("table 2", COLUMNS, [[row[c] for c in COLUMNS] for row in rows])
    return rows


def cores(limit: Limit, tiny: bool) -> list[dict[str, Any]]:
    """Time some states on one core and on several."""
    import gpu_ls_plugin as gls

    rows, most = [], min(MOST_CORES, len(os.sched_getaffinity(0)))
    for variables in VARIABLES:
        for side in SIDES[:1] if tiny else SIDES:
            if limit.over(f"cores, {variables} x {side**2 - 1}"):
                continue
            generate = gls.SuccessorGeneration(GridWalk(variables, side), "rescan")
            given = np.full((CPU_STATES, variables), -1, np.int32)
            row = {"variables": variables, "values": side**2 - 1, "cores": most}
            for name, threads in (("one_core", 1), ("several_cores", most)):
                os.environ["GPU_LS_THREADS"] = str(threads)
                generate(None, given[:1], backend="cpu")
                times = common.seconds_of(lambda g=generate, s=given: g(None, s, backend="cpu"), 3)
                row[f"{name}_seconds_of_a_state"] = min(times) / CPU_STATES
                del os.environ["GPU_LS_THREADS"]
            rows.append(row)
    columns = list(rows[0]) if rows else []
    common.show("a state on CPU cores", columns, [[row[c] for c in columns] for row in rows])
    return rows


def _row(
    count: int, heuristic: GridWalk, sampler: str, paper: tuple[float, float]
) -> dict[str, Any]:
    """Return the times of a kernel and of a call, beside the paper's."""
    import cupy

    import gpu_ls_plugin as gls

    generate = gls.SuccessorGeneration(heuristic, sampler)
    given = cupy.full((count, heuristic.variables), -1, "int32")
    kernel = _launches(lambda: generate(None, given))
    calls = common.seconds_of(lambda: generate(None, given), REPEATS, on_gpu=True)
    return {
        "states": count,
        "variables": heuristic.variables,
        "values": heuristic.side**2 - 1,
        "load": heuristic.load,
        "sampler": sampler,
        "seconds": common.median(common.seconds_of(kernel, REPEATS, on_gpu=True)),
        "call_seconds": common.median(calls),
        "paper": paper[0] / 1e3,
        "paper_cpu": paper[1] / 1e3,
    }


def _launches(call: Callable[[], Any]) -> Callable[[], None]:
    """Return a function that repeats only the launches of a call, which is made once."""
    from gpu_ls_plugin.backends import get_backend

    backend, launches = get_backend("cuda"), []
    usual = backend.launch

    def launch(*given: Any, **options: Any) -> bool:
        launches.append(backend.bound(*given, **options))
        return usual(*given, **options)

    backend.launch = launch
    try:
        call()
    finally:
        del backend.launch

    def repeat() -> None:
        for one in launches:
            one()

    return repeat


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw the times of table 1 beside the paper's, and those of table 2 by load."""
    if not {"states", "loads"} <= set(record):
        print("no figure: sections states and loads have not been measured")
        return
    with common.Figure(out, NAME, columns=2) as axes:
        for variables in VARIABLES:
            name = f", {variables} variables"
            rows = [r for r in record["states"] if r["variables"] == variables]
            _curves(axes[0], [r for r in rows if r["states"] == STATES[0]], "values", name)
        rows = [r for r in record["loads"] if (r["states"], r["values"]) == (STATES[0], 4488)]
        _curves(axes[1], rows, "load")
        axes[0].set(xlabel="values", ylabel="seconds, 1,024 states", xscale="log", yscale="log")
        axes[1].set(xlabel="distances in a rating", ylabel="seconds, 4,488 values", yscale="log")
        for plot in axes:
            plot.legend(fontsize=7)


def _curves(axes: Any, rows: list[dict[str, Any]], along: str, name: str = "") -> None:
    for sampler in SAMPLERS:
        own = [r for r in rows if r["sampler"] == sampler]
        places = [r[along] for r in own]
        axes.plot(places, [r["seconds"] for r in own], "-o", label=f"{sampler}{name}")
    axes.plot(places, [r["paper"] for r in own], ":x", label=f"paper{name}")


if __name__ == "__main__":
    common.main(
        *(__doc__, NAME, measure, draw),
        ("--sections", {"default": ",".join(SECTIONS)}),
        ("--limit", {"type": float, "default": math.inf, "help": "seconds of all sections"}),
        ("--tiny", {"action": "store_true", "help": "small sizes, for a trial"}),
    )

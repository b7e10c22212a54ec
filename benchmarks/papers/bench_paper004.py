"""Successor generation as Köster, Groß and Krüger measure it (FANG): points that walk on a grid.

`states` (table 1): 1,024 and 4,096 states of 8 and 32 variables with 1,224, 4,488 and 9,800 values,
all active, by each sampler of the library and by the paper's own structure (paper004.cu), which
chooses the same values from the same random bits. `loads` (table 2): 8 variables, and 1, 8 and 16
distances in a rating. Times are those of the kernel: median, mean and standard deviation of 100
pairs of events around it, as in the paper. The paper names no number of threads for its structure;
the fastest of three counts. `call_ms` is the median of whole calls with states on the GPU, with
checks and allocation. `host`: the same rows on all cores, ten runs, and on one core,
some states in proportion. The paper's figures are of a GeForce GTX 1080 Ti, a GTX Titan X, a Core
i9 7940X (14 cores) and a Ryzen 7 2700X (8 cores). Compiling is not timed.
"""

from __future__ import annotations

import math
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common, sections
from benchmarks.helpers.search_clock import threads
from benchmarks.papers import paper004_tables
from benchmarks.papers.paper004 import GridWalk
from benchmarks.papers.paper004_structure import PaperStructure
from benchmarks.papers.paper004_tables import KINDS, TABLE_1, TABLE_2, name_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

NAME = "paper004"
SAMPLERS = ("stored", "rescan")
THREADS = (128, 256, 512)  # of the paper's structure
REPEATS, CALLS, HOST_REPEATS = 100, 20, 10
ONE_CORE_STATES = 64


def states(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Time table 1."""
    for count, variables, values in TABLE_1:
        heuristic = GridWalk(variables, math.isqrt(values + 1))
        yield name_of(count, variables, values), _row(count, heuristic, options)


def loads(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Time table 2."""
    for count, values, load in TABLE_2:
        heuristic = GridWalk(8, math.isqrt(values + 1), load)
        yield name_of(count, 8, values, load), _row(count, heuristic, options)


def host(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Time table 1 on all cores and on one."""
    import gpu_ls_plugin as gls

    for count, variables, values in TABLE_1:
        generate = gls.SuccessorGeneration(GridWalk(variables, math.isqrt(values + 1)))
        given = np.full((count, variables), -1, np.int32)

        def call(rows: Any, generate: Any = generate) -> None:
            generate(None, rows, backend="cpu")

        call(given)
        times = common.seconds_of(lambda c=call, g=given: c(g), HOST_REPEATS)
        some = given[:ONE_CORE_STATES]
        with threads(1):
            call(some)
            alone = min(common.seconds_of(lambda c=call, s=some: c(s), 3))
        row = {"all_cores": _spread(times), "one_core_ms": 1e3 * alone * count / len(some)}
        yield name_of(count, variables, values), row


def _row(count: int, heuristic: GridWalk, options: argparse.Namespace) -> dict[str, Any]:
    """Return the times of each sampler and of the paper's structure."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.backends import get_backend

    xp, on_gpu = get_backend(options.backend).xp, options.backend == "cuda"
    given = xp.full((count, heuristic.variables), -1, "int32")
    row: dict[str, Any] = {}
    for sampler in SAMPLERS:
        generate = gls.SuccessorGeneration(heuristic, sampler)

        def call(generate: Any = generate) -> None:
            generate(None, given, backend=options.backend)

        row[sampler] = _kernel(call, options)
        calls = common.seconds_of(call, CALLS if on_gpu else 1, on_gpu=on_gpu)
        row[sampler]["call_ms"] = 1e3 * common.median(calls)
    structures = []
    for lanes in THREADS if on_gpu else THREADS[:1]:
        structure = PaperStructure(heuristic, lanes)
        times = _kernel(lambda s=structure: s(given, backend=options.backend), options)
        structures.append({"threads": lanes} | times)
    row["structure"] = min(structures, key=lambda found: found["median_ms"])
    return row


def _kernel(call: Callable[[], Any], options: argparse.Namespace) -> dict[str, Any]:
    """Return the times of the launches of a call."""
    repeat, on_gpu = _launches(call, options.backend), options.backend == "cuda"
    for _ in range(3):
        repeat()
    return _spread(common.seconds_of(repeat, REPEATS if on_gpu else 2, on_gpu=on_gpu))


def _spread(seconds: list[float]) -> dict[str, Any]:
    """Return median, mean and standard deviation in milliseconds."""
    return {
        "median_ms": 1e3 * common.median(seconds),
        "mean_ms": 1e3 * statistics.fmean(seconds),
        "sigma_ms": 1e3 * statistics.stdev(seconds),
    }


def _launches(call: Callable[[], Any], name: str) -> Callable[[], None]:
    """Return a function that repeats only the launches of a call, which is made once."""
    from gpu_ls_plugin.backends import get_backend

    backend, launches = get_backend(name), []
    usual = backend.launch

    def launch(kernel: Any, count: int, arguments: Any, **options: Any) -> bool:
        launches.append((backend, kernel, count, arguments, options))
        return usual(kernel, count, arguments, **options)

    backend.launch = launch
    try:
        call()
    finally:
        del backend.launch
    if name == "cpu":
        bound = [lambda one=one: usual(*one[1:4], **one[4]) for one in launches]
    else:
        bound = [one[0].bound(*one[1:4], **one[4]) for one in launches]

    def repeat() -> None:
        for launch in bound:
            launch()

    return repeat


def show(out: Path, record: dict[str, Any]) -> None:
    """Print the tables as Markdown; draw times by values and by load beside the paper's."""
    print(paper004_tables.markdown(record), flush=True)
    if not {"states", "loads"} <= set(record):
        print("no figure: sections states and loads have not been measured")
        return
    with common.Figure(out, NAME, columns=2) as axes:
        for variables in (8, 32):
            sizes = [size for size in TABLE_1 if size[:2] == (1024, variables)]
            rows = [record["states"]["rows"].get(name_of(*size)) for size in sizes]
            paper = [TABLE_1[size][0][0] for size in sizes]
            _curves(axes[0], [size[2] for size in sizes], rows, paper, f", {variables} variables")
        sizes = [size for size in TABLE_2 if size[:2] == (1024, 4488)]
        rows = [record["loads"]["rows"].get(name_of(1024, 8, 4488, load)) for _, _, load in sizes]
        paper = [TABLE_2[size][0][0] for size in sizes]
        _curves(axes[1], [size[2] for size in sizes], rows, paper)
        axes[0].set(xlabel="values", ylabel="milliseconds, 1,024 states", xscale="log")
        axes[1].set(xlabel="distances in a rating", ylabel="milliseconds, 4,488 values")
        for plot in axes:
            plot.set(yscale="log")
            plot.legend(fontsize=7)


def _curves(plot: Any, at: list[int], rows: list[Any], paper: list[float], name: str = "") -> None:
    for kind, label in KINDS.items():
        points = [
            (x, row[kind]["median_ms"], row[kind].get("sigma_ms", 0.0))
            for x, row in zip(at, rows, strict=True)
            if row is not None and kind in row
        ]
        if points:
            places, medians, sigmas = zip(*points, strict=True)
            plot.errorbar(places, medians, sigmas, fmt="-o", label=label.replace("`", "") + name)
    plot.plot(at, paper, ":x", label=f"paper{name}")


SECTIONS: dict[str, sections.Section] = {"states": states, "loads": loads, "host": host}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the requested sections, row by row."""
    return sections.measure(options, NAME, __doc__ or "", SECTIONS, {})


if __name__ == "__main__":
    common.main(
        *(__doc__, NAME, measure, show),
        common.sections_option(SECTIONS),
        common.backend_option(),
        ("--limit", {"type": float, "default": math.inf, "help": "seconds of all sections"}),
    )

"""Tables 1 and 2 of paper 001: one pass of 3-opt over all n x m pairs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.helpers.search_clock import engine_maker, queued_seconds, threads
from benchmarks.papers.paper001 import LARGEST, LONGEST, descent, instances, read

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

REPEATS = {"cuda": 5, "cpu": 3}


def passes(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Time a pass over a nearest-neighbour tour: GPU, one core, all cores."""
    longest = LONGEST if options.most >= LARGEST else ()
    search = descent("3-opt", best=True)
    for name in (*instances(options.most), *longest):
        problem = read(name)
        row: dict[str, Any] = {"n": problem.n}
        row["candidates_s"] = common.seconds_of(lambda p=problem: search.candidates.of(p))[0]
        if options.backend == "cuda":
            row["evaluation_ms"], row["pass_ms"] = _times(search, problem, "cuda")
        with threads(1):
            row["core_ms"], _ = _times(search, problem, "cpu")
        row["cores_ms"], _ = _times(search, problem, "cpu")
        yield name, row


def _times(search: Any, problem: Any, backend: str) -> tuple[float, float]:
    """Return the median milliseconds of an evaluation, and of a pass that applies its move."""
    import gpu_ls_plugin as gls

    tours = gls.nearest_neighbour(problem, 1, seed=1, backend=backend)
    make = engine_maker(search, problem, tours, backend)
    make().launch(1, math.inf)  # compiles
    clock = queued_seconds if backend == "cuda" else lambda call: common.seconds_of(call)[0]
    found = []
    for _ in range(REPEATS[backend]):
        engine: Any = make()
        found.append(
            (clock(engine.evaluate), clock(lambda engine=engine: engine.launch(1, math.inf)))
        )
    evaluations, whole = zip(*found, strict=True)
    return 1e3 * common.median(evaluations), 1e3 * common.median(whole)

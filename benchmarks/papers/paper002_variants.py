"""One local search by the strategies of paper 002, as speedups over one core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.helpers.search_clock import search_seconds, threads
from benchmarks.papers import paper002
from benchmarks.papers.paper002_cells import read

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from gpu_ls_plugin import TSP, LocalSearch

LAYOUTS = {"BG": "global", "BS": "block", "warp": "warp"}
# One core searches at most this many tours; its time for more is in proportion.
CORE_TOURS = {"first": 64, "random_k": 1}


def variants(options: argparse.Namespace) -> Iterator[tuple[str, dict[str, Any]]]:
    """Time first improvement from nearest neighbour, and random-k-best from random tours."""
    import gpu_ls_plugin as gls

    gpu = options.backend == "cuda"
    first = {
        key: gls.LocalSearch([gls.ThreeOpt()], gls.Quadrant(40), layout=layout)
        for key, layout in LAYOUTS.items()
    }
    for name in options.instances:
        problem = read(name)
        drawn = paper002.random_k(paper002.RANDOM_K[name][1]).search
        most = max(options.sizes)
        kinds = {
            "first": (first, gls.nearest_neighbour(problem, most, seed=1, backend="cpu")),
            "random_k": ({"RKBI": drawn}, gls.random_tours(problem, most, seed=1, backend="cpu")),
        }
        cores = {
            kind: _one_core(kind, next(iter(searches.values())), problem, tours)
            for kind, (searches, tours) in kinds.items()
        }
        for size in options.sizes:
            row: dict[str, Any] = {"instance": name, "n": problem.n, "tours": size}
            for kind, (searches, tours) in kinds.items():
                row[f"{kind}_one_core_ms"] = 1e3 * cores[kind](size)
                for key, search in searches.items() if gpu else ():
                    seconds, _ = search_seconds(search, problem, tours[:size], "cuda", 3)
                    row[f"{key}_ms"] = 1e3 * common.median(seconds)
                    row[f"{key}_speedup"] = row[f"{kind}_one_core_ms"] / row[f"{key}_ms"]
            yield f"{name} {size}", row


def _one_core(kind: str, search: LocalSearch, problem: TSP, tours: Any) -> Any:
    """Return a function of a number of tours: the seconds of one core."""
    measured: dict[int, float] = {}

    def seconds(size: int) -> float:
        some = min(size, CORE_TOURS[kind])
        if some not in measured:
            with threads(1):
                measured[some] = search_seconds(search, problem, tours[:some], "cpu", 1)[0][0]
        return measured[some] * size / some

    return seconds

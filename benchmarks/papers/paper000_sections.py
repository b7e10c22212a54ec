"""Sections of bench_paper000.py that time iterations of the library and of the paper's steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.papers import paper000, paper000_idle, paper000_limits, paper000_steps
from benchmarks.papers.paper000_ablation import compile_ahead
from benchmarks.papers.paper000_kernels import combined, shares

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Seconds of the paper (table 5, the better index mode), by nodes.
PAPER = {
    2: {57: 4.99e-4, 99: 6.47e-4, 201: 7.03e-4, 301: 1.02e-3, 399: 1.45e-3, 511: 2.02e-3,
        967: 5.50e-3, 1441: 9.68e-3, 2081: 1.95e-2, 2401: 2.59e-2},
    3: {57: 1.23e-3, 99: 3.64e-3, 201: 2.34e-2, 301: 7.50e-2, 399: 0.170, 511: 0.341,
        967: 2.45, 1441: 7.88, 2081: 23.6, 2401: 36.3},
}  # fmt: skip
BARS = {2: {399: 3e-5, 2401: 1e-4}, 3: {399: 3e-4, 2401: 1.2e-2}}
ITERATIONS, LEAST_ITERATIONS = 100, 20  # of a longer run: the iterations of the paper in a second
FILTERED = {2: (399, 2401), 3: (399,)}
SHARES = (1.0, 0.5, 0.25, 0.1, 0.01, 0.001)
MODES = ("masked", "fused")
STEPPED = {2: (399, 967, 2401), 3: (99, 399)}  # nodes
TABLED = 399  # nodes of tables 1 to 4
BLOCKED = {2: (399, 2401), 3: (399,)}


def iterations() -> Iterator[dict[str, Any]]:
    """Time an iteration of each neighbourhood at each size (table 5)."""
    for edges, paper in PAPER.items():
        for n, seconds in paper.items():
            problem, tours = paper000.constrained(n)
            most = max(LEAST_ITERATIONS, min(ITERATIONS, int(1 / seconds)))
            search = paper000.search_of(edges)
            own = paper000.iteration_seconds(search, problem, tours, most)
            bar = BARS[edges].get(n)
            yield {"edges": edges, "n": n, "seconds": own, "paper": seconds, "bar": bar}


def filters() -> Iterator[dict[str, Any]]:
    """Time an iteration by mode and share of moves kept (figure 25)."""
    import gpu_ls_plugin as gls

    for edges, sizes in FILTERED.items():
        for n in sizes:
            problem, tours = paper000.constrained(n)
            for mode in MODES:
                for share in SHARES:
                    search = paper000.search_of(edges, gls.RandomKeep(share), mode)
                    own = paper000.iteration_seconds(search, problem, tours, 20)
                    row = {"edges": edges, "n": n, "mode": mode, "share": share}
                    yield {**row, "seconds": own}


def ablation() -> Iterator[dict[str, Any]]:
    """Time the kernels of each step of the paper (figures 10 to 19, tables 1 to 4)."""
    compile_ahead([v for edges in STEPPED for _, v, _ in paper000_steps.chain(edges)])
    for edges, sizes in STEPPED.items():
        for n in sizes:
            problem, tours = paper000.constrained(n)
            reference: dict[Any, float] = {}
            best = None
            for step, variant, before in paper000_steps.chain(edges):
                row = paper000_steps.row_of(problem, tours[0].get(), variant)
                reference[variant] = row["iteration"]
                best = row["move"] if best is None else best
                if row["move"] != best:
                    print(f"another move: {row['move']}, not {best}", flush=True)
                if n != TABLED or step.name not in paper000_steps.TABLES:
                    del row["kernels"]
                yield {
                    **{"edges": edges, "n": n, "figure": step.figure, "step": step.name},
                    **{"kept": step.kept, "same_move": row["move"] == best},
                    "times_faster": reference[before] / row["iteration"],
                    **row,
                }


def blocks() -> Iterator[dict[str, Any]]:
    """Time evaluations of lengths alone, and of all at once, by threads of a block (figure 12)."""
    for edges, sizes in BLOCKED.items():
        found = {step.name: variant for step, variant, _ in paper000_steps.chain(edges)}
        kinds = {"cost": "parts of a power of two", "all": "lengths of 32 bits"}
        for n in sizes:
            problem, tours = paper000.constrained(n)
            for kernel, step in kinds.items():
                for threads in paper000_steps.BLOCKS:
                    seconds = paper000_steps.evaluation_seconds(
                        problem, tours[0].get(), found[step], threads, kernel
                    )
                    row = {"edges": edges, "n": n, "kernel": kernel, "threads": threads}
                    yield {**row, "seconds": seconds}


def idle() -> Iterator[dict[str, Any]]:
    """Find the share of an iteration without a kernel (figures 7 to 9 and 20 to 22)."""
    for edges, sizes in paper000_idle.SIZES.items():
        for n in sizes:
            for loop in paper000_idle.LOOPS:
                yield paper000_idle.row(edges, n, loop)


SECTIONS: dict[str, Callable[[], Iterator[dict[str, Any]]]] = {
    "ablation": ablation,
    "blocks": blocks,
    "idle": idle,
    "limits": paper000_limits.iterations,
    "mappings": paper000_limits.mappings,
    "iterations": iterations,
    "filters": filters,
    "combined": combined,
    "shares": shares,
    "binding": paper000_limits.counted,
}
ON_CPU = ("binding",)

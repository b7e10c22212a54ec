"""Best insertions a second: the iterated greedy by the book on one core beside ours."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.helpers.search_clock import threads
from benchmarks.sequences import instances

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.sequences.book import Book

BARS = {(100, 20): 150, (200, 20): 150, (500, 20): 80, (200, 40): 80, (500, 60): 50}  # times book
VERSIONS = BOOK, ONE_THREAD, CPU, GPU = "book", "cpu, one thread", "cpu", "cuda"


def measure(
    book: Book, seconds: float, repeats: int, backends: list[str], names: list[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rates of each size: medians of alternating repeats, the GPU beside one core."""
    versions = [name for name in VERSIONS[1:] if name.split(",")[0] in backends]
    for (jobs, machines), bar in BARS.items():
        size = f"{jobs} x {machines}"
        if names and size not in names:
            continue
        rates: dict[str, list[float]] = {}
        for _ in range(repeats):
            rates.setdefault(BOOK, []).append(book.insertions_per_second(jobs, machines, seconds))
            for name in versions:
                rates.setdefault(name, []).append(ours(jobs, machines, seconds, name))
        row: dict[str, Any] = {"size": size, "bar": {GPU: bar, ONE_THREAD: 1.0}}
        row |= {name: common.median(found) for name, found in rates.items()} | {"all": rates}
        row["ratio"] = {name: row[name] / row[BOOK] for name in rates if name != BOOK}
        print(size, {name: f"{row[name]:.4g}" for name in rates}, row["ratio"], flush=True)
        yield size, row


def ours(jobs: int, machines: int, seconds: float, name: str) -> float:
    """Return the best insertions a second of `solve` on a random instance.

    One thread is timed by CPU seconds, as the book is; all threads and the GPU by wall time.
    """
    import gpu_ls_plugin as gls

    problem = gls.FlowShop(instances.random_times(jobs, machines))
    backend = GPU if name == GPU else CPU
    with threads(1) if name == ONE_THREAD else nullcontext():
        gls.solve(problem, 0.1, backend=backend)  # compiles
        begin = time.process_time()
        statistics = gls.solve(problem, seconds, backend=backend).statistics
        spent = time.process_time() - begin
    clock = spent if name == ONE_THREAD else statistics.seconds
    return statistics.evaluations / places(jobs) / clock


def places(jobs: int) -> int:
    """Return how many evaluations are one best insertion."""
    return jobs + 1


def show(rows: dict[str, dict[str, Any]]) -> None:
    """Print rates in thousands."""
    names = [n for n in VERSIONS if any(n in row for row in rows.values())]
    common.show(
        "thousands of best insertions a second, and times the book's",
        ["size", *names, *(f"{name} / book" for name in names[1:])],
        [
            [
                row["size"],
                *(row[name] / 1e3 if name in row else "" for name in names),
                *(row["ratio"].get(name, "") for name in names[1:]),
            ]
            for row in rows.values()
        ],
    )

"""Best insertions a second: the iterated greedy by the book on one core beside ours."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.helpers import common
from benchmarks.helpers.search_clock import threads
from benchmarks.sequences import instances
from gpu_ls_plugin.backends import get_backend

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.sequences.book import Book

BARS = {(100, 20): 150, (200, 20): 150, (500, 20): 80, (200, 40): 80, (500, 60): 50}  # times book
VERSIONS = BOOK, ONE_THREAD, CPU, GPU = "book", "cpu, one thread", "cpu", "cuda"

CHAINS = 2  # of a multiprocessor


def measure(
    book: Book,
    seconds: float,
    repeats: int,
    backends: list[str],
    names: list[str],
    chains: int | None = None,
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
                rates.setdefault(name, []).append(ours(jobs, machines, seconds, name, chains))
        row: dict[str, Any] = {"size": size, "bar": {GPU: bar, ONE_THREAD: 1.0}}
        row |= {name: common.median(found) for name, found in rates.items()} | {"all": rates}
        row["ratio"] = {name: row[name] / row[BOOK] for name in rates if name != BOOK}
        print(size, {name: f"{row[name]:.4g}" for name in rates}, row["ratio"], flush=True)
        yield size, row


def ours(jobs: int, machines: int, seconds: float, name: str, chains: int | None) -> float:
    """Return the best insertions a second of `SequenceSearch` on a random instance.

    One thread is timed by CPU seconds, as the book is; all threads and the GPU by wall time. The
    chains first search for the same time, so that most of them are beyond their first descent.
    """
    import gpu_ls_plugin as gls

    problem = gls.FlowShop(instances.random_times(jobs, machines))
    backend = GPU if name == GPU else CPU
    with threads(1) if name == ONE_THREAD else nullcontext():
        random = np.random.default_rng(1)
        rows = [random.permutation(jobs) for _ in range(chains or chains_of(name))]
        search, budget = gls.SequenceSearch(), gls.Budget(seconds=seconds)
        found = search(problem, np.array(rows), backend=backend, budget=budget)  # compiles
        begin = time.process_time()
        found = search(problem, found.tours, seed=1, backend=backend, budget=budget)
        spent = time.process_time() - begin
    clock = spent if name == ONE_THREAD else found.statistics.seconds
    return found.statistics.evaluations / jobs / clock  # a job that is taken out has as many places


def chains_of(name: str) -> int:
    """Return how many chains occupy the threads or the GPU."""
    if name != GPU:
        return int(get_backend(CPU).processors)
    return CHAINS * int((common.gpu() or {})["multiprocessors"])


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

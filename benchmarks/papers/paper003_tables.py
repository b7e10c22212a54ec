"""The results of paper 003 as tables in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.papers.paper003 import PER_BLOCK, PER_THREAD
from benchmarks.papers.paper003_climbs import RANGES
from benchmarks.papers.paper003_versions import OURS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Rows = dict[str, dict[str, Any]]


def show(found: dict[str, Rows]) -> None:
    """Print the tables of the sections that have been measured."""
    for name, table in TABLES.items():
        if found.get(name):
            print(f"\n{name}\n")
            for line in table(found[name]):
                print(line)


def versions(rows: Rows) -> Iterable[str]:
    """Yield figures 2 to 4: G moves per second, and ours over the best published version."""
    names = (*PER_THREAD, *PER_BLOCK, *OURS)
    yield from _head("n", *names, "ours / best", "kernel / best")
    for row in rows.values():
        rates = (_giga(row[name]) if name in row else "" for name in names)
        yield _line(row["n"], *rates, *(f"{row['of_best'][name]:.2f}" for name in OURS))


def equal(rows: Rows) -> Iterable[str]:
    """Yield figure 8: climbs per second over `calc`."""
    yield from _head("n", "climbs", "passes", "tuned", "ours")
    for row in rows.values():
        speeds = (f"{row[name]:.2f}" for name in ("tuned", "ours"))
        yield _line(row["n"], f"{row['climbs']:,}", row["limit"] or "all", *speeds)


def threads(rows: Rows) -> Iterable[str]:
    """Yield figure 5: the seconds of each number of threads, and relative to one thread."""
    yield from _head("threads", "seconds", "of one thread")
    one = next(iter(rows.values()))["seconds"]
    for row in rows.values():
        yield _line(row["threads"], f"{row['seconds']:.3g}", f"{row['seconds'] / one:.3g}")


def processors(rows: Rows) -> Iterable[str]:
    """Yield figure 6: G moves per second of the GPU and of the CPU."""
    yield from _head("n", "GPU", "CPU", "times")
    for row in rows.values():
        yield _line(row["n"], _giga(row["gpu"]), _giga(row["cpu"]), f"{row['times']:.3g}")


def quality(rows: Rows) -> Iterable[str]:
    """Yield figure 7: errors of the best of many climbs, by ranges of sizes."""
    yield from _head("cities", "instances", "optimal", "mean error, %", "largest, %", "seconds")
    for least, most in RANGES:
        own = [row for row in rows.values() if least <= row["n"] <= most]
        if own:
            errors = [row["error"] for row in own]
            optimal = sum(row["best"] == row["optimum"] for row in own)
            seconds = sum(row["seconds"] for row in own)
            means = f"{sum(errors) / len(errors):.3f}", f"{max(errors):.3f}", f"{seconds:.2f}"
            yield _line(f"{least} to {most}", len(own), optimal, *means)


def sweep(rows: Rows) -> Iterable[str]:
    """Yield the layouts of each size, fastest first, with measured and predicted speeds."""
    yield from _head("n", "layouts: G moves/s (predicted)")
    for row in rows.values():
        layouts = [(k, v) for k, v in row.items() if k != "n"]
        layouts.sort(key=lambda pair: -pair[1]["moves_per_s"])
        texts = (f"{k}: {_giga(v)} ({v['predicted'] / 1e9:.0f})" for k, v in layouts)
        yield _line(row["n"], "; ".join(texts))


def _head(*names: str) -> tuple[str, str]:
    return _line(*names), "|" + "---|" * len(names)


def _line(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _giga(run: dict[str, Any]) -> str:
    return f"{run['moves_per_s'] / 1e9:.0f}"


TABLES: dict[str, Callable[[Rows], Iterable[str]]] = {
    "versions": versions,
    "equal": equal,
    "threads": threads,
    "processors": processors,
    "quality": quality,
    "sweep": sweep,
}

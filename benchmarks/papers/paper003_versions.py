"""Figures 2, 3, 4 and 8 of paper 003: moves and climbs per second of the published versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.papers.paper003 import Versions
from benchmarks.papers.paper003_ours import FULL, Ours

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    Run = Callable[[int, int], tuple[Any, ...]]  # seconds and passes of climbs, up to some passes

SIZES = (10, 16, 25, 33, 50, 64, 75, 100, 128, 150, 200, 256, 300, 400, 555, 700, 1000, 1400, 2000)
LONG_SIZES = (2800, 4000, 5600, 8192, 16_000)
COMPARED = (10, 50, 100, 200, 400, 700, 1000, 2000)  # sizes of figure 8
COMPLETE = 200  # cities up to which the climbs of figure 8 are complete
STARTS = 1024
MOST_CLIMBS = 1 << 24
LONGEST_PASS = 0.25  # seconds of one pass of a fully loaded version; others are left out
MOVES_OF_FIGURE_8 = 2e11  # of a version whose climbs are cut off
BAR = 1.2  # times the best published version
OURS = ("ours", "ours, kernel")


def instance(n: int) -> tuple[Any, Any]:
    """Return the first n cities of d18512 with real lengths, and random tours of it."""
    import gpu_ls_plugin as gls

    problem = gls.TSP(common.prefix("d18512", n), "EUC")
    return problem, gls.random_tours(problem, STARTS, seed=1, backend="cuda")


def versions(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Measure the moves per second of every version at every size."""
    common.require_gpu()
    rates: dict[str, float] = {}
    for n in options.sizes or (*SIZES, *LONG_SIZES):
        problem, starts = instance(n)
        published, own = Versions(problem.coordinates, starts), Ours(problem, starts)
        row: dict[str, Any] = {"n": n}
        for name in (*published.available(), *OURS):
            climbs = own.full_load() if name in OURS else published.full_load(name)
            known = rates.get(name)
            if known and common.moves_of(n, climbs) / known > LONGEST_PASS:
                continue
            row[name] = throughput(_run(published, own, name), n, climbs, options)
            rates[name] = row[name]["moves_per_s"]
        best = max(row[name]["moves_per_s"] for name in row if name not in ("n", *OURS))
        row["of_best"] = {name: row[name]["moves_per_s"] / best for name in OURS}
        row["reached"] = {name: share >= BAR for name, share in row["of_best"].items()}
        shown = {name: f"{row[name]['moves_per_s'] / 1e9:.0f}" for name in rates if name in row}
        print(n, shown, row["of_best"], flush=True)
        yield str(n), row


def _run(published: Versions, own: Ours, name: str) -> Run:
    if name in OURS:
        return own.call if name == "ours" else own.kernel
    return lambda climbs, passes: published.run(name, climbs, passes)


def throughput(run: Run, n: int, climbs: int, options: argparse.Namespace) -> dict[str, Any]:
    """Measure moves per second: more passes, then more climbs, until a run takes long enough.

    Climbs are complete if the time suffices, else cut off: each pass takes equally long.
    """
    wanted, complete, load = options.seconds, 4 * n, climbs
    run(climbs, 1)  # loads the kernel
    passes = 1
    taken = run(climbs, passes)
    while passes < complete and taken[0] < wanted / 2:
        passes = min(complete, max(2 * passes, int(passes * wanted / taken[0])))
        taken = run(climbs, passes)
    while passes == complete and taken[0] < wanted / 2 and climbs < MOST_CLIMBS:
        factor = min(64, wanted / taken[0], MOST_CLIMBS / climbs)
        climbs = min(MOST_CLIMBS, load * -(-int(climbs * factor + 1) // load))
        taken = run(climbs, passes)
    times = [taken[0], *(run(climbs, passes)[0] for _ in range(options.repeats - 1))]
    return {
        "climbs": climbs,
        "passes": "all" if passes == complete else passes,
        "seconds": times,
        "moves_per_s": common.moves_of(n, taken[1]) / min(times),
    }


def equal(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Compare climbs per second with `calc` for equal climbs."""
    common.require_gpu()
    for n in options.sizes or COMPARED:
        problem, starts = instance(n)
        published, own = Versions(problem.coordinates, starts), Ours(problem, starts)
        climbs = published.full_load("calc")
        limit = FULL if n <= COMPLETE else int(MOVES_OF_FIGURE_8 / common.moves_of(n, climbs))
        limit = max(1, limit)
        runs = {}
        for name in ("calc", "tuned"):
            published.run(name, climbs, 1)  # loads the kernel
            runs[name] = _climbs(published.run(name, climbs, limit))
        # Checking the tours costs ours the same for any limit, so its limited climbs are longer.
        given = (climbs, FULL) if limit == FULL else (own.full_load(), max(limit, n // 4))
        own.call(given[0], 1)
        runs["ours"] = _climbs(own.call(*given))
        # The ratio of passes per second is that of climbs per second: all climb alike.
        rates = {name: r["passes"] / r["seconds"] for name, r in runs.items()}
        row = {"n": n, "climbs": climbs, "limit": None if limit == FULL else limit, "runs": runs}
        row |= {name: rates[name] / rates["calc"] for name in ("tuned", "ours")}
        print(n, {name: round(row[name], 2) for name in ("tuned", "ours")}, flush=True)
        yield str(n), row


def _climbs(taken: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(("seconds", "passes", "best_length"), taken, strict=True))

"""O'Neil and Burtscher's code versions and ours: figures 2, 3, 4 and 8 of their paper.

Throughput (figures 2 to 4): moves per second on the first n cities of d18512, from random tours,
with real Euclidean distances. Each version runs enough climbs to load the device fully; the best of
the repeats counts, as in the paper. Climbs stop after the passes that take about a quarter of a
second, at least one; every pass of a climb costs the same.

Speedup (figure 8): climbs of equal length from the same tours, enough to load `calc` fully;
complete climbs up to 200 cities, else limited ones. `ours` is the whole call of the library's
search with its own number of climbs. The versions are written from the paper's description; they
are not the authors' code.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common
from benchmarks.papers.paper003 import PER_THREAD, Versions

if TYPE_CHECKING:
    import argparse

SIZES = (50, 100, 200, 400, 700, 1000, 2000, 4000, 8000, 16000)
MATRIX_LIMIT = 1000  # cities: beyond, one pass of a fully loaded `matr_g` takes very long
COMPARED = (100, 200, 400, 700, 1000, 2000)
COMPLETE = 200  # cities up to which the climbs of figure 8 are complete
STARTS = 1024
SECONDS = 0.25
FULL = 2**31 - 1
FIGURES = {
    "figure 2": ("matr_s", "matr_g", "matr_g_ro", "calc"),
    "figure 3": ("matr_s", "calc", "intra"),
    "figure 4": ("matr_s", "calc", "intra", "tile", "tuned", "ours"),
}


class Ours:
    """The library's exhaustive search with the interface of `Versions.run`."""

    def __init__(self, coordinates: Any, starts: Any) -> None:
        import gpu_ls_plugin as gls

        self.gls, self.starts = gls, starts
        self.problem = gls.TSP(coordinates, "EUC")
        self.search = gls.LocalSearch([gls.TwoOpt()], candidates=gls.All(), pivoting=gls.Best())

    def full_load(self) -> int:
        """Return a number of climbs that keeps every multiprocessor busy."""
        import cupy

        per_processor = 32 if self.problem.n <= 2000 else 8
        return per_processor * int(cupy.cuda.Device().attributes["MultiProcessorCount"])

    def run(self, climbs: int, max_passes: int) -> tuple[float, int, float]:
        """Run climbs; return the seconds, the number of passes and the shortest length found."""
        import cupy

        tours = self.starts[cupy.arange(climbs) % len(self.starts)]
        budget = None if max_passes == FULL else self.gls.Budget(moves=max_passes)
        results: list[Any] = []

        def call() -> None:
            results.append(self.search(self.problem, tours, budget=budget, backend="cuda"))

        seconds = common.seconds_of(call, on_gpu=True)[0]
        return seconds, results[0].statistics.passes, float(results[0].best_cost)


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure throughput by size, then the speedup over `calc`."""
    cupy = common.require_gpu()
    common.require_instances()
    import gpu_ls_plugin as gls

    throughput: list[dict[str, Any]] = []
    speedup: list[dict[str, Any]] = []
    for n in sorted({*SIZES, *COMPARED}):
        coordinates = common.prefix("d18512", n)
        starts = gls.random_tours(gls.TSP(coordinates, "EUC"), STARTS, seed=1, backend="cuda")
        versions = Versions(coordinates, starts)
        ours = Ours(coordinates, cupy.asarray(starts))
        if n in SIZES:
            throughput += throughput_of(versions, ours, options.repeats)
        if n in COMPARED:
            speedup.append(speedup_of(versions, ours))
        print({row["version"]: f"{row['moves_per_s']:.3g}" for row in throughput if row["n"] == n})
    names = [*PER_THREAD, "intra", "tile", "tuned", "ours"]
    found = {(row["n"], row["version"]): row["moves_per_s"] / 1e9 for row in throughput}
    common.show(
        "G moves/s on prefixes of d18512",
        ["n", *names],
        [[n, *(f"{found[n, v]:.4g}" if (n, v) in found else "" for v in names)] for n in SIZES],
    )
    common.show(
        "climbs per second over calc",
        ["n", "climbs", "passes", "tuned", "ours"],
        [[r["n"], r["climbs"], str(r["limit"] or "all"), r["tuned"], r["ours"]] for r in speedup],
    )
    return {"throughput": throughput, "speedup": speedup}


def throughput_of(versions: Versions, ours: Ours, repeats: int) -> list[dict[str, Any]]:
    """Measure the moves per second of every version at one size."""
    n, rows = versions.n, []
    for version in [*versions.available(), "ours"]:
        if version.startswith("matr") and n > MATRIX_LIMIT:
            continue
        if version == "ours":
            climbs, run, threads = ours.full_load(), ours.run, None
        else:
            climbs, threads = versions.full_load(version), versions.threads(version)

            def run(climbs: int, passes: int, version: str = version) -> tuple[float, int, float]:
                return versions.run(version, climbs, passes)

        run(climbs, 0)  # loads the kernel
        passes, times = 1, [run(climbs, 1)]
        while passes < n and times[0][0] < SECONDS / 2:
            passes = min(n, max(2 * passes, int(passes * SECONDS / times[0][0])))
            times = [run(climbs, passes)]
        if times[0][0] < 2 * SECONDS:
            times += [run(climbs, passes) for _ in range(repeats - 1)]
        seconds, done = [t[0] for t in times], times[0][1]
        rows.append(
            {
                "n": n,
                "version": version,
                "climbs": climbs,
                "threads": threads,
                "passes_per_climb": passes,
                "seconds": seconds,
                "moves_per_s": common.moves_of(n, done) / min(seconds),
            }
        )
    return rows


def speedup_of(versions: Versions, ours: Ours) -> dict[str, Any]:
    """Compare climbs per second with `calc` for equal climbs at one size."""
    n, climbs = versions.n, versions.full_load("calc")
    limit = FULL if n <= COMPLETE else max(1, int(3e11 / common.moves_of(n, climbs)))
    rows = {
        "calc": (climbs, *versions.run("calc", climbs, limit)),
        "tuned": (climbs, *versions.run("tuned", climbs, limit)),
    }
    # Checking the tours costs ours the same for any limit, so its limited climbs are longer.
    own = climbs if limit == FULL else ours.full_load()
    rows["ours"] = (own, *ours.run(own, FULL if limit == FULL else max(limit, n // 4)))
    # With climbs of equal length, the ratio of passes per second is that of climbs per second.
    rates = {
        name: (count / seconds if limit == FULL else passes / seconds)
        for name, (count, seconds, passes, _) in rows.items()
    }
    return {
        "n": n,
        "climbs": climbs,
        "limit": None if limit == FULL else limit,
        "tuned": rates["tuned"] / rates["calc"],
        "ours": rates["ours"] / rates["calc"],
        "runs": {
            name: {"climbs": count, "seconds": seconds, "passes": passes, "best_length": best}
            for name, (count, seconds, passes, best) in rows.items()
        },
    }


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw figures 2 to 4 and 8 side by side."""
    with common.Figure(out, "paper003", len(FIGURES) + 1) as axes:
        for plot, (title, names) in zip(axes, FIGURES.items(), strict=False):
            for name in names:
                rows = [r for r in record["throughput"] if r["version"] == name]
                rates = [r["moves_per_s"] / 1e9 for r in rows]
                plot.plot([r["n"] for r in rows], rates, "-o", markersize=3, label=name)
            plot.set(title=title, xlabel="cities", xscale="log", yscale="log")
            plot.set_ylabel("G moves per second")
            plot.legend()
        for name in ("tuned", "ours"):
            sizes = [r["n"] for r in record["speedup"]]
            axes[-1].plot(sizes, [r[name] for r in record["speedup"]], "-o", label=name)
        axes[-1].set(title="figure 8", xlabel="cities", ylabel="climbs per second over calc")
        axes[-1].axhline(1, color="gray", linestyle=":")
        axes[-1].set_ylim(bottom=0)
        axes[-1].legend()


if __name__ == "__main__":
    common.main(
        *(__doc__, "paper003", measure, draw),
        ("--repeats", {"type": int, "default": 3}),
    )

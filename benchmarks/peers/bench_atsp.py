"""Matrices: gaps after a second, beside elkai (LKH), OR-Tools and moves that reverse no path.

Random instances of five kinds (after Cirasella and others 2001): `noise`, rounded Euclidean lengths
plus up to 100, as in kro124p; `uniform` lengths; `crane`, from the place where a load is put down
to the place of the next one; `rack`, the same in a rack, with many equal lengths; `paths`, shortest
paths over uniform lengths, as in street networks. Further instances are symmetric ones of TSPLIB
with lengths on the globe (GEO) or explicit lengths.

Gaps count from the best tour of all programs. Ours is `solve`, with its defaults and with 3-opt and
Or-opt, which reverse no path; kernels are compiled before. elkai runs once, however long it takes;
OR-Tools runs guided local search from the cheapest arcs for as long as ours. Both use one core.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import gpu_ls_plugin as gls
from benchmarks.helpers import common
from benchmarks.peers.solvers import matrix_of, or_tools

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

SIZES, SEEDS = (100, 200, 400), (1, 2)
NAMED = ("gr229", "ali535", "gr666", "brg180", "si175", "si1032")
PROGRAMS = {
    "solve": "solve",
    "without_turning": "3-opt and Or-opt",
    "elkai": "elkai, one run",
    "or_tools": "OR-Tools",
}
COLUMNS = ("kind", "n", "seed", *PROGRAMS, "elkai_seconds")


def noise(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return Euclidean lengths with noise."""
    places = rng.integers(0, 4000, (n, 2))
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1)).round()
    return apart.astype(np.int64) + rng.integers(0, 100, (n, n))


def uniform(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return uniform random lengths."""
    return rng.integers(1, 100_000, (n, n))


def crane(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return lengths from where loads are put down to where the next ones are taken up."""
    taken = rng.integers(0, 1000, (n, 2))
    put = np.clip(taken + rng.integers(-100, 101, (n, 2)), 0, 1000)
    return np.abs(put[:, None] - taken[None]).max(axis=2)


def paths(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return lengths of shortest paths over uniform lengths."""
    from scipy.sparse.csgraph import floyd_warshall

    return floyd_warshall(uniform(n, rng).astype(float)).astype(np.int64)


def rack(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return lengths between relocations in a rack of 60 x 12 boxes, and ways in and out."""
    boxes = np.stack([rng.integers(0, 60, (2, n)), rng.integers(0, 12, (2, n))], axis=-1)
    gates = np.array([[0, 0], [0, 6], [60, 0]])[rng.integers(0, 3, n)]
    kind = rng.choice(3, n, p=[0.4, 0.3, 0.3])[:, np.newaxis]  # relocated, stored, retrieved
    taken = np.where(kind == 1, gates, boxes[0])
    put = np.where(kind == 2, gates, boxes[1])
    return np.abs(put[:, None] - taken[None]).max(axis=2)


KINDS = {"noise": noise, "uniform": uniform, "crane": crane, "rack": rack, "paths": paths}


def cases(options: argparse.Namespace) -> Iterator[tuple[str, int, Callable[[], gls.TSP]]]:
    """Yield kinds, seeds and functions that make the problem; names of TSPLIB are kinds."""
    for kind, make in KINDS.items():
        for n, seed in ((n, seed) for n in options.sizes for seed in SEEDS):
            matrix = make(n, np.random.default_rng([n, seed]))
            np.fill_diagonal(matrix, 0)
            yield kind, seed, partial(gls.TSP.from_matrix, matrix)
    if folder := common.instance_folder():
        for name in NAMED:
            yield name, 1, partial(gls.TSP.read, folder / f"{name}.tsp")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Search all instances."""
    import elkai

    still = gls.LocalSearch([gls.ThreeOpt(), gls.OrOpt(3)], candidates=gls.Nearest(10))
    rows: list[dict[str, Any]] = []
    for kind, seed, made in cases(options):
        problem = made()
        matrix = matrix_of(problem)
        found = {}
        searches = {"solve": None} | ({} if problem.symmetric else {"without_turning": still})
        for name, search in searches.items():
            given = {"search": search, "backend": options.backend}
            # Of a new problem, since a problem caches its candidates.
            found[name] = int(gls.solve(made(), options.seconds, **given).best_cost)
        begin = time.perf_counter()
        tour = elkai.DistanceMatrix(matrix.tolist()).solve_tsp(runs=1)[:-1]
        seconds = time.perf_counter() - begin
        found["elkai"] = int(matrix[tour, np.roll(tour, -1)].sum())
        found["or_tools"] = or_tools(matrix, options.seconds)
        best = min(found.values())
        gaps = {name: 100.0 * (cost / best - 1.0) for name, cost in found.items()}
        row = {"kind": kind, "n": problem.n, "seed": seed, **dict.fromkeys(PROGRAMS), **gaps}
        row["elkai_seconds"] = seconds
        rows.append(row | {"best": best})
        print(row, flush=True)
    title = f"gaps in % after {options.seconds:g} s"
    shown = [["-" if row[column] is None else row[column] for column in COLUMNS] for row in rows]
    common.show(title, COLUMNS, shown)
    return {"seconds": options.seconds, "backend": options.backend, "rows": rows}


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw gaps by kind and size."""
    rows = record["rows"]
    groups = list(dict.fromkeys((row["kind"], row["n"]) for row in rows))
    with common.Figure(out, "atsp") as (plot,):
        for number, (name, label) in enumerate(PROGRAMS.items()):
            ran = [row for row in rows if row[name] is not None]
            gaps = [[r[name] for r in ran if (r["kind"], r["n"]) == group] for group in groups]
            means = [np.mean(found) if found else np.nan for found in gaps]
            plot.bar(np.arange(len(groups)) + 0.2 * (number - 1.5), means, 0.2, label=label)
        plot.set_xticks(range(len(groups)), [f"{kind} {n}" for kind, n in groups], rotation=45)
        plot.set(ylabel="gap in percent", title="matrices, after a second")
        plot.set_yscale("symlog", linthresh=0.1)
        plot.legend()


if __name__ == "__main__":
    common.main(
        *(__doc__, "atsp", measure, draw),
        ("--backend", {"choices": ("cpu", "cuda"), "default": "cpu"}),
        ("--seconds", {"type": float, "default": 1.0, "help": "of each of ours"}),
        ("--sizes", {"type": int, "nargs": "+", "default": list(SIZES)}),
    )

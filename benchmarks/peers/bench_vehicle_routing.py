"""Vehicle routing: what gls.solve reaches in some seconds on CVRPLIB, beside HGS-CVRP.

The call of a user, with defaults; compiling comes before the time begins. On the CPU both have one
core, at the same time: ours with one thread, HGS-CVRP (its own program, built from its source with
-O3 -march=native) as one process. Every result passes the referee. Gaps are above the best known
costs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from benchmarks.helpers import common
from benchmarks.peers.bench_cvrp import instances

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

OURS, HGS = "ours", "HGS-CVRP"
SETS = ("X", "CMT", "Golden")
BARS = {"X": 2.0, "CMT with durations, Golden 1, 3, 5, 7": 2.5}  # percent, for an H200
LIMITED = ("CMT6", "CMT8", "CMT13", "Golden_1", "Golden_3", "Golden_5", "Golden_7")


def build_hgs(source: Path, folder: Path) -> Path:
    """Build HGS-CVRP's program from its source."""
    program = folder / "hgs"
    files = sorted(path for path in source.glob("*.cpp") if path.name != "C_Interface.cpp")
    flags = ["-O3", "-march=native", "-std=c++17", "-DNDEBUG", f"-I{source}"]
    subprocess.run(
        [os.environ.get("CXX", "c++"), *flags, *map(str, files), "-o", str(program)], check=True
    )
    return program


def solved(
    path: Path, best: float, program: Path | None, options: argparse.Namespace
) -> dict[str, Any]:
    """Solve one instance, by both at the same time where there is a program."""
    import gpu_ls_plugin as gls

    problem = gls.CVRP.read(path)
    options_of_ours: dict[str, Any] = {"seed": options.seed, "backend": options.backend}
    gls.solve(problem, seconds=0.05, **options_of_ours)  # compiles, and makes candidates
    solution, peer = path.with_suffix(".none"), None
    if program is not None:
        solution = program.parent / "solution"
        command = [str(program), str(path), str(solution), "-t", f"{options.seconds:g}"]
        command += ["-seed", str(options.seed), "-round", str(int(problem.integer)), "-log", "0"]
        peer = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    result = gls.solve(problem, seconds=options.seconds, **options_of_ours)
    if not problem.feasible(result.best_tour).all():
        raise AssertionError(f"{path.stem}: the best tour breaks a constraint")
    costs = {OURS: float(problem.cost(result.best_tour)[0])}
    if peer is not None:
        peer.wait()
        theirs = problem.read_solution(solution)
        if problem.feasible(theirs).all():
            costs[HGS] = float(problem.cost(theirs)[0])
    return {
        "instance": path.stem,
        "set": path.parent.name,
        "customers": problem.customers,
        "gap": {name: 100 * (cost / best - 1) for name, cost in costs.items()},
        "kicks": int(result.statistics.kicks),
        "chains": len(result.tours),
    }


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Solve all instances."""
    folder = instances()
    if options.backend == "cpu":
        os.environ["GPU_LS_THREADS"] = "1"
    best = json.loads((folder / "solutions.json").read_text())
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        program = None
        if options.hgs is not None:
            program = build_hgs(options.hgs / "Program", Path(scratch))
        for path in _paths(folder, options.sets):
            rows.append(solved(path, best[path.stem], program, options))
            gaps = ", ".join(f"{name} {gap:.2f} %" for name, gap in rows[-1]["gap"].items())
            print(f"{path.stem}: {gaps}", flush=True)
    reached = {}
    for name, chosen in _groups(rows):
        reached[name] = {
            who: float(np.mean([row["gap"][who] for row in chosen]))
            for who in (OURS, HGS)
            if all(who in row["gap"] for row in chosen)
        }
    print(f"mean gaps: {reached}")
    return {"bars": BARS, "seconds": options.seconds, "reached": reached, "rows": rows}


def _paths(folder: Path, sets: list[str]) -> Iterator[Path]:
    for name in sets:
        yield from sorted((folder / name).glob("*.vrp"))


def _groups(rows: list[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for name in SETS:
        if chosen := [row for row in rows if row["set"] == name]:
            yield name, chosen
    if chosen := [row for row in rows if row["instance"] in LIMITED]:
        yield "CMT with durations, Golden 1, 3, 5, 7", chosen


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw the gaps by customers."""
    backend = "cuda" if record["machine"]["gpu"] else "cpu"
    with common.Figure(out, f"vehicle_routing_{backend}", columns=1, rows=1) as axes:
        for who, mark in ((OURS, "o"), (HGS, "x")):
            rows = [row for row in record["rows"] if who in row["gap"]]
            if rows:
                customers = [row["customers"] for row in rows]
                axes[0].plot(customers, [row["gap"][who] for row in rows], mark, label=who)
        title = f"{record['seconds']:g} seconds"
        axes[0].set(xlabel="customers", ylabel="gap (%)", xscale="log", title=title)
        axes[0].legend()


if __name__ == "__main__":
    backend = "cuda" if common.has_gpu() else "cpu"
    common.finish(
        common.arguments(
            __doc__,
            ("--seconds", {"type": float, "default": 10.0}),
            ("--sets", {"nargs": "+", "default": list(SETS), "choices": SETS}),
            ("--seed", {"type": int, "default": 1}),
            ("--backend", {"default": backend}),
            ("--hgs", {"type": Path, "help": "source of HGS-CVRP (github.com/vidalt/HGS-CVRP)"}),
        ),
        f"vehicle_routing_{backend}",
        measure,
        draw,
        __doc__ or "",
    )

"""The sections of the benchmark of vehicle routing: their runs and summaries.

Each returns its runs, with those of earlier calls, and a summary.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.helpers import common
from benchmarks.peers.bench_cvrp import instances
from benchmarks.peers.routing.runs import best_of, mean_gaps
from benchmarks.peers.routing.solvers import OURS, Task

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from benchmarks.peers.routing.runs import Bench, Run

EIGHT = (
    *("X-n200-k36", "X-n303-k21", "X-n411-k19", "X-n513-k21"),
    *("X-n670-k130", "X-n766-k71", "X-n916-k207", "X-n1001-k43"),
)
CLASSES = {"up to 250": (0, 250), "251 to 500": (251, 500), "more": (501, 10**9)}  # nodes
REACHED = 1e-5  # relative excess of a real cost over the best known one, which is rounded
WINDOWED = ("C1_10_1", "C2_10_1", "R1_10_1", "R2_10_1", "RC1_10_1", "RC2_10_1")
WINDOWED_SIZES = (200, 400)  # customers of generated instances
LARGE = (3_000, 10_000, 30_000)
LARGE_RULES = {"route_size": 15.0, "positioning": "random_clustered", "demands": "1-100"}


def x(bench: Bench, options: argparse.Namespace, known: Sequence[Run]) -> dict[str, Any]:
    """Measure the gap after some seconds on X: all instances, or every n-th by size."""
    runs = bench.runs(tasks(_chosen("X", options), options, 10.0), known)
    return {"runs": runs, "mean": mean_gaps(runs), "by_nodes": _by_nodes(runs)} | _behind(runs)


def eight(bench: Bench, options: argparse.Namespace, known: Sequence[Run]) -> dict[str, Any]:
    """Measure the gap on eight instances of X, whose figures of 2026-11-22 are known."""
    runs = bench.runs(tasks(named(options.instances or EIGHT), options, 60.0), known)
    return {"runs": runs, "mean": mean_gaps(runs)} | _behind(runs)


def cmt(bench: Bench, options: argparse.Namespace, known: Sequence[Run]) -> dict[str, Any]:
    """Measure how many of ten seeds reach the best known cost of CMT, and after what time."""
    runs = bench.runs(tasks(_chosen("CMT", options), options, 10.0, 10), known, near_enough=REACHED)
    reached: dict[str, dict[str, Any]] = {}
    for run in runs:
        own = reached.setdefault(f"{run['solver']}, {run['seconds']:g} s", {})
        of = own.setdefault(run["instance"], {"reached": 0, "seeds": 0})
        of["seeds"] += 1
        of["reached"] += run.get("gap", math.inf) <= 100 * REACHED
    return {"runs": runs, "mean": mean_gaps(runs), "reached": reached}


def golden(bench: Bench, options: argparse.Namespace, known: Sequence[Run]) -> dict[str, Any]:
    """Measure the gap on Golden's instances, with limits of routes and without."""
    runs = bench.runs(tasks(_chosen("Golden", options), options, 60.0), known)
    kinds = {"limited": True, "not limited": False}
    split = {
        kind: mean_gaps([run for run in runs if run.get("limited", False) == limited])
        for kind, limited in kinds.items()
    }
    return {"runs": runs, "mean": mean_gaps(runs), "by_limit": split} | _behind(runs)


def large(bench: Bench, options: argparse.Namespace, known: Sequence[Run]) -> dict[str, Any]:
    """Compare costs on generated instances; peers have `--peer-seconds`."""
    folder = options.out / "instances"
    paths = [_generated(folder, customers) for customers in options.customers]
    ours = tasks(paths, options, 60.0)
    theirs = [Task(task.path, options.peer_seconds, task.seed) for task in ours]
    runs = bench.runs(ours, known, peer_tasks=theirs)
    return {"runs": runs, "costs": _costs(runs), "rules": {**LARGE_RULES, "seed": 1}}


def windowed(bench: Bench, options: argparse.Namespace, known: Sequence[Run]) -> dict[str, Any]:
    """Compare costs on generated instances with time windows; peers have ten times the time."""
    from benchmarks.peers.routing.windowed import files

    ours = tasks(files(options.out / "instances", WINDOWED_SIZES), options, 10.0)
    theirs = [Task(task.path, 10 * task.seconds, task.seed) for task in ours]
    runs = bench.runs(ours, known, peer_tasks=theirs)
    return {"runs": runs, "costs": _costs(runs)}


def _costs(runs: Sequence[Run]) -> dict[str, dict[str, float]]:
    """Return the least cost of each solver after some seconds, by instance."""
    costs: dict[str, dict[str, float]] = {}
    for run in best_of(runs):
        row = costs.setdefault(run["instance"], {})
        row[f"{run['solver']}, {run['seconds']:g} s"] = run["cost"]
    return costs


def windows(bench: Bench, options: argparse.Namespace, known: Sequence[Run]) -> dict[str, Any]:
    """Measure the gap on instances with time windows: by default the first of each class."""
    import gpu_ls_plugin as gls

    paths = sorted((instances().parent / "routing" / "vrptw").glob("*.vrp"))
    wanted = options.instances or WINDOWED
    paths = [path for path in paths if path.stem in wanted]
    best = {}
    for path in paths:
        problem = gls.CVRP.read(path)
        tour = problem.read_solution(path.with_suffix(".sol"))
        best[path.stem] = float(problem.cost(tour)[0])
    runs = replace(bench, best=best).runs(tasks(paths, options, 60.0), known)
    return {"runs": runs, "mean": mean_gaps(runs)} | _behind(runs)


def solomon(bench: Bench, options: argparse.Namespace, known: Sequence[Run]) -> dict[str, Any]:
    """Measure the gap on Solomon's instances of 100 customers, lengths to one decimal place."""
    import gpu_ls_plugin as gls

    folder = instances().parent / "routing" / "solomon"
    published = json.loads((folder / "solutions.json").read_text())
    paths = [folder / f"{name}.txt" for name in options.instances or published]
    best = {path.stem: gls.VRP.read(path).scale * published[path.stem] for path in paths}
    runs = replace(bench, best=best).runs(tasks(paths, options, 5.0), known)
    return {"runs": runs, "mean": mean_gaps(runs)} | _behind(runs)


def processes(bench: Bench, options: argparse.Namespace, known: Sequence[Run]) -> dict[str, Any]:
    """Compare one run of ours with the best of a process on every core, each with its own seed."""
    names = options.instances or ("X-n303-k21", "X-n670-k130", "X-n1001-k43")
    ours = tasks(named(names), options, 60.0)
    theirs = [
        Task(path, ours[0].seconds, seed)
        for path in named(names)
        for seed in range(1, options.processes + 1)
    ]
    runs = bench.runs(ours, known, peer_tasks=theirs)
    return {"runs": runs, "one": mean_gaps(runs), "best": mean_gaps(best_of(runs))}


def tasks(
    paths: Iterable[Path], options: argparse.Namespace, seconds: float, seeds: int = 1
) -> list[Task]:
    """Return a task for each seed of each instance: first all instances with the first seed."""
    numbers = options.seeds or range(1, seeds + 1)
    time = options.seconds or seconds
    listed = list(paths)
    return [Task(path, time, seed) for seed in numbers for path in listed]


def _chosen(folder: str, options: argparse.Namespace) -> list[Path]:
    """Return the files of a set by customers: those named, or every n-th."""
    paths = sorted((instances() / folder).glob("*.vrp"), key=_size)
    if options.instances:
        return [path for path in paths if path.stem in options.instances]
    return paths[:: options.every]


def named(names: Iterable[str]) -> list[Path]:
    """Return the files of instances of any set."""
    return [next(instances().glob(f"*/{name}.vrp")) for name in names]


def _size(path: Path) -> tuple[int, str]:
    import gpu_ls_plugin as gls

    return gls.CVRP.read(path).customers, path.stem


def _generated(folder: Path, customers: int) -> Path:
    """Return the file of an instance with some customers, generated by the rules of the X set."""
    import gpu_ls_plugin as gls

    path = folder / f"generated-{customers}.vrp"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        gls.CVRP.generated(customers, seed=1, **LARGE_RULES).write(path)  # type: ignore[arg-type]
    return path


def _by_nodes(runs: Sequence[Run]) -> dict[str, Any]:
    classes = {}
    for name, (least, most) in CLASSES.items():
        own = [run for run in runs if least <= run["customers"] + 1 <= most]
        if own:
            classes[name] = mean_gaps(own)
    return classes


def _behind(runs: Sequence[Run]) -> dict[str, list[str]]:
    """Return the instances on which the better peer is cheaper after the same seconds."""
    gaps: dict[tuple[str, float], dict[str, list[float]]] = {}
    for run in runs:
        if "gap" in run:
            row = gaps.setdefault((run["instance"], run["seconds"]), {})
            row.setdefault(run["solver"], []).append(run["gap"])
    behind = []
    for (instance, seconds), row in gaps.items():
        means = {solver: float(np.mean(own)) for solver, own in row.items()}
        ours = means.pop(OURS, None)
        if ours is not None and means and min(means.values()) < ours:
            behind.append(f"{instance}, {seconds:g} s: {ours:.3f}, {min(means.values()):.3f}")
    return {"behind": behind}


def show(name: str, found: dict[str, Any]) -> None:
    """Print the mean gaps of a section."""
    for title in ("mean", "one", "best"):
        if rows := found.get(title):
            table = [[who, row["mean_gap"] or 0.0, row["runs"]] for who, row in rows.items()]
            common.show(f"{name}, {title}", ["solver", "gap %", "runs"], table)

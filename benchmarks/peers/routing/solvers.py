"""Solvers of vehicle routing: HGS-CVRP and PyVRP, with one core for each process, and ours."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from benchmarks.peers.solvers import has

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_ls_plugin import CVRP

OURS, HGS, PYVRP = "ours", "HGS-CVRP", "PyVRP"
GRACE = 300.0  # seconds beyond its limit after which a program is ended; it also reads its input
ROUNDED = 1e-3  # excess of a route of PyVRP for each of its edges, if not rounded
ITERATION = re.compile(  # the last lines of HGS-CVRP and of pyvrp_solve.py
    r"(?:FINISHED AFTER|^It) (\d+) (?:ITERATIONS\. TIME SPENT:|\| T\(s\)) ([\d.]+)", re.MULTILINE
)


@dataclass(frozen=True)
class Task:
    """A run: its file, its time and its seed."""

    path: Path
    seconds: float
    seed: int


class Peer(Protocol):
    """A program that writes its routes to a file."""

    name: str
    educated_first: int  # solutions that count as iterations before the first one

    def command(self, task: Task, problem: CVRP, solution: Path) -> list[str]:
        """Return the command that starts it."""


class Hgs:
    """HGS-CVRP's own program, built from its source (github.com/vidalt/HGS-CVRP)."""

    name = HGS
    educated_first = 100  # four times 25, its population

    def __init__(self, source: Path, folder: Path) -> None:
        self.program = folder / "hgs"
        program = source / "Program"
        files = sorted(p for p in program.glob("*.cpp") if p.name != "C_Interface.cpp")
        flags = ["-O3", "-march=native", "-std=c++17", "-DNDEBUG", f"-I{program}"]
        compiler = os.environ.get("CXX", "c++")
        command = [compiler, *flags, *map(str, files), "-o", str(self.program)]
        subprocess.run(command, check=True)

    def command(self, task: Task, problem: CVRP, solution: Path) -> list[str]:
        """Return the command that starts it."""
        options = {"-t": f"{task.seconds:g}", "-seed": task.seed, "-round": int(problem.integer)}
        words = [str(word) for option in options.items() for word in option]
        return [str(self.program), str(task.path), str(solution), *words]


class PyVrp:
    """PyVRP in an interpreter of its own."""

    name = PYVRP
    educated_first = 0

    def command(self, task: Task, problem: CVRP, solution: Path) -> list[str]:
        """Return the command that starts it."""
        script = Path(__file__).with_name("pyvrp_solve.py")
        words = (script, task.path, solution, task.seconds, task.seed)
        return [sys.executable, *map(str, words)]


def peers(names: list[str], hgs: Path | None, folder: Path) -> list[Peer]:
    """Return the requested peers that are installed; print the missing ones."""
    found: list[Peer] = []
    if HGS in names and hgs is not None:
        found.append(Hgs(hgs, folder))
    if PYVRP in names and has("pyvrp"):
        found.append(PyVrp())
    for name in set(names) - {peer.name for peer in found}:
        print(f"{name} is left out: see --help", flush=True)
    return found


def run_peer(peer: Peer, task: Task, problem: CVRP, core: int, folder: Path) -> dict[str, Any]:
    """Run a peer on a core of its own; the referee computes the cost of its routes."""
    solution = folder / f"{peer.name}-{task.path.stem}-{task.seconds:g}-{task.seed}.sol"

    def pinned() -> None:
        os.sched_setaffinity(0, {core})

    begin = time.perf_counter()
    try:
        done = subprocess.run(
            peer.command(task, problem, solution),
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=pinned,
            timeout=task.seconds + GRACE,
        )
        failure = (done.stderr.strip().splitlines() or [""])[-1] if done.returncode else ""
        output = done.stdout
    except subprocess.TimeoutExpired:
        failure, output = "no answer", ""
    run: dict[str, Any] = {"cost": None, "wall": time.perf_counter() - begin}
    if iterations := ITERATION.findall(output):
        count, seconds = (float(number) for number in iterations[-1])
        if count > 0:  # it has begun
            run["iterations_per_second"] = (count + peer.educated_first) / seconds
    if failure or not solution.exists():
        return run | {"failure": failure or "no feasible routes"}
    return run | _costed(problem, solution, rounded=peer.name == PYVRP)


def _costed(problem: CVRP, solution: Path, *, rounded: bool) -> dict[str, Any]:
    """Return the cost of routes; infeasible ones have none."""
    try:
        tour = problem.read_solution(solution)
    except Exception as error:  # of any kind: too many routes, or other customers
        return {"failure": str(error)}
    broken = problem.violations(tour)
    late = ROUNDED * problem.n if rounded and not problem.integer else 0.0
    routes = len(problem.routes(tour))
    further = any(excess[0] > 0 for excess in broken.resources.values())
    if broken.load[0] or broken.vehicles[0] or broken.duration[0] > late or further:
        return {"failure": "; ".join(problem.complaints(tour)), "routes": routes}
    return {"cost": float(problem.cost(tour)[0]), "routes": routes}


def run_ours(
    task: Task, backend: str, target: float | None, more: Mapping[str, Any]
) -> dict[str, Any]:
    """Run `gls.solve` as a user calls it, on a new problem."""
    import gpu_ls_plugin as gls

    options: dict[str, Any] = {"seed": task.seed, "backend": backend, **more}
    # Compiles the first search, whatever it is: any tour reaches this target.
    gls.solve(gls.CVRP.read(task.path), seconds=task.seconds, target=math.inf, **options)
    problem = gls.CVRP.read(task.path)
    begin = time.perf_counter()
    result = gls.solve(problem, seconds=task.seconds, target=target, **options)
    its = result.statistics
    wall = time.perf_counter() - begin - its.phases.get("compiling", 0.0)
    tour = result.best_tour
    if not problem.feasible(tour).all():
        return {"cost": None, "wall": wall, "failure": "; ".join(problem.complaints(tour))}
    return {
        "cost": float(problem.cost(tour)[0]),
        "wall": wall,
        "routes": len(problem.routes(tour)),
        "chains": len(result.tours),
        "kicks": int(its.kicks),
        "kicks_per_second": kicks_per_second(its),
        "curve": [(p.elapsed, float(p.best_cost)) for p in its.history],
    }


def kicks_per_second(statistics: Any) -> float:
    """Return the rate of a search after its constructions and lists of near nodes."""
    before = sum(statistics.phases.get(name, 0.0) for name in ("starts", "candidates"))
    return float(statistics.kicks / (statistics.seconds - before))


def cheapest_of(problem: CVRP, tours: Any, wall: float) -> dict[str, Any]:
    """Return the run of a search of ours, by its cheapest feasible tour."""
    tours = np.asarray(tours)
    feasible = problem.feasible(tours)
    if not feasible.any():
        return {"cost": None, "wall": wall, "failure": "no feasible routes"}
    return {"cost": float(problem.cost(tours[feasible]).min()), "wall": wall, "chains": len(tours)}

"""Runs of solvers on instances: the present ones, the missing ones, and their order.

The key of a run is its instance, solver, seconds and seed. Runs of several calls, possibly on
several machines, share one record; each names its machine.
"""

from __future__ import annotations

import os
import queue
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.peers.routing.solvers import HGS, OURS, PYVRP, Peer, Task, run_ours, run_peer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from benchmarks.helpers.limit import Limit
    from gpu_ls_plugin import CVRP

Key = tuple[str, str, float, int]
Run = dict[str, Any]
KEY = ("instance", "solver", "seconds", "seed")
START = 15.0  # seconds that a run needs in addition, for reading and compiling


def key_of(run: Run) -> Key:
    """Return the key of a run."""
    return run["instance"], run["solver"], float(run["seconds"]), int(run["seed"])


def merged(*lists: Iterable[Run]) -> list[Run]:
    """Return all runs by key; of equal keys the last run counts."""
    known = {key_of(run): run for runs in lists for run in runs}
    return [known[key] for key in sorted(known)]


@dataclass
class Bench:
    """The way in which runs are made.

    Parameters
    ----------
    backend : {"cpu", "cuda"}
    peers : sequence of Peer
    ours : bool
        Whether ours runs.
    threads : int
        Of ours, on a CPU; peers do not use these cores while ours runs. On a GPU one core.
    limit : Limit
    best : dict
        The best known cost of an instance by name.
    more : dict
        Further arguments of `gls.solve`.
    again : bool
        Whether existing runs are repeated.
    """

    backend: str
    peers: Sequence[Peer]
    ours: bool
    threads: int
    limit: Limit
    best: dict[str, float]
    more: dict[str, Any] = field(default_factory=dict)
    again: bool = False
    left_out: int = 0

    def runs(
        self,
        tasks: Sequence[Task],
        known: Iterable[Run] = (),
        *,
        peer_tasks: Sequence[Task] | None = None,
        near_enough: float | None = None,
    ) -> list[Run]:
        """Make the runs of all tasks by all solvers that are not known yet; return all runs.

        Ours ends at the best known cost, or above it by the share `near_enough`.

        Peers run on the other cores meanwhile, one process on each; if no core is free, after ours.
        """
        done = {key_of(run) for run in known} if not self.again else set()
        cores = sorted(os.sched_getaffinity(0))
        free = cores[self.threads :] if self.ours else cores
        found: list[Run] = list(known)
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(cores)) as pool:
            jobs = [
                (peer, task)
                for task in (tasks if peer_tasks is None else peer_tasks)
                for peer in self.peers
                if (task.path.stem, peer.name, task.seconds, task.seed) not in done
            ]
            waiting = _Peers(self, pool, Path(folder), free or cores)
            if free:
                waiting.begin(jobs)
            for task in tasks if self.ours else ():
                if (task.path.stem, OURS, task.seconds, task.seed) not in done:
                    found += self._ours(task, near_enough)
            if not free:
                waiting.begin(jobs)
            found += waiting.all()
        return merged(found)

    def compared(
        self,
        tasks: Iterable[Task],
        known: Iterable[Run],
        searches: Mapping[str, Callable[[CVRP, Task, str], dict[str, Any]]],
    ) -> dict[str, Any]:
        """Run all tasks by our searches of some names, except known runs; sum all runs up.

        Each search is called with the problem, the task and the backend.
        """
        import gpu_ls_plugin as gls

        known = list(known)
        done = set() if self.again else {key_of(run) for run in known}
        found: list[Run] = []
        for task in tasks:
            for label, searched in searches.items():
                new = (task.path.stem, label, task.seconds, task.seed) not in done
                if new and self.fits(task, f"{label} on {task.path.stem}"):
                    problem = gls.CVRP.read(task.path)
                    run = searched(problem, task, self.backend)
                    found.append(self.finished(task, label, problem, run))
        runs = merged(known, found)
        return {"runs": runs, "mean": mean_gaps(runs)}

    def fits(self, task: Task, what: str) -> bool:
        """Return whether there is time for a run; otherwise it is left out and printed."""
        if self.limit.left >= task.seconds + START:
            return True
        self.left_out += 1
        print(f"out of time: {what} is left out", flush=True)
        return False

    def finished(self, task: Task, solver: str, problem: CVRP, run: Run) -> Run:
        """Add key and gap to a run, and print it."""
        best = self.best.get(task.path.stem)
        whole = {
            **dict(zip(KEY, (task.path.stem, solver, task.seconds, task.seed), strict=True)),
            "customers": problem.customers,
            **({"limited": True} if problem.route_limit is not None else {}),
            **({} if solver in (HGS, PYVRP) else {"on": _place(self.backend, self.threads)}),
            **run,
        }
        text = whole.get("failure", "")
        if run["cost"] is not None:
            text = f"{run['cost']:.10g}"
            if best:
                whole["gap"] = 100 * (run["cost"] / best - 1)
                text += f", {whole['gap']:.3f} %"
        name = f"{task.path.stem}, {task.seconds:g} s, seed {task.seed}"
        print(f"{name}: {solver} {text} after {run['wall']:.1f} s", flush=True)
        return whole

    def _ours(self, task: Task, near_enough: float | None) -> Iterator[Run]:
        import gpu_ls_plugin as gls

        if self.fits(task, f"{OURS} on {task.path.stem}"):
            target = None
            if near_enough is not None:
                target = self.best[task.path.stem] * (1 + near_enough)
            run = run_ours(task, self.backend, target, self.more)
            yield self.finished(task, OURS, gls.CVRP.read(task.path), run)


class _Peers:
    """Peers at work, one on each of some cores."""

    def __init__(
        self, bench: Bench, pool: ThreadPoolExecutor, folder: Path, cores: list[int]
    ) -> None:
        self._bench, self._pool, self._folder = bench, pool, folder
        self._cores: queue.Queue[int] = queue.Queue()
        for core in cores:
            self._cores.put(core)
        self._waiting: list[Future[Run | None]] = []

    def begin(self, jobs: Iterable[tuple[Peer, Task]]) -> None:
        """Put jobs in a queue."""
        self._waiting += [self._pool.submit(self._run, *job) for job in jobs]

    def all(self) -> list[Run]:
        """Wait for all jobs."""
        return [run for job in self._waiting if (run := job.result()) is not None]

    def _run(self, peer: Peer, task: Task) -> Run | None:
        import gpu_ls_plugin as gls

        core = self._cores.get()
        try:
            if not self._bench.fits(task, f"{peer.name} on {task.path.stem}"):
                return None
            problem = gls.CVRP.read(task.path)
            run = run_peer(peer, task, problem, core, self._folder)
            return self._bench.finished(task, peer.name, problem, run)
        finally:
            self._cores.put(core)


def _place(backend: str, threads: int) -> str:
    if backend == "cpu":
        return f"{threads} cores"
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
    return str(properties["name"].decode())


def mean_gaps(runs: Iterable[Run]) -> dict[str, dict[str, Any]]:
    """Return the mean gap of each solver and time, its number of runs, and failures."""
    table: dict[str, dict[str, Any]] = {}
    kinds = sorted({(run["solver"], run["seconds"]) for run in runs})
    for solver, seconds in kinds:
        own = [r for r in runs if (r["solver"], r["seconds"]) == (solver, seconds)]
        gaps = [run["gap"] for run in own if "gap" in run]
        table[f"{solver}, {seconds:g} s"] = {
            "mean_gap": float(np.mean(gaps)) if gaps else None,
            "runs": len(own),
            "instances": len({run["instance"] for run in own}),
            "without_routes": len(own) - len(gaps),
        }
    return table


def best_of(runs: Iterable[Run]) -> list[Run]:
    """Return the cheapest run of each instance, solver and time, over all seeds."""
    best: dict[tuple[Any, ...], Run] = {}
    for run in runs:
        if run["cost"] is not None:
            kind = key_of(run)[:3]
            if kind not in best or run["cost"] < best[kind]["cost"]:
                best[kind] = run
    return list(best.values())

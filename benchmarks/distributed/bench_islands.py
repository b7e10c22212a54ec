"""Islands on Dask: population throughput, costs of exchanges, and workers that are killed.

`throughput`: kicks a second, in all and for each second of processor time, of all islands on a
cluster of 1, 2, 4 and 8 workers with one core each, up to the number of cores. The search is that
of `solve`, with 32 tours for each island, on 1,000 uniform cities and one exchange a second.

`exchange`: the mean share of the time between the first and the last stretch of an island in which
it does not search. It is measured in these runs, and with 4 and 8 islands that wait instead of
searching (512 tours of 2,392 cities each), so that the machine's cores hardly matter.

`faults`: 4 workers; 20 times in a run of a minute, from the first report on, a random one is
killed. Reported are the best cost that any report had, the cost of the result, and the processes
that remain.

`gpus`, with at least two GPUs: tours a second at a mean gap, from the call to the tours; seconds of
`solve` until the best tour is known to reach a gap (`reached`) and until all islands have ended
(`seconds`); each with one GPU and with two. Compiling and the start of a cluster are not timed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import gpu_ls_plugin as gls
from benchmarks.distributed import gpus
from benchmarks.distributed.simulated import Waiting
from benchmarks.helpers import common
from gpu_ls_plugin.core.exceptions import ClusterWarning
from gpu_ls_plugin.distributed import Exchange, local_cluster

if TYPE_CHECKING:
    import argparse

    from gpu_ls_plugin.core.result import Statistics

NAME = "islands"
WORKERS, SIMULATED = (1, 2, 4, 8), (4, 8)
CITIES, TOURS = 1000, 32
BARS = {"two_workers": 1.8, "exchange_percent": 3.0}
KILLS, VICTIMS = 20, 4


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the requested sections; rows of earlier calls stay in the file."""
    sections = {"throughput": throughput, "exchange": simulated, "faults": faults}
    sections["gpus"] = gpus.measure
    record = common.stored(options.out, NAME, sections)
    for name in options.sections.split(","):
        record[name] = sections[name](options)
        common.write_json(options.out, NAME, __doc__ or "", record)
    return record | {"bars": BARS}


def throughput(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Search with more and more workers."""
    problem, rows = gls.TSP(common.uniform(CITIES), "EUC_2D"), []
    cores = len(os.sched_getaffinity(0))
    for workers in [count for count in WORKERS if count <= cores]:
        with local_cluster(workers, threads=1) as client:
            islands = gls.Islands(client=client)
            given: dict[str, Any] = {"population": TOURS, "seed": 1, "islands": islands}
            for seconds in (1.0, options.seconds):  # the first one compiles
                before = worker_seconds(client)
                found = gls.solve(problem, seconds, **given)
                used = worker_seconds(client) - before
        rows.append(
            {
                "workers": workers,
                "kicks_per_second": found.statistics.kicks / options.seconds,
                "kicks_per_cpu_second": found.statistics.kicks / used,
                "speedup": found.statistics.kicks / options.seconds,
                "best": found.best_cost,
                "mean": float(found.costs.mean()),
                "exchange_percent": share(found.statistics, options.seconds),
            }
        )
        rows[-1]["speedup"] /= rows[0]["kicks_per_second"]
    common.show("throughput", list(rows[0]), [list(row.values()) for row in rows])
    return rows


def simulated(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Exchange rows of islands that wait."""
    problem, rows = gls.TSP(common.uniform(2392), "EUC_2D"), []
    for count in SIMULATED:
        given: dict[str, Any] = {"population": 512, "start": "random_tours", "search": Waiting()}
        with local_cluster(count, threads=1) as client:
            islands = gls.Islands(client=client, exchange=Exchange(every=1.0))
            found = gls.solve(problem, options.seconds, islands=islands, **given)
        percent = share(found.statistics, options.seconds)
        rows.append({"islands": count, "exchange_percent": percent})
    common.show("exchange", list(rows[0]), [list(row.values()) for row in rows])
    return rows


def faults(options: argparse.Namespace) -> dict[str, Any]:
    """Kill a worker every few seconds."""
    problem = gls.TSP(common.uniform(CITIES), "EUC_2D")
    told: list[float] = []
    before = _processes()
    with warnings.catch_warnings(), local_cluster(VICTIMS, threads=1) as client:
        warnings.simplefilter("ignore", ClusterWarning)
        killer = Killer(client.cluster)

        def watch(progress: Any) -> None:
            if not told:
                killer.between = (options.fault_seconds - progress.elapsed - 1.0) / KILLS
                killer.start()
            told.append(progress.best_cost)

        islands = gls.Islands(client=client)
        given: dict[str, Any] = {"population": TOURS, "callback": watch, "islands": islands}
        found = gls.solve(problem, options.fault_seconds, **given)
        killer.over.set()
        killer.join()
    result = {
        "seconds": found.statistics.seconds,
        "kills": killer.kills,
        "best_told": min(told),
        "best": found.best_cost,
        "no_worse": bool(found.best_cost <= min(told)),
        "stopped_by": found.statistics.stopped_by,
        "processes_left": len(_processes() - before),
    }
    common.show("faults", ["what", "found"], [[name, str(value)] for name, value in result.items()])
    return result


class Killer(threading.Thread):
    """Kills a random worker of a local cluster every few seconds."""

    def __init__(self, cluster: Any) -> None:
        super().__init__(daemon=True)
        self.over, self.kills, self._cluster = threading.Event(), 0, cluster
        self.between = 3.0

    def run(self) -> None:
        """Kill workers until the search has ended."""
        rng = random.Random(1)
        begin = time.monotonic()
        for number in range(1, KILLS + 1):
            if self.over.wait(max(0.0, begin + number * self.between - time.monotonic())):
                return
            while not self._kill(rng):  # the drawn worker has ended already
                if self.over.wait(0.05):
                    return

    def _kill(self, rng: random.Random) -> bool:
        """Kill a worker; return whether there was one."""
        nannies = list(self._cluster.workers.values())
        pids = [nanny.process.pid for nanny in nannies if nanny.process is not None]
        if not (pids := [pid for pid in pids if pid is not None]):
            return False
        try:
            os.kill(rng.choice(pids), signal.SIGKILL)
        except ProcessLookupError:
            return False
        self.kills += 1
        return True


def worker_seconds(client: Any) -> float:
    """Return the processor time of all workers, without that of other processes."""
    pids = client.run(os.getpid).values()
    times = [psutil.Process(pid).cpu_times() for pid in pids]
    return sum(each.user + each.system for each in times)


def share(statistics: Statistics, seconds: float) -> float:
    """Return the mean percentage of a run in which an island did not search."""
    return 100.0 * statistics.phases["exchange"] / seconds


def _processes() -> set[int]:
    """Return the processes below this one, except Python's own resource tracker."""
    found = psutil.Process().children(recursive=True)
    return {p.pid for p in found if "resource_tracker" not in " ".join(p.cmdline())}


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw speed-ups, the exchange's share and the gain by a second GPU."""
    with common.Figure(out, NAME, columns=3) as (speed, cost, times):
        if rows := record.get("throughput"):
            workers = [row["workers"] for row in rows]
            speed.plot(workers, workers, color="grey", linestyle=":", label="linear")
            speed.plot(
                workers, [row["speedup"] for row in rows], marker="o", label="kicks a second"
            )
            cost.plot(
                workers, [row["exchange_percent"] for row in rows], marker="o", label="searching"
            )
            speed.legend()
        if rows := record.get("exchange"):
            percents = [row["exchange_percent"] for row in rows]
            cost.plot([row["islands"] for row in rows], percents, marker="s", label="waiting")
        cost.axhline(BARS["exchange_percent"], color="grey", linestyle=":", label="bar")
        speed.set(xlabel="workers of one core", ylabel="times one worker")
        cost.set(xlabel="islands", ylabel="time without searching in %", ylim=(0, None))
        cost.legend()
        gpus.draw(times, record.get("gpus", ()))


if __name__ == "__main__":
    common.main(
        *(__doc__, NAME, measure, draw),
        ("--sections", {"default": "throughput,exchange,faults"}),
        ("--seconds", {"type": float, "default": 4.0, "help": "of a run"}),
        ("--seeds", {"type": int, "nargs": "+", "default": [1, 2, 3, 4, 5], "help": "for gpus"}),
        ("--gpus", {"type": int, "nargs": "+", "default": [1, 2], "help": "for gpus"}),
        ("--instances", {"nargs": "+", "help": "for gpus; by default its own"}),
        ("--fault-seconds", {"type": float, "default": 60.0, "help": "of the run with kills"}),
    )

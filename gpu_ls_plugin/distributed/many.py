"""Many problems on a cluster: each worker solves a share of them."""

from __future__ import annotations

import time
import warnings
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import ClusterError
from gpu_ls_plugin.core.history import Point
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.distributed import tasks
from gpu_ls_plugin.distributed.fleet import TICK
from gpu_ls_plugin.distributed.workers import lost_by_dask
from gpu_ls_plugin.runs.many import joint_reason
from gpu_ls_plugin.solver.many import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from distributed import Client, Future

    from gpu_ls_plugin.core.many_result import ManyResult
    from gpu_ls_plugin.runs.many import ManyFound
    from gpu_ls_plugin.solver.many import ManyCall


def solve_in_shares(client: Client, workers: Sequence[str], call: ManyCall) -> ManyResult:
    """Solve the problems of a call on W workers; each gets every W-th problem.

    If a worker is lost, Dask begins its share again on another one. After Ctrl-C, all workers
    return what they have found.
    """
    import cloudpickle  # installed with Dask; it also pickles classes that a script defines

    count, run = min(len(workers), len(call.problems)), f"many-{token_hex(8)}"
    shares = [slice(number, None, count) for number in range(count)]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")
        futures = [
            client.submit(
                tasks.solve_share,
                cloudpickle.dumps(call.share(share)),
                run,
                workers=[worker],
                allow_other_workers=True,
                pure=False,
                key=f"share-{number}-{run}",
            )
            for number, (share, worker) in enumerate(zip(shares, workers, strict=False))
        ]
    founds = _results(client, futures, run)
    places = np.arange(len(call.problems))
    parts = [(places[share], found) for share, found in zip(shares, founds, strict=True)]
    return joined(call.problems, parts, _together(founds))


def _results(client: Client, futures: list[Future], run: str) -> list[ManyFound]:
    """Return the results of all shares; Ctrl-C ends their searches early."""
    while True:
        try:
            wait_for(futures)
            return [future.result() for future in futures]
        except KeyboardInterrupt:
            _stop(client, run)
        except Exception as error:
            _stop(client, run)
            for future in futures:
                future.cancel()
            if lost_by_dask(error):
                raise ClusterError(f"dask: the workers of a share are lost ({error})") from error
            raise


def wait_for(futures: list[Future]) -> None:
    """Wait until all shares are finished; raise the error of the first one that fails."""
    while any(future.status == "pending" for future in futures):
        for future in futures:
            if future.status not in ("pending", "finished"):
                future.result()
        time.sleep(TICK)


def _stop(client: Client, run: str) -> None:
    """Let the searches of a run end after their current launch."""
    if client.status == "running":
        client.run(tasks.stop, run, wait=False, on_error="ignore")


def _together(founds: list[ManyFound]) -> Statistics:
    """Return the counts of all workers, and the time of the slowest one."""
    parts = [found.statistics for found in founds]
    total: Any = sum(found.costs.sum().item() for found in founds)
    statistics = Statistics(backend=parts[0].backend)
    for part in parts:
        statistics.add_counts(part)
    statistics.seconds = max(part.seconds for part in parts)
    statistics.stopped_by = joint_reason([part.stopped_by for part in parts])
    mean = total / sum(len(found.costs) for found in founds)
    statistics.history = [Point(statistics.seconds, statistics.kicks, total, mean)]
    return statistics

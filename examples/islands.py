"""Islands: a population on each of two processes, which exchange their best tours.

``--gpus all`` gives each GPU of the machine an island; ``--dask tcp://host:8786`` uses the workers
of a running cluster.
"""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import gpu_ls_plugin as gls
from gpu_ls_plugin.distributed import Exchange, local_cluster
from gpu_ls_plugin.distributed.progress import IslandView

CAPITALS = Path(__file__).parent / "data" / "europe_capitals.tsp"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--instance", type=Path, default=CAPITALS, help="TSPLIB file")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--workers", type=int, default=2, help="processes that share the cores")
    parser.add_argument("--gpus", choices=["all"], help="one process for each GPU instead")
    parser.add_argument("--dask", metavar="ADDRESS", help="scheduler of a cluster to use instead")
    options = parser.parse_args()
    problem = gls.TSP.read(options.instance)

    cluster: Any = nullcontext(options.dask)
    if options.dask is None:
        workers = None if options.gpus else options.workers
        cluster = local_cluster(workers, gpus=options.gpus)
    with cluster as client, gls.SearchDisplay(problem.name, options.seconds) as display:
        display.view = IslandView()
        islands = gls.Islands(client=client, exchange=Exchange(every=0.5))
        result = gls.solve(problem, options.seconds, islands=islands, callback=display)

    statistics = result.statistics
    print(f"best {result.best_cost:,} of {len(result.costs):,} tours of all islands")
    print(f"{statistics.kicks:,} kicks; {statistics.phases['exchange']:.2f} s without searching")


if __name__ == "__main__":
    main()

"""Islands: a population on each of two processes, which exchange their best tours.

The script shows the progress of both, and prints the best length of all islands.
"""

from pathlib import Path

import gpu_ls_plugin as gls
from gpu_ls_plugin.distributed import Exchange, local_cluster
from gpu_ls_plugin.distributed.progress import IslandView

if __name__ == "__main__":  # the processes import this file
    problem = gls.TSP.read(Path(__file__).parent / "data" / "europe_capitals.tsp")
    # gpus="all" instead of 2 gives each GPU of the machine an island. On a running cluster, take
    # gls.Islands(client="tcp://host:8786") without local_cluster.
    with local_cluster(2) as client, gls.SearchDisplay(problem.name, seconds=3) as display:
        display.view = IslandView()
        islands = gls.Islands(client=client, exchange=Exchange(every=0.5))
        result = gls.solve(problem, seconds=3, islands=islands, callback=display)
    print(f"best {result.best_cost} of {len(result.costs)} tours of all islands")
    print(f"{result.statistics.kicks} kicks")

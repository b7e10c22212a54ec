"""Iterated local search of a population, with a live display; Ctrl-C ends it early.

The script prints the number of kicks and the best distinct tours, and draws the costs over time,
costs.png.
"""

from pathlib import Path

import gpu_ls_plugin as gls

SECONDS = 5

problem = gls.TSP.read(Path(__file__).parent / "data" / "europe_capitals.tsp")
tours = gls.nearest_neighbour(problem, size=16, seed=1)
search = gls.IteratedLocalSearch(accept=gls.Annealing(0.8))
with gls.SearchDisplay(problem.name, SECONDS) as display:
    # After Ctrl-C, the search returns the best tours so far.
    result = search(problem, tours, seed=1, budget=gls.Budget(seconds=SECONDS), callback=display)

counts = result.statistics
print(f"{counts.kicks} kicks, {counts.accepted} accepted, stopped by {counts.stopped_by}")
best = result.distinct(3)  # tours that differ in at least 1 % of their edges
for tour, cost in zip(best.tours, best.costs, strict=True):
    print(f"length {cost}: {' '.join(str(city + 1) for city in tour[:12])} ...")
result.plot("costs.png")

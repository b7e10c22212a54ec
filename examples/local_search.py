"""Local search of batches: four kinds of start tours, then kicks and repairs.

The script prints the mean length of each batch of 64 tours before and after the search. It then
builds an iterated local search from its parts: it kicks each tour, searches it again, and keeps the
better one.
"""

from pathlib import Path

import gpu_ls_plugin as gls

problem = gls.TSP.read(Path(__file__).parent / "data" / "europe_capitals.tsp")
search = gls.LocalSearch([gls.TwoOpt(), gls.OrOpt(3)], candidates=gls.Nearest(10))

for construct in (gls.random_tours, gls.space_filling_curve, gls.nearest_neighbour, gls.greedy):
    starts = construct(problem, size=64, seed=1)
    result = search(problem, starts)
    before, after = problem.cost(starts).mean(), result.costs.mean()
    print(f"{construct.__name__}: mean {before:.0f}, searched {after:.0f}")

kick = gls.DoubleBridge(segment=50)
tours, costs = result.tours, result.costs
for seed in range(20):
    result = search(problem, kick.perturb(problem, tours, seed=seed))
    better = result.costs < costs
    tours[better], costs[better] = result.tours[better], result.costs[better]
print(f"after 20 kicks each: mean {costs.mean():.0f}, best {costs.min()}")

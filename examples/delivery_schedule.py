"""Deliveries within time windows: the routes, the schedule of each stop, and a Gantt chart.

Each of 60 customers has a window of 90 minutes, and a stop takes ten minutes. The script prints
the cost and the schedule of the first route, writes all stops to plan.csv, and draws plan.png.
"""

import numpy as np

import gpu_ls_plugin as gls

rng = np.random.default_rng(1)
places = rng.integers(0, 60, (61, 2))  # a unit is a minute; the depot comes first
demands = [0, *rng.integers(1, 10, 60)]
opens = rng.integers(100, 400, 60)
windows = [(0, 720), *zip(opens, opens + 90, strict=True)]
problem = gls.VRP(  # or gls.VRP.read(FILE): VRPLIB, Solomon, Gehring and Homberger
    places, demands, 40, windows=windows, service_times=10, metric="CEIL_2D"
)

result = gls.solve(problem, seconds=3, seed=1)
plan = problem.schedule(result.best_tour)
print(f"vehicles {len(plan)}, cost {result.best_cost}, in time: {result.best_feasible}")
for stop in plan[0]:
    print(
        f"{stop.name:>8}: arrives at {stop.arrival}, waits {stop.wait}, begins at {stop.begin}, "
        f"could begin {stop.slack} later"
    )
problem.write_schedule(result.best_tour, "plan.csv")
gls.plot_schedule(problem, result.best_tour, "plan.png")

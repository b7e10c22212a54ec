"""Deliveries within time windows: the schedule of a route, a Gantt chart and a CSV file.

python examples/delivery_schedule.py [FILE] [--seconds 3] [--csv plan.csv] [--chart plan.png]
"""

import argparse

import numpy as np

import gpu_ls_plugin as gls


def instance(customers, seed):
    """Return a random problem in minutes: windows of 90 minutes, and ten minutes for each stop."""
    rng = np.random.default_rng(seed)
    places = rng.integers(0, 60, (customers + 1, 2))
    early = rng.integers(100, 400, customers + 1)
    early[0] = 0
    windows = np.stack([early, early + 90], axis=1)
    windows[0, 1] = 720
    demands = np.r_[0, rng.integers(1, 10, customers)]
    return gls.VRP(
        places, demands, 40, windows=windows, service_times=10, metric="CEIL_2D", name="deliveries"
    )


def print_route(problem, stops):
    """Print the stops of a route, with times in units of files."""
    print(f"{'customer':>10}{'arrival':>10}{'wait':>10}{'begin':>10}{'slack':>10}{'load':>10}")
    for stop in stops:
        times = (stop.arrival, stop.wait, stop.begin, stop.slack)
        shown = "".join(f"{problem.published(time):10g}" for time in times)
        print(f"{stop.name:>10}{shown}{stop.load:10}")


def main():
    """Solve the problem of a file or a random one, and write its schedule."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "instance", nargs="?", help="file of Solomon, of Gehring and Homberger, or VRPLIB (.vrp)"
    )
    parser.add_argument("--customers", type=int, default=60, help="of a random problem")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--csv", help="write all stops here")
    parser.add_argument("--chart", help="draw a Gantt chart here (needs extra plot)")
    options = parser.parse_args()

    if options.instance:
        problem = gls.VRP.read(options.instance)
    else:
        problem = instance(options.customers, options.seed)
    result = gls.solve(problem, seconds=options.seconds, seed=options.seed)
    plan = problem.schedule(result.best_tour)
    cost = problem.published(result.best_cost)
    print(f"{problem.name}: vehicles {len(plan)}, cost {cost:g}, in time: {result.best_feasible}")
    print_route(problem, plan[0])
    if options.csv is not None:
        problem.write_schedule(result.best_tour, options.csv)
    if options.chart is not None:
        gls.plot_schedule(problem, result.best_tour, options.chart)


if __name__ == "__main__":
    main()

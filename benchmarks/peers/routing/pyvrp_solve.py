"""PyVRP on one instance, with its default parameters; writes its routes if they are feasible.

Its data are made from our problem, so that limits of durations and service times count, which its
reader of files leaves out. Unless lengths are rounded, they are multiplied by 1,000 and rounded.
Files with time windows are read by PyVRP, with the lengths of the DIMACS challenge.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import numpy as np

from benchmarks.peers.solvers import matrix_of

if TYPE_CHECKING:
    from gpu_ls_plugin import CVRP

SCALE = 1000


def data_of(problem: CVRP) -> Any:
    """Return a problem as PyVRP's data."""
    import pyvrp

    scale = 1 if problem.integer else SCALE
    places = problem.nodes.coordinates
    assert places is not None
    if problem.integer:
        lengths = matrix_of(problem.nodes).astype(np.int64)
    else:
        lengths = np.rint(scale * _real_lengths(problem)).astype(np.int64)
    locations = [pyvrp.Location(float(x), float(y)) for x, y in places]
    services = np.rint(scale * problem.service_times).astype(int).tolist()
    clients = [
        pyvrp.Client(c, delivery=[int(problem.demands[c])], service_duration=services[c])
        for c in range(1, problem.customers + 1)
    ]
    limits = {}
    if problem.route_limit is not None:
        limits["shift_duration"] = int(scale * problem.route_limit)
    fleet = problem.fleet or problem.customers
    vehicles = pyvrp.VehicleType(fleet, capacity=[problem.capacity], **limits)
    return pyvrp.ProblemData(locations, clients, [pyvrp.Depot(0)], [vehicles], [lengths], [lengths])


def _real_lengths(problem: CVRP) -> np.ndarray[Any, Any]:
    nodes = np.arange(problem.customers + 1)
    return np.stack([problem.nodes.lengths(np.full(len(nodes), node), nodes) for node in nodes])


def main() -> None:
    """Solve, and write the routes if they are feasible."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("solution", type=Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    import pyvrp
    from pyvrp.stop import MaxRuntime

    import gpu_ls_plugin as gls

    problem = gls.CVRP.read(options.file)
    windowed = isinstance(problem, gls.VRP)
    file = options.file
    if windowed and file.suffix != ".vrp":  # PyVRP reads no text files of Solomon
        file = options.solution.with_suffix(".vrp")
        problem.write(file)
    data = pyvrp.read(file, "dimacs") if windowed else data_of(problem)
    result = pyvrp.solve(data, MaxRuntime(options.seconds), seed=options.seed)
    print(f"It {result.num_iterations} | T(s) {result.runtime:.2f}")
    if not result.is_feasible():
        return
    routes = [
        [visit.idx + 1 for visit in route.schedule() if visit.is_client()]
        for route in result.best.routes()
    ]
    lines = [f"Route #{k}: {' '.join(map(str, route))}" for k, route in enumerate(routes, start=1)]
    options.solution.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""First calls of other programs; a process runs one of them and prints its seconds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from benchmarks.peers.solvers import or_tools

if TYPE_CHECKING:
    from collections.abc import Callable

    from one_call import Setting

CITIES, CUSTOMERS, CAPACITY = 200, 100, 500  # the same instances as in calls.py


def lengths(places: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return all rounded lengths."""
    return np.rint(np.hypot(*(places[:, None] - places).T)).astype(np.int64)


def fast_tsp(setting: Setting) -> Callable[[], float]:
    """fast-tsp's tour of cities."""
    import fast_tsp

    draw = np.random.default_rng(setting.seed)
    matrix = lengths(draw.integers(0, 10_000, (CITIES, 2)))
    return lambda: fast_tsp.compute_cost(fast_tsp.find_tour(matrix, setting.seconds), matrix)


def google_or_tools(setting: Setting) -> Callable[[], float]:
    """OR-Tools' tour of cities, by guided local search."""
    from ortools.constraint_solver import pywrapcp  # noqa: F401  (imported before time runs)

    draw = np.random.default_rng(setting.seed)
    matrix = lengths(draw.integers(0, 10_000, (CITIES, 2)))
    return lambda: or_tools(matrix, setting.seconds)


def pyvrp(setting: Setting) -> Callable[[], float]:
    """PyVRP's routes of customers."""
    import pyvrp
    from pyvrp.stop import MaxRuntime

    draw = np.random.default_rng(setting.seed)
    places = draw.integers(0, 1_000, (CUSTOMERS + 1, 2))
    matrix = lengths(places)
    nodes = [pyvrp.Location(float(x), float(y)) for x, y in places]
    clients = [
        pyvrp.Client(c, delivery=[int(d)])
        for c, d in enumerate(draw.integers(1, 100, CUSTOMERS), start=1)
    ]
    vehicles = pyvrp.VehicleType(CUSTOMERS, capacity=[CAPACITY])
    data = pyvrp.ProblemData(nodes, clients, [pyvrp.Depot(0)], [vehicles], [matrix], [matrix])
    return lambda: pyvrp.solve(data, MaxRuntime(setting.seconds), display=False).cost()


PEERS = {"fast-tsp, tour": fast_tsp, "OR-Tools, tour": google_or_tools, "PyVRP, routes": pyvrp}


if __name__ == "__main__":
    from one_call import run_case

    run_case(__doc__, PEERS)

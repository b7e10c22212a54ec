"""Kicks a second with time windows, and with a resource of one's own, beside load and duration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import gpu_ls_plugin as gls
from benchmarks.peers.routing.solvers import OURS, kicks_per_second
from benchmarks.peers.routing.windowed import KINDS, SERVICE, windowed
from examples.driver_breaks import Breaks

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from benchmarks.peers.routing.runs import Bench, Run

SIZES = (200, 1_000)  # customers
SECONDS = 5.0
USUAL = "load and duration"


def problems(customers: int) -> dict[str, gls.CVRP]:
    """Return problems with the same nodes and demands, and other limits."""
    timed = windowed(customers, "short", "random_clustered", 1.0, 1)
    usual = gls.CVRP(
        timed.nodes.coordinates,
        timed.demands[: customers + 1],
        timed.capacity,
        service_times=timed.service_times,
        route_limit=int(100 * KINDS["short"][1]),
    )
    rests = np.arange(customers + 1) % 4 == 0
    own = usual.with_resources(Breaks(rests, 10 * SERVICE + 1_000))
    return {USUAL: usual, "time windows": timed, "breaks of drivers": own}


def resources(bench: Bench, options: argparse.Namespace, known: Sequence[Run]) -> dict[str, Any]:
    """Measure kicks a second of the search of `solve`, without constructions and compiling."""
    seconds = options.seconds or SECONDS
    found = {(run["customers"], run["instance"]): run for run in known if not bench.again}
    for customers in SIZES:
        for limits, problem in problems(customers).items():
            name = f"{limits}, {customers}"
            if (customers, name) not in found and bench.limit.left > 3 * seconds:
                run = {"instance": name, "solver": OURS, "seconds": seconds, "seed": 1}
                run |= {"customers": customers, **_run(problem, seconds, bench.backend)}
                found[customers, name] = run
                print(run, flush=True)
    rates = {name: run["kicks_per_second"] for (_, name), run in found.items()}
    times = {
        name: rates[f"{USUAL}, {customers}"] / rates[name]
        for customers, name in found
        if f"{USUAL}, {customers}" in rates
    }
    print(f"times of a kick: {times}", flush=True)
    return {"runs": list(found.values()), "times": times}


def _run(problem: gls.CVRP, seconds: float, backend: str) -> dict[str, Any]:
    gls.solve(problem, seconds, target=np.inf, seed=1, backend=backend)  # compiles
    found = gls.solve(problem, seconds, seed=1, backend=backend)
    return {
        "kicks_per_second": kicks_per_second(found.statistics),
        "chains": len(found.tours),
        "feasible": bool(problem.feasible(found.best_tour).all()),
    }

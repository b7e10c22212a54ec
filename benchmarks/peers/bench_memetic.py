"""`MemeticGA()` with its defaults beside `gls.solve`: time from the call to a gap, by instance.

Each run begins with `minimize` and ends at the target or the limit; kernels are compiled before.
Times are medians of several seeds; a run that misses its target counts as infinite. `solve` has the
population of MemeticGA. Instances are those of TSPLIB.
"""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

TARGETS = {  # gap in percent, seconds of the bar
    "cuda": {
        "rat783": (0, 0.15),
        "pr1002": (0, 0.2),
        "pr2392": (0, 0.4),
        "fnl4461": (0.05, 1.0),
    },
    "cpu": {"rat783": (0, 1.0), "pr2392": (0.05, 5.0)},
}
LONGEST = 3  # times the bar's seconds, after which a run has failed
COLUMNS = ("instance", "gap", "bar", "memetic_s", "solve_s", "gaps")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Run both on every instance."""
    rows = [_measured(name, *bar, options) for name, bar in TARGETS[options.backend].items()]
    common.show(
        f"MemeticGA() and solve, {options.backend}",
        COLUMNS,
        [[row[column] for column in COLUMNS] for row in rows],
    )
    return {options.backend: rows}


def _measured(name: str, gap: float, bar: float, options: argparse.Namespace) -> dict[str, Any]:
    from pymoo.optimize import minimize

    import gpu_ls_plugin as gls
    from gpu_ls_pymoo import MemeticGA, TSPProblem

    tsp = gls.TSP.read(common.require_instances() / f"{name}.tsp")
    optimum = common.optima()[name]
    target = math.floor(optimum * (1 + gap / 100))
    limit = LONGEST * bar

    def memetic(seed: int) -> float:
        given = {"copy_algorithm": False, "callback": _until(target)}
        algorithm = MemeticGA(backend=options.backend)
        found = minimize(TSPProblem(tsp), algorithm, ("time", limit), seed=seed, **given)
        return float(found.F[0])

    def solved(seed: int) -> float:
        found = gls.solve(tsp, limit, seed=seed, backend=options.backend, target=target)
        return float(found.best_cost)

    row: dict[str, Any] = {"instance": name, "gap": gap, "bar": bar}
    for who, run in (("memetic", memetic), ("solve", solved)):
        run(0)  # compiles
        times, costs = zip(*(_timed(run, seed) for seed in range(1, options.seeds + 1)))
        reached = [t if cost <= target else math.inf for t, cost in zip(times, costs)]
        row |= {f"{who}_s": common.median(reached), f"{who}_all": reached}
        row |= {f"{who}_gaps": [100 * (cost / optimum - 1) for cost in costs]}
    return row | {"gaps": max(row["memetic_gaps"])}


def _timed(run: Callable[[int], float], seed: int) -> tuple[float, float]:
    begin = time.perf_counter()
    cost = run(seed)
    return time.perf_counter() - begin, cost


def _until(target: float) -> Any:
    """Return a callback that ends a run at a cost."""
    from pymoo.core.callback import Callback

    class Until(Callback):
        def notify(self, algorithm: Any) -> None:
            if float(algorithm.opt.get("F").min()) <= target:
                algorithm.termination.terminate()

    return Until()


if __name__ == "__main__":
    options = common.arguments(
        __doc__,
        ("--backend", {"choices": ("cpu", "cuda"), "default": "cpu", "help": "backend"}),
        ("--seeds", {"type": int, "default": 5}),
    )
    common.write_json(options.out, f"memetic_{options.backend}", __doc__ or "", measure(options))

"""Lower bounds of generalised assignment by HiGHS, and a look-up of earlier ones."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.assignment import instances
from benchmarks.helpers import common, summary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import gpu_ls_plugin as gls

NAME, SECTION = "assignment", "bounds"


def measure(seconds: float, names: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a bound for each instance as soon as it is known."""
    for name, problem in instances.generalised().items():
        if not names or name in names:
            found = bound(problem, seconds)
            print(f"{name}: at least {found['bound']}, at most {found['cost']}", flush=True)
            yield name, found


def bound(problem: gls.GeneralisedAssignment, seconds: float) -> dict[str, Any]:
    """Return the bound that HiGHS proves within some seconds, and the best cost that it finds.

    Costs are integers, so the bound is rounded up.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    jobs, agents = problem.costs.shape
    variable = np.arange(jobs * agents)  # job after job
    job, agent = np.divmod(variable, agents)
    ones = np.ones(len(variable))
    each_job = coo_array((ones, (job, variable)), (jobs, len(variable)))
    loads = coo_array((problem.resources.ravel(), (agent, variable)), (agents, len(variable)))
    done = milp(
        problem.costs.ravel(),
        integrality=ones,
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(each_job.tocsr(), 1, 1),
            LinearConstraint(loads.tocsr(), -np.inf, problem.capacities),
        ],
        options={"time_limit": seconds},
    )
    return {
        "bound": math.ceil(done.mip_dual_bound - 1e-6),
        "cost": None if done.fun is None else round(done.fun),
        "limit_seconds": seconds,
    }


def known(out: Path) -> dict[str, int]:
    """Return the bounds by instance that were measured before, in `out` or in the results."""
    files = summary.raw_file(out, NAME), out / f"{NAME}.json", common.RESULTS / f"{NAME}.json"
    for path in files:
        record = json.loads(path.read_text()) if path.exists() else {}
        if SECTION in record:
            return {name: row["bound"] for name, row in record[SECTION]["rows"].items()}
    return {}

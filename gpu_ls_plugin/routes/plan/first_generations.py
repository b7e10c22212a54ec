"""A genetic search, the first stage of `solve` if there are few customers or much time."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from gpu_ls_plugin.routes.plan.settings import left_alone
from gpu_ls_plugin.routes.searches.genetic.hybrid_genetic import HybridGeneticSearch
from gpu_ls_plugin.runs.plan import Stage

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.runs.settings import Request, Settings

SEARCH = HybridGeneticSearch(size=50, children=64)
# Total number of children that this stage needs, as (children, customers, power): `children` for up
# to `customers` customers; with more customers, the total grows with this power of their number.
# If there is time for just enough children, a CPU runs FEWEST populations; if there is more time,
# both the number of populations and their generations grow with the square root of the time.
ENOUGH = {"cuda": (120_000, 173, 2), "cpu": (28_000, 300, 4)}
FEWEST = 4
SHARE = 0.5  # share of the time for this stage; later chains seldom find much better routes
LONGEST = 600.0  # maximum duration of this stage in seconds
# Children per second: on a GPU, OF_A_GPU / customers, but at most ON_GPU; on each core of a CPU,
# OF_A_CORE / customers.
ON_GPU, OF_A_GPU, OF_A_CORE = 6e4, 1.2e7, 1.5e5


def first_generations(problem: CVRP, request: Request, chosen: Settings) -> Stage | None:
    """Return the stage that breeds routes before chains; None if the time is too short for it.

    The chains that follow do not start from its routes, because they would seldom move away from
    them. There is no such stage if the request sets a search, starts, or limits other than time, or
    if lengths are asymmetric. `chosen` are the complete settings of the run.
    """
    if not left_alone(problem, request.given, chosen) or not problem.symmetric:
        return None
    backend, seconds = request.backend, min(SHARE * chosen.seconds, LONGEST)
    children = seconds * children_per_second(backend, problem.customers)
    needed = enough(backend, problem.customers)
    if children < needed:
        return None
    populations = SEARCH.populations(backend)
    if backend.name == "cpu":
        populations = int(min(populations, FEWEST * math.sqrt(children / needed)))
    return Stage(
        "generations of routes",
        f"with {problem.customers:,} customers, there is time for about {int(children):,} "
        f"children, and {int(needed):,} are enough to beat chains",
        SEARCH,
        problem,
        problem,
        populations,
        "savings",
        seconds=seconds,
        prepare=partial(_prepare, backend=chosen.backend),
    )


def _prepare(stage: Stage, backend: str) -> None:
    stage.search.prepare(stage.problem, stage.size, backend=backend)


def enough(backend: Backend, customers: int) -> float:
    """Return how many children put the genetic search ahead of chains.

    See docs/lab/vehicle-routing.md. On a GPU, with 302 and 410 customers, chains are far ahead
    until the genetic search has bred 0.6 to 0.8 million children. On two cores, four populations
    with 9,000 children each take half a minute; with up to 320 customers, their routes are mostly
    as good as those of chains after a minute, but with 358 and 448 customers, they are far worse.
    """
    least, known, power = ENOUGH[backend.name]
    return least * max(1.0, customers / known) ** power


def children_per_second(backend: Backend, customers: int) -> float:
    """Return an estimate of how many children a device breeds per second."""
    if backend.name == "cpu":
        return backend.processors * OF_A_CORE / customers
    return min(ON_GPU, OF_A_GPU / customers)

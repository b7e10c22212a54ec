"""How a solve of few customers, or of much time, begins: by generations of many populations."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from gpu_ls_plugin.routes.plan.routes import left_alone
from gpu_ls_plugin.routes.searches.genetic.hybrid_genetic import HybridGeneticSearch
from gpu_ls_plugin.runs.plan import Stage

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.runs.request import Request
    from gpu_ls_plugin.runs.settings import Settings

SEARCH = HybridGeneticSearch(size=50, children=64)
# Children that are enough, up to so many customers, and by which power of their number there are
# more beyond. A GPU's populations have them all together; on a CPU FEWEST have. What there are in
# addition makes them more and older, both by its root: few that are old end lower than many.
ENOUGH = {"cuda": (120_000, 173, 2), "cpu": (28_000, 300, 4)}
FEWEST = 4
SHARE = 0.5  # of the time: where children are enough, chains have little left to do
LONGEST = 600.0  # seconds, of a solve without an end
# Children in a second: of a GPU, at most and for a customer, and of a core for a customer.
ON_GPU, OF_A_GPU, OF_A_CORE = 6e4, 1.2e7, 1.5e5


def first_generations(problem: CVRP, request: Request, chosen: Settings) -> Stage | None:
    """Return the stage that breeds routes before chains, None if children are too few.

    Chains go on from starts of their own: from what generations have found they would seldom get
    elsewhere. What somebody asked for is taken as it is: a search, starts, or limits other than
    time.

    Parameters
    ----------
    problem : CVRP
    request : Request
    chosen : Settings
        Complete.
    """
    if not left_alone(problem, request.given, chosen) or not problem.symmetric:
        return None
    backend, seconds = request.backend, min(SHARE * chosen.seconds, LONGEST)
    children = seconds * _rate(backend, problem.customers)
    needed = enough(backend, problem.customers)
    if children < needed:
        return None
    populations = SEARCH.populations(backend)
    if backend.name == "cpu":
        populations = int(min(populations, FEWEST * math.sqrt(children / needed)))
    return Stage(
        "generations of routes",
        f"{problem.customers:,} customers get about {int(children):,} children in this time, and "
        f"{int(needed):,} are better than chains",
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
    """Return how many children are better than chains.

    On a GPU 0.6 to 0.8 M pass for good the chains of 302 and 410 customers, which are far ahead at
    first. Chains of a CPU are fewer: after half of a minute of two cores four populations of 9,000
    children each, up to 320 customers, mostly are where chains come to in a minute, or lower; of
    358 and 448 they are far behind after a minute.
    """
    least, known, power = ENOUGH[backend.name]
    return least * max(1.0, customers / known) ** power


def _rate(backend: Backend, customers: int) -> float:
    """Return how many children there are in a second, about."""
    if backend.name == "cpu":
        return backend.processors * OF_A_CORE / customers
    return min(ON_GPU, OF_A_GPU / customers)

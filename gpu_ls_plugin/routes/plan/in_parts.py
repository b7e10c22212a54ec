"""Whether routes are searched in parts, or tours as wholes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.routes.plan.routes import on_linked_lists
from gpu_ls_plugin.routes.searches.decomposition.decomposed import Decomposed

if TYPE_CHECKING:
    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.runs.settings import Settings

# From which on parts are ahead: measured on CPUs at equal processor time; on GPUs, whole tours of
# more customers than these hardly fit their chains' shared memory.
LEAST_CUSTOMERS = {"cuda": 2000, "cpu": 3000}
# A GPU has so many chains that with fewer seconds a customer each makes too few kicks on all of
# them: 0.06 to 0.3 % better after 3 s, measured with 670 and 1,000 customers.
LEAST_HURRIED, SECONDS = 600, 0.005
CUSTOMERS = {"cuda": 250, "cpu": Decomposed.customers}  # of a part
STARTS = 16  # tours of which the best is searched


def in_parts(problem: CVRP, given: Settings, chosen: Settings) -> Settings:
    """Return settings by which routes of many customers are searched in parts.

    Parameters
    ----------
    problem : CVRP
    given : Settings
        What was asked: a search that was is taken as it is.
    chosen : Settings
        Complete.
    """
    search = chosen.search
    if given.search is not None or not on_linked_lists(search):
        return chosen
    device, n = get_backend(chosen.backend).name, problem.customers
    hurried = device == "cuda" and n >= LEAST_HURRIED and chosen.seconds < SECONDS * n
    if n < LEAST_CUSTOMERS[device] and not hurried:
        return chosen
    tours = chosen.population if given.population else min(chosen.population or 1, STARTS)
    parts = Decomposed(search, customers=CUSTOMERS[device], chains=chosen.population)
    return replace(chosen, population=tours, search=parts)

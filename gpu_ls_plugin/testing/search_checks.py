"""Runs searches with a part; checks that results are exact, repeatable and no worse than before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.runs.acceptance import Annealing
from gpu_ls_plugin.tours.crossovers.edge_assembly import EdgeAssembly
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch

if TYPE_CHECKING:
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.testing.subject import Subject
    from gpu_ls_plugin.tours.problem.tsp import TSP
    from gpu_ls_plugin.tours.searches.local_search import LocalSearch

CITIES = 90  # enough for several parts of `PART` cities
ROWS, KICKS, PART = 5, 40, 32  # numbers of rows per batch, kicks per row, and cities per part
BUDGET = Budget(kicks=KICKS)  # a limit in seconds would make results depend on the clock
ROUNDING = 1e-12  # relative error of real costs


def _takes(search: LocalSearch | IteratedLocalSearch, problem: TSP) -> bool:
    """Return whether a search accepts the lengths and the objective of a problem."""
    if not isinstance(search, IteratedLocalSearch):
        return True
    try:
        if search.cooperation is not None:
            search.cooperation.check(problem)
    except UnsupportedProblemError:
        return False
    objective = problem.objective
    return search.part is None or (objective.by_edges and not objective.directed)


def expect_sound(
    subject: Subject,
    problem: TSP,
    search: LocalSearch | IteratedLocalSearch,
    name: str,
    remedy: str,
    *,
    rows: int = ROWS,
) -> Result:
    """Return the result of a search; raise unless it is exact, repeatable and no worse than before.

    Rows 1 and 2 are also searched without the others, and must give the same tours unless chains
    cooperate or tours are searched in parts.
    """
    subject, cooperates, in_parts = subject.on(problem), False, False
    if isinstance(search, IteratedLocalSearch):
        cooperates, in_parts = search.cooperation is not None, search.part is not None
    starts = subject.tours(problem, rows)
    options: dict[str, Any] = {
        "seed": subject.seed,
        "budget": BUDGET,
        "backend": subject.backend.name,
    }
    with subject.blamed(name, remedy):
        found = search(problem, starts, **options)
        again = search(problem, starts, **options)
    tours = subject.expect_tours(problem, found.tours, rows, name)
    costs = problem.cost(tours)
    exact = found.costs == costs if problem.integer else np.isclose(found.costs, costs, ROUNDING, 0)
    subject.expect(exact.all(), f"{name} reports costs {found.costs}, not {costs}", remedy)
    feasible = problem.objective.feasible
    # A row that has become feasible may cost more.
    newly: Any = feasible(problem, tours) & ~feasible(problem, starts)
    before = problem.cost(starts)
    if cooperates:  # rows are sorted by cost, and chains may lose all tours but the best
        before, costs, newly = before.min(), costs.min(), newly.any()
    kept = (costs <= before) | newly
    subject.expect(kept.all(), f"{name} made tours worse", remedy)
    subject.expect_repeated(found.tours, again.tours, f"{name} found different tours")
    if not (cooperates or in_parts):
        few = slice(1, 3)
        alone = search(problem, starts[few], first_row=1, **options)
        subject.expect_equal(
            alone.tours,
            found.tours[few],
            f"{name} found different tours for rows 1 and 2 of a batch when called with these "
            "rows only and first_row=1",
            "row r may depend on its number, first_row + r, but not on the rest of the batch",
        )
    return found


def expect_sound_everywhere(
    subject: Subject,
    problem: TSP,
    local: LocalSearch,
    remedy: str,
    kick: Any = None,
    accept: Acceptance | None = None,
) -> None:
    """Check a part in a search of each kind; skip searches that refuse the problem.

    `local` must use the pivoting rule `First()` and candidate lists; `kick` and `accept` replace
    the default ones.
    """
    chains = IteratedLocalSearch(
        local, DoubleBridge(30) if kick is None else kick, accept or Annealing(), part=None
    )
    several: dict[str, LocalSearch | IteratedLocalSearch] = {
        "a descent": local,
        "chains": chains,
        "chains on parts of tours": replace(chains, part=PART) if chains.kick.cuts else chains,
        "chains that are crossed (EdgeAssembly)": replace(chains, cooperation=EdgeAssembly(0.1)),
    }
    for name, search in several.items():
        if _takes(search, problem):
            expect_sound(subject, problem, search, name, remedy)

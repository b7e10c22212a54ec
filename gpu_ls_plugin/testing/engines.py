"""A part in the searches that may meet it, whose results are compared with the referee's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.runs.acceptance import Annealing
from gpu_ls_plugin.tours.cooperation.elite_edges import EliteEdges
from gpu_ls_plugin.tours.crossovers.edge_assembly import EdgeAssembly
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch

if TYPE_CHECKING:
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.testing.subject import Subject
    from gpu_ls_plugin.tours.problem.tsp import TSP
    from gpu_ls_plugin.tours.searches.local_search import LocalSearch

CITIES = 90  # so that tours fall into parts
ROWS, KICKS, PART = 5, 40, 32
BUDGET = Budget(kicks=KICKS)  # a limit in seconds would cool chains by the clock
ROUNDING = 1e-12  # relative, that real costs may differ by from the referee's


def searches(
    local: LocalSearch,
    kick: Any = None,
    accept: Acceptance | None = None,
    *,
    problem: TSP | None = None,
) -> dict[str, LocalSearch | IteratedLocalSearch]:
    """Return searches of every kind, by what they do, without those that refuse a problem.

    `local` has `First()` on candidate lists; `kick` and `accept` take the place of the usual ones.
    """
    chains = IteratedLocalSearch(
        local, DoubleBridge(30) if kick is None else kick, accept or Annealing(), part=None
    )
    several: dict[str, LocalSearch | IteratedLocalSearch] = {
        "a descent": local,
        "chains": chains,
        "chains on parts of tours": replace(chains, part=PART) if chains.kick.cuts else chains,
        "chains on contracted problems (EliteEdges)": replace(
            chains, cooperation=EliteEdges(every=0.1, kicks_per_city=0.5, most=1.0)
        ),
        "chains that are crossed (EdgeAssembly)": replace(chains, cooperation=EdgeAssembly(0.1)),
    }
    return {who: search for who, search in several.items() if _takes(search, problem)}


def _takes(search: LocalSearch | IteratedLocalSearch, problem: TSP | None) -> bool:
    """Return whether a search takes a problem, whose lengths or objective it may refuse."""
    if problem is None or not isinstance(search, IteratedLocalSearch):
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
    who: str,
    remedy: str,
    *,
    rows: int = ROWS,
) -> Result:
    """Return what a search finds, which must be exact, never worse, and the same again.

    A batch that is a part of another must have the tours of its rows there, unless chains
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
    with subject.blamed(who, remedy):
        found = search(problem, starts, **options)
        again = search(problem, starts, **options)
    tours = subject.expect_tours(problem, found.tours, rows, who)
    costs = problem.cost(tours)
    exact = found.costs == costs if problem.integer else np.isclose(found.costs, costs, ROUNDING, 0)
    subject.expect(exact.all(), f"{who} reports costs {found.costs}, not {costs}", remedy)
    feasible = problem.objective.feasible
    # Rows that may be results now and might not before: at whatever cost.
    at_last: Any = feasible(problem, tours) & ~feasible(problem, starts)
    before = problem.cost(starts)
    if cooperates:  # rows are sorted by cost, and only the best tour is surely kept
        before, costs, at_last = before.min(), costs.min(), at_last.any()
    kept = (costs <= before) | at_last
    subject.expect(kept.all(), f"{who} made tours worse", remedy)
    subject.expect(
        np.array_equal(found.tours, again.tours),
        f"{who} found different tours when called again with the same seed",
        "whatever a part computes may depend on its arguments alone: no state, no clock, no "
        "generator of its own, no variable that is read before it is set",
    )
    if not (cooperates or in_parts):
        few = slice(1, 3)
        alone = search(problem, starts[few], first_row=1, **options)
        subject.expect(
            np.array_equal(alone.tours, found.tours[few]),
            f"{who} found different tours for rows 1 and 2 of a batch when given these alone, "
            "as first_row=1",
            "a row may depend on its number, first_row + r, and on nothing else of the batch",
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
    """Examine a part in searches of every kind."""
    for who, search in searches(local, kick, accept, problem=problem).items():
        expect_sound(subject, problem, search, who, remedy)

"""Checks that the C++ of a resource agrees with its Python methods, alone and in searches."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.routes.moves.between_routes import RouteMoves, SwapStar
from gpu_ls_plugin.routes.problem.resources.base import Resource
from gpu_ls_plugin.routes.removals.string_removal import StringRemoval
from gpu_ls_plugin.runs.acceptance import Always
from gpu_ls_plugin.testing import search_checks, small_problems
from gpu_ls_plugin.testing.objective_chains import check_chains
from gpu_ls_plugin.testing.resource_functor import check_functor
from gpu_ls_plugin.testing.subject import Subject
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.cvrp import CVRP

ROWS, LONG = 6, 3  # numbers of random tours, and of tours with long routes
ROUNDING = 1e-9  # relative error of real excesses
LISTS = Nearest(7)
BY_ROUTES = "the excess of a giant tour may depend only on its routes"
JOINING = (
    "at() and join() must return the segment of each path, and excess() must return the same in "
    "C++ as in Python for each route; weight() must not change"
)


def check_resource(
    resource: Resource,
    problems: Sequence[CVRP] | None = None,
    *,
    backend: str = "auto",
    seed: int = 0,
) -> None:
    """Raise unless the C++ and the Python of a resource agree, alone and in searches.

    `excess` must depend only on the routes of each giant tour: not on their order, not on the
    copies of the depot between them and, unless `turns`, not on their direction. The functor must
    compute the same excess, in whatever way it joins the segments of a route, and `segment_bytes`,
    `segments`, `turns` and `words` must fit it. Descents and chains on linked lists must have exact
    costs.

    Parameters
    ----------
    resource : Resource
    problems : sequence of CVRP, optional
        By default random and degenerate ones. Problems that the resource's `check` refuses are
        skipped.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        The message gives the reason and a remedy.
    """
    subject = Subject.of("resource", resource, backend, seed, Resource)
    given = small_problems.routing(seed) if problems is None else problems
    served = subject.served(given, lambda problem: problem.with_resources(resource))
    for problem in served:
        _check_weight(subject.on(problem), problem)
    used = [_check_excess(subject.on(problem), problem) for problem in served]
    wrong = "excess() is 0 for all random tours"
    subject.expect(sum(used), wrong, "pass problems=[...] in which the resource is scarce")
    for problem in (served[0], served[-1])[: len(served)]:
        _check_searches(subject.on(problem), problem)


def _check_excess(subject: Subject, problem: CVRP) -> bool:
    """Check the excess of giant tours in Python and in C++; return whether any is positive."""
    random = np.random.default_rng([subject.seed, problem.n, 1])
    orders = [1 + random.permutation(problem.customers) for _ in range(LONG)]
    few = min(problem.copies, max(2, problem.customers // 5))
    longer = [_split(problem, order, routes) for order, routes in zip(orders, (1, few, few))]
    rows = np.stack([*subject.tours(problem.tsp, ROWS), *longer])
    whole = _excess(subject, problem, rows)
    others = {
        "the same tours when called again": (rows, whole),
        "rows 1 and 2 without the other rows": (rows[1:3], whole[1:3]),
        "the same tours that begin at another place": (
            np.roll(rows, problem.n // 3 + 1, axis=1),
            whole,
        ),
        "the same routes in another order": (
            np.stack([problem.tour(problem.routes(row)[::-1]) for row in rows]),
            whole,
        ),
    }
    with subject.blamed("turns()", "return kTurns"):
        turns = subject.part.turns(problem)
    if not turns:
        reversed_ = np.ascontiguousarray(rows[:, ::-1]), whole
        others["the same tours in the other direction, although turns() is False"] = reversed_
    for given, (tours, expected) in others.items():
        found = _excess(subject, problem, tours)
        wrong = f"excess() returned {found}, not {expected}, for {given}"
        subject.expect(np.allclose(found, expected, ROUNDING, 0), wrong, BY_ROUTES)
    check_functor(subject, problem, rows, whole)
    return bool(whole.any())


def _excess(subject: Subject, problem: CVRP, rows: NDArray[np.int32]) -> NDArray[Any]:
    """Return the excess of giant tours; raise unless it is valid."""
    remedy = "return numbers of 0 or more in an array of shape (P,)"
    given = rows.copy()
    with subject.blamed("excess()", remedy):
        found = np.asarray(subject.part.excess(problem, given))
    fine = found.shape == (len(rows),) and found.dtype.kind in "iuf"
    wrong = f"excess() returned {' '.join(repr(found).split()):.200} for {len(rows)} tours"
    subject.expect(fine and np.isfinite(found).all() and (found >= 0).all(), wrong, remedy)
    subject.expect_equal(given, rows, "excess() changed the rows in place", "work on a copy")
    return found


def _check_weight(subject: Subject, problem: CVRP) -> None:
    """Raise unless the price of a unit of excess is valid."""
    remedy = "return a positive number, an integer if lengths are integers"
    with subject.blamed("weight()", remedy):
        weight = float(subject.part.weight(problem))
    fine = math.isfinite(weight) and weight > 0 and (not problem.integer or weight.is_integer())
    subject.expect(fine, f"weight() returned {weight}", remedy)


def _check_searches(subject: Subject, problem: CVRP) -> None:
    """Check descents and chains on linked lists under the constraint."""
    local = LocalSearch([RouteMoves(), SwapStar()], LISTS)
    search_checks.expect_sound(subject, problem.tsp, local, "a descent", JOINING)
    kicked = IteratedLocalSearch(local, StringRemoval(), Always())
    search_checks.expect_sound(subject, problem.tsp, kicked, "an iterated search", JOINING)
    check_chains(subject, problem.tsp, kicked, JOINING, lambda *_: None)


def _split(problem: CVRP, order: NDArray[np.int64], routes: int) -> NDArray[np.int32]:
    """Return the giant tour of an order of the customers, cut into equally long routes."""
    return problem.tour([part.tolist() for part in np.array_split(order, routes)])

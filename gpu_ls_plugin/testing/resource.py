"""Checks that the C++ of a resource agrees with its Python methods, alone and in searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.routes.moves.between_routes import TwoOptStar
from gpu_ls_plugin.routes.problem.resources.base import Resource
from gpu_ls_plugin.testing import search_checks, small_problems
from gpu_ls_plugin.testing.objective_chains import check_chains
from gpu_ls_plugin.testing.subject import Subject
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.engines.pivoting import Best
from gpu_ls_plugin.tours.moves.reconnections import TwoOpt
from gpu_ls_plugin.tours.moves.segment_moves import Exchange, Relocate
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.tours.moves.base import Neighbourhood

ROWS = 6  # number of rows of the largest batch
ROUNDING = 1e-9  # relative error of real excesses
LISTS = Nearest(7)
BY_ROUTES = "the excess of a giant tour may depend only on its routes"
JOINING = (
    "at() and join() must return the segment of each path, excess() must return the same "
    "in C++ as in Python for each route, and words() must pass the data that Python reads"
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
    copies of the depot between them and, if `segments` is 1, not on their direction. Chains must
    have exact costs, and local searches must not increase the excess.

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
    used = [_check_excess(subject.on(problem), problem) for problem in served]
    wrong = "excess() is 0 for all random tours"
    subject.expect(sum(used), wrong, "pass problems=[...] in which the resource is scarce")
    for problem in (served[0], served[-1])[: len(served)]:
        _check_searches(subject.on(problem), problem)


def _check_excess(subject: Subject, problem: CVRP) -> bool:
    """Compare the excess of giant tours given in several ways; return whether any is positive."""
    rows = subject.tours(problem.tsp, ROWS)
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
    if problem.symmetric and subject.part.segments == 1:
        reversed_ = np.ascontiguousarray(rows[:, ::-1]), whole
        others["the same tours in the other direction, although segments is 1"] = reversed_
    for given, (tours, expected) in others.items():
        found = _excess(subject, problem, tours)
        wrong = f"excess() returned {found}, not {expected}, for {given}"
        subject.expect(np.allclose(found, expected, ROUNDING, 0), wrong, BY_ROUTES)
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


def _check_searches(subject: Subject, problem: CVRP) -> None:
    """Check chains and local searches on giant tours under the constraint."""
    moves: list[Neighbourhood] = [Relocate(3), Exchange(2, 2), TwoOptStar()]
    if problem.symmetric:
        moves.insert(0, TwoOpt())
    tsp, local = problem.tsp, LocalSearch(moves, LISTS)
    check_chains(subject, tsp, local, JOINING)
    before = _excess(subject, problem, subject.tours(tsp, search_checks.ROWS))
    for name, search in {
        "a descent": local,
        "a descent by best moves": LocalSearch(moves, LISTS, Best()),
    }.items():
        found = search_checks.expect_sound(subject, tsp, search, name, JOINING)
        after = _excess(subject, problem, found.tours)
        wrong = f"{name} increased the excess from {before} to {after}"
        subject.expect((after <= before * (1 + ROUNDING)).all(), wrong, JOINING)

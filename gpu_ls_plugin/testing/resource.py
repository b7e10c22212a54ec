"""The check of a resource: its C++ beside its Python face, tour by tour and in searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.routes.moves.between_routes import TwoOptStar
from gpu_ls_plugin.routes.problem.resources.base import Resource
from gpu_ls_plugin.testing import engines, small_problems
from gpu_ls_plugin.testing.objective_chains import check_chains
from gpu_ls_plugin.testing.subject import Subject
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.engines.pivoting.best import Best
from gpu_ls_plugin.tours.moves.reconnections import TwoOpt
from gpu_ls_plugin.tours.moves.segment_moves import Exchange, Relocate
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.tours.moves.base import Neighbourhood

ROWS = 6
ROUNDING = 1e-9  # relative, of real excesses
LISTS = Nearest(7)
BY_ROUTES = "what a giant tour uses may depend on its routes alone"
JOINING = (
    "at(), join() and turned() must give the segment of any path, excess() of a route what the "
    "Python face has for it, and words() hand over the same data"
)


def check_resource(
    resource: Resource,
    problems: Sequence[CVRP] | None = None,
    *,
    backend: str = "auto",
    seed: int = 0,
) -> None:
    """Raise unless both faces of a resource agree, alone and in searches.

    `excess` must go by the routes of each giant tour alone, not by their order or which copies of
    the depot are between them; where `segments` is 1, not by their direction either. Chains must
    know what their tours use too much, and local searches never use more of it.

    Parameters
    ----------
    resource : Resource
    problems : sequence of CVRP, optional
        Those that `check` accepts are examined; by default random and degenerate ones.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        With the reason and the remedy.
    """
    subject = Subject.of("resource", resource, backend, seed, Resource)
    given = small_problems.routing(seed) if problems is None else problems
    served = subject.served(given, lambda problem: problem.with_resources(resource))
    used = [_check_excess(subject.on(problem), problem) for problem in served]
    subject.expect(
        sum(used),
        "no random tour uses too much",
        "pass problems=[...] on which the resource is scarce",
    )
    for problem in (served[0], served[-1])[: len(served)]:
        _check_searches(subject.on(problem), problem)


def _check_excess(subject: Subject, problem: CVRP) -> bool:
    """Compare what is said of some giant tours, again and written otherwise; return if any."""
    rows = subject.tours(problem.tsp, ROWS)
    said = _said(subject, problem, rows)
    turned = np.ascontiguousarray(rows[:, ::-1])
    other_ways = {
        "called again with the same tours": rows,
        "given the same tours from another place on": np.roll(rows, problem.n // 3 + 1, axis=1),
        "given the same routes in another order": _reordered(problem, rows),
    }
    if problem.symmetric and subject.part.segments == 1:
        other_ways["given the same tours in the other direction, although segments is 1"] = turned
    for when, written in other_ways.items():
        found = _said(subject, problem, written)
        subject.expect(
            np.allclose(found, said, ROUNDING, 0),
            f"excess() returned {found}, not {said}, when {when}",
            BY_ROUTES,
        )
    alone = _said(subject, problem, rows[1:3])
    subject.expect(
        np.allclose(alone, said[1:3], ROUNDING, 0),
        f"excess() returned {alone}, not {said[1:3]}, when given rows 1 and 2 alone",
        BY_ROUTES,
    )
    return bool(said.any())


def _said(subject: Subject, problem: CVRP, rows: NDArray[np.int32]) -> NDArray[Any]:
    remedy = "return numbers from 0 on in an array of shape (P,), and leave the rows as they are"
    given = rows.copy()
    with subject.blamed("excess()", remedy):
        said = np.asarray(subject.part.excess(problem, given))
    fine = said.shape == (len(rows),) and said.dtype.kind in "iuf"
    subject.expect(
        fine and np.isfinite(said).all() and (said >= 0).all() and np.array_equal(given, rows),
        f"excess() returned {' '.join(repr(said).split()):.200} for {len(rows)} tours",
        remedy,
    )
    return said


def _reordered(problem: CVRP, rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the same routes, the last one first."""
    return np.stack([problem.tour(problem.routes(row)[::-1]) for row in rows])


def _check_searches(subject: Subject, problem: CVRP) -> None:
    """Let chains and local searches change giant tours under the constraint."""
    moves: list[Neighbourhood] = [Relocate(3), Exchange(2, 2), TwoOptStar()]
    if problem.symmetric:
        moves.insert(0, TwoOpt())
    tsp, local = problem.tsp, LocalSearch(moves, LISTS)
    check_chains(subject, tsp, local, JOINING)
    before = _said(subject, problem, subject.tours(tsp, engines.ROWS))
    for who, search in {
        "a descent": local,
        "a descent by best moves": LocalSearch(moves, LISTS, Best()),
    }.items():
        found = engines.expect_sound(subject, tsp, search, who, JOINING)
        after = _said(subject, problem, found.tours)
        subject.expect(
            (after <= before * (1 + ROUNDING)).all(),
            f"{who} uses {after} too much, where it was {before}",
            JOINING,
        )

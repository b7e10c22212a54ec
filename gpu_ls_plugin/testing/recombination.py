"""Checks the children that a recombination makes of pairs of tours and in cooperating chains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.testing import small_problems
from gpu_ls_plugin.testing.cooperation import check_cooperation
from gpu_ls_plugin.testing.subject import SERVES_NONE, Subject
from gpu_ls_plugin.tours.crossovers.base import Recombination
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

ROWS = 6  # number of pairs of the largest batch
ROUNDING = 1e-9  # relative error of real costs
ALONE = (
    "the child of row r may depend only on its two parents, the seed, first_row + r and the "
    "generation"
)
OWN_MEMORY = "write children and costs to separate arrays"


def check_recombination(
    recombination: Recombination,
    problems: Sequence[TSP] | None = None,
    *,
    backend: str = "auto",
    seed: int = 0,
) -> None:
    """Raise unless children are tours, have exact costs, and depend only on their parents and row.

    Parents are random, differ in one path, or are equal. The check compares the
    children of a batch with those of a part of it, and the children of a workspace with those of
    `cross`. With `never_worse`, no child may cost more than its first parent. Then
    `check_cooperation` checks the recombination in chains.

    Parameters
    ----------
    recombination : Recombination
    problems : sequence of TSP, optional
        By default random and degenerate ones of several metrics, some with very few cities or with
        directed lengths, and giant tours of vehicle routing.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        The message gives the reason, the row and a remedy.
    """
    subject = Subject.of("recombination", recombination, backend, seed, Recombination)
    given = list(_usual(seed)) if problems is None else problems
    served = [problem for problem in given if _check_pairs(subject.on(problem), problem)]
    subject.expect(served, *SERVES_NONE)
    of_routes = not any(problem.objective.length_alone for problem in served)
    problem = served[0] if of_routes else None
    check_cooperation(recombination, backend=backend, seed=seed, problem=problem)


def _usual(seed: int) -> Iterator[TSP]:
    yield from small_problems.of_several_metrics(seed)
    for n in (1, 2, 3):
        yield TSP([(place * place, place) for place in range(n)], "EUC_2D", name=f"{n} cities")
    yield from (problem.tsp for problem in small_problems.routing(seed))


def _parents(subject: Subject, problem: TSP) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return pairs of parents: random, then two pairs that differ in a path, then an equal pair."""
    tours = subject.tours(problem, 2 * ROWS)
    first, second = tours[:ROWS], tours[ROWS:]
    second[-3:] = first[-3:]
    path = slice(problem.n // 4, problem.n // 2)
    second[-3:-1, path] = second[-3:-1, path][:, ::-1]
    return first, second


def _check_pairs(subject: Subject, problem: TSP) -> bool:
    """Compare children of several batches; return False if the part refuses the problem."""
    part, options = subject.part, {"seed": subject.seed, "backend": subject.backend.name}
    first, second = _parents(subject, problem)
    before = first.copy(), second.copy()
    two = slice(1, 3)
    with subject.blamed("cross()", "see gpu_ls_plugin.extend.Recombination"):
        try:
            children = part.cross(problem, first, second, **options)
        except UnsupportedProblemError:
            return False
        again = part.cross(problem, first, second, **options)
        alone = part.cross(problem, first[two], second[two], first_row=1, **options)
    children = subject.expect_tours(problem, children, ROWS, "cross()")
    subject.expect(
        np.array_equal(first, before[0]) and np.array_equal(second, before[1]),
        "cross() changed the given parents in place",
        OWN_MEMORY,
    )
    subject.expect_repeated(children, again, "cross() made other children")
    wrong = "rows 1 and 2 of a batch have other children than the same pairs with first_row=1"
    subject.expect_equal(children[two], alone, wrong, ALONE)
    if part.never_worse:
        _expect_never_worse(subject, problem, first, children)
    _check_workspace(subject, problem, (first, second), children)
    return True


def _expect_never_worse(
    subject: Subject, problem: TSP, first: NDArray[Any], children: NDArray[Any]
) -> None:
    costs, own = problem.cost(children), problem.cost(first)
    rounding = 0 if problem.integer else ROUNDING * own
    for row in np.nonzero(costs > own + rounding)[0]:
        raise subject.fault(
            f"the child of row {row} costs {costs[row]}, its first parent {own[row]}",
            "return the first parent if no child is cheaper, or remove never_worse",
        )


def _check_workspace(
    subject: Subject,
    problem: TSP,
    parents: tuple[NDArray[Any], NDArray[Any]],
    children: NDArray[Any],
) -> None:
    """Use a workspace twice, with the second parents in another order, as populations do."""
    backend, part = subject.backend, subject.part
    first, second = (backend.xp.asarray(tours) for tours in parents)
    partners = backend.xp.arange(ROWS, dtype="int32")[::-1].copy()
    shuffled = second[partners]  # each row still has the same second parent
    given = [first, backend.xp.asarray(problem.cost(parents[0])), shuffled, partners]
    before = [array.copy() for array in given]
    with subject.blamed("its workspace", "see gpu_ls_plugin.extend.Workspace"):
        workspace = part.workspace(backend, problem, ROWS, seed=subject.seed)
        workspace.cross(*given, generation=1)
        made, costs = workspace.cross(*given, generation=0)
        reported = backend.to_numpy(costs)
    made = subject.expect_tours(problem, made, ROWS, "the workspace's cross()")
    for name, now, was in zip(("first", "costs", "second", "partners"), given, before, strict=True):
        wrong = f"the workspace's cross() changed {name} in place, which populations use again"
        subject.expect(bool((now == was).all()), wrong, OWN_MEMORY)
    found = problem.cost(made)
    if not (problem.objective.length_alone or problem.integer):
        # Kernels add up violations in a different order, so rounding errors are larger.
        found = backend.to_numpy(tour_costs(backend, problem, backend.xp.asarray(made)))
    subject.expect(
        np.shape(reported) == (ROWS,)
        and np.allclose(reported, found, rtol=0 if problem.integer else ROUNDING, atol=0),
        f"the workspace's cross() reports costs {reported} of children that cost {found}",
        "return exact costs, such as tour_costs(backend, problem, children): chains continue with "
        "these numbers",
    )
    if part.never_worse and not problem.integer:  # cross() rejects what rounding made worse
        kept = (children == parents[0]).all(axis=1)
        made[kept] = children[kept]
    subject.expect_equal(
        made,
        children,
        "the workspace's cross() made other children of the same pairs than cross(), with the "
        "second parents in another order and after another generation",
        "the second parent of row r is second[partners[r]]; a generation must not depend on "
        "earlier ones",
    )

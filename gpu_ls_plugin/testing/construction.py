"""Checks that a construction makes tours that depend only on the seed and the number of the row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.testing import small_problems
from gpu_ls_plugin.testing.subject import SERVES_NONE, Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpu_ls_plugin.tours.problem.tsp import TSP

ROWS = 6  # number of rows of the largest batch
CALLED = "it is called as construct(problem, size, seed=..., backend=..., device=...)"


def check_construction(
    construct: Callable[..., Any],
    problems: Sequence[TSP] | None = None,
    *,
    backend: str = "auto",
    seed: int = 0,
) -> None:
    """Raise unless a construction returns tours that do not depend on the size of the batch.

    Parameters
    ----------
    construct : callable
        Called as ``construct(problem, size, *, seed, backend, device)``.
    problems : sequence of TSP, optional
        By default random and degenerate ones of several metrics; if the construction refuses all
        of them, vehicle routing problems. Problems that it refuses with `UnsupportedProblemError`
        are skipped.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        The message gives the reason, the row and a remedy.
    """
    subject = Subject.of("construction", construct, backend, seed)
    if not callable(construct):
        raise InvalidTypeError(f"construction: {construct!r} cannot be called; pass the function")
    if problems is None:
        sets: Any = (small_problems.of_several_metrics, small_problems.routing)
        served = any(_check_all(subject, make(seed)) for make in sets)
    else:
        served = _check_all(subject, problems)
    subject.expect(served, *SERVES_NONE)


def _check_all(subject: Subject, problems: Sequence[Any]) -> bool:
    """Check all problems; return whether the construction accepts any of them."""
    return any([_check_tours(subject.on(problem), problem) for problem in problems])


def _check_tours(subject: Subject, problem: TSP) -> bool:
    """Compare batches of tours; return False if the construction refuses the problem."""

    def tours(size: int, seed: int = subject.seed) -> Any:
        options = {"seed": seed, "backend": subject.backend.name, "device": None}
        made = subject.part(problem, size, **options)
        return subject.expect_tours(problem, made, size, f"a batch of {size}")

    with subject.blamed("construct()", CALLED):
        try:
            whole = tours(ROWS)
        except UnsupportedProblemError:
            return False
        again, fewer, one, other = tours(ROWS), tours(2), tours(1), tours(ROWS, subject.seed + 1)
    subject.expect_repeated(whole, again, "it made different tours")
    subject.expect(
        np.array_equal(whole[:2], fewer) and np.array_equal(whole[:1], one),
        "a smaller batch is not the beginning of a larger batch",
        "row r may depend on the seed and r, not on the size of the batch",
    )
    subject.expect(
        problem.n < 20 or (whole == whole[0]).all() or not np.array_equal(whole, other),
        "its rows differ, but another seed made the same tours",
        "use the seed: callers pass other seeds to get other tours",
    )
    return True

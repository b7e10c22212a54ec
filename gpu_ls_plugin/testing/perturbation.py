"""The check of a perturbation: kicks by the row's random numbers alone, and chains of them."""

from __future__ import annotations

from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.testing import engines, small_problems
from gpu_ls_plugin.testing.subject import Subject
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.kicks.base import as_perturbation
from gpu_ls_plugin.tours.moves.reconnections import TwoOpt
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.problem.tsp import TSP

ROWS = 6
ALWAYS_OTHER = 30  # cities from which on a kick must change some tour of a batch
ALONE = "row r may depend on the seed, on first_row + r and on its own tour, and on nothing else"
CUTS = "cuts must be drawn as tours/kicks/bridge_cuts.cuh says, from the random numbers given"


def check_perturbation(
    perturbation: Any,
    problems: Sequence[TSP] | None = None,
    *,
    backend: str = "auto",
    seed: int = 0,
) -> None:
    """Raise unless a perturbation returns tours, by each row's seed and number alone.

    Kicks of one batch are compared with those of parts of it, of other seeds and of other
    neighbours; then chains kick by it, repair and accept, in one kernel where it has `cuts`.

    Parameters
    ----------
    perturbation : Perturbation
        Or any object with a method `perturb`.
    problems : sequence of TSP, optional
        By default random and degenerate ones of several metrics.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        With the reason, the row and the remedy.
    """
    kick = as_perturbation(perturbation)
    subject = Subject.of("perturbation", perturbation, backend, seed)
    _check_signature(subject)
    given = list(problems or small_problems.of_several_metrics(seed))
    served = [problem for problem in given if _check_kicks(subject.on(problem), kick, problem)]
    subject.expect(
        served or kick.cuts, "it refuses every problem", "pass problems=[...] that it can work on"
    )
    large = small_problems.planar("EUC_2D", seed, engines.CITIES)[0]
    problem = large if problems is None else given[0]
    remedy = CUTS if kick.cuts else ALONE
    for who, search in engines.searches(LocalSearch([TwoOpt()], Nearest(6)), perturbation).items():
        if who != "a descent":
            engines.expect_sound(subject, problem, search, who, remedy)


def _check_signature(subject: Subject) -> None:
    options = {"seed": 0, "backend": "cpu", "device": None, "first_row": 0}
    try:
        signature(subject.part.perturb).bind(None, None, **options)
    except TypeError as error:
        wrong = f"perturb() cannot be called with seed, backend, device and first_row: {error}"
        remedy = "without first_row kicks depend on how a batch is divided; take all four by name"
        raise subject.fault(wrong, remedy) from error


def _check_kicks(subject: Subject, kick: Perturbation, problem: TSP) -> bool:
    """Compare kicks of several batches; return whether the perturbation serves the problem."""
    tours = subject.tours(problem, ROWS)
    before = tours.copy()
    kicked = partial(_kicked, subject, kick, problem)
    with subject.blamed("perturb()", "see gpu_ls_plugin.extend.Perturbation"):
        try:
            whole = kicked(tours)
        except InvalidParameterError as error:
            if _may_refuse(kick, problem, error):
                return False
            raise
        again, fewer = kicked(tours), kicked(tours[:2])
        later = kicked(tours[2:], first_row=2)
        beside = kicked(np.concatenate([tours[1:3], tours[2:]]))
        other = kicked(tours, seed=subject.seed + 1)
    subject.expect(
        np.array_equal(tours, before),
        "perturb() changed the tours that it was given",
        "work on a copy, such as numpy.array(tours)",
    )
    subject.expect(
        np.array_equal(whole, again),
        "perturb() made different kicks when called again with the same seed",
        "draw random numbers from the seed and the row alone",
    )
    _check_rows_alone(subject, whole, fewer, later, beside)
    if subject.backend.name != "cpu":
        _check_on_device(subject, kick, problem, tours, whole)
    if problem.n >= ALWAYS_OTHER:
        _check_change(subject, tours, whole, other)
    return True


def _kicked(
    subject: Subject,
    kick: Perturbation,
    problem: TSP,
    tours: Any,
    *,
    seed: int | None = None,
    first_row: int = 0,
) -> Any:
    """Return tours after a kick."""
    key, where = subject.seed if seed is None else seed, subject.backend.name
    made = kick.perturb(problem, tours, seed=key, backend=where, first_row=first_row)
    return subject.expect_tours(problem, made, len(tours), "perturb()")


def _may_refuse(kick: Perturbation, problem: TSP, error: InvalidParameterError) -> bool:
    """Return whether an error says no more than that the problem is not served."""
    small = isinstance(error, UnsupportedProblemError) and problem.n < kick.smallest
    return small or bool(kick.cuts)  # perhaps drawn along candidates, which only chains have


def _check_rows_alone(subject: Subject, whole: Any, fewer: Any, later: Any, beside: Any) -> None:
    """Raise unless the kick of a row is the same in every batch that has the row."""
    for kicks, same, wrong in (
        (whole[:2], fewer, "kicks of a smaller batch are not those of a larger"),
        (
            whole[2:],
            later,
            "kicks of rows 2 to 5 of a batch are not those of the same tours with first_row=2",
        ),
        (whole[2:], beside[2:], "a kick depends on the other tours of the batch"),
    ):
        subject.expect(np.array_equal(kicks, same), wrong, ALONE)


def _check_on_device(
    subject: Subject, kick: Perturbation, problem: TSP, tours: Any, whole: Any
) -> None:
    """Raise unless tours that lie on the GPU stay there, and are kicked alike."""
    there = subject.backend.xp.asarray(tours)
    on_device = kick.perturb(problem, there, seed=subject.seed, backend=subject.backend.name)
    subject.expect(
        hasattr(on_device, "__cuda_array_interface__"),
        "perturb() returned NumPy for tours that are on the GPU",
        "return the kind of array that came in: chains leave their tours on the device",
    )
    subject.expect(
        np.array_equal(subject.backend.to_numpy(on_device), whole),
        "perturb() made different kicks of tours that are on the GPU",
        ALONE,
    )


def _check_change(subject: Subject, tours: Any, whole: Any, other: Any) -> None:
    """Raise unless kicks change tours, and another seed changes them otherwise."""
    subject.expect(
        (whole != tours).any(),
        "no kick changed its tour",
        "return tours other than those given, or chains never leave their local optima",
    )
    subject.expect(
        not np.array_equal(whole, other),
        "another seed made the same kicks",
        "use the seed: chains pass another one for every kick",
    )

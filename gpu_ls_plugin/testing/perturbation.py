"""Checks that kicks depend only on the seed and the row, and that chains can use them."""

from __future__ import annotations

from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.testing import search_checks, small_problems
from gpu_ls_plugin.testing.subject import SERVES_NONE, Subject
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.kicks.base import as_perturbation
from gpu_ls_plugin.tours.moves.reconnections import TwoOpt
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.problem.tsp import TSP

ROWS = 6  # number of rows of the largest batch
MUST_CHANGE = 30  # with at least this many cities, kicks must change some tour of a batch
ALONE = "row r may depend only on the seed, on first_row + r and on its own tour"
CUTS = "draw the cuts as tours/kicks/bridge_cuts.cuh describes, from the given random numbers"


def check_perturbation(
    perturbation: Any,
    problems: Sequence[TSP] | None = None,
    *,
    backend: str = "auto",
    seed: int = 0,
) -> None:
    """Raise unless a perturbation returns tours that depend only on the seed and on each row.

    The check compares the kicks of a batch with those of its parts, with those of another seed, and
    with those of the same tours in another batch. It then runs chains with the perturbation, in one
    kernel if the perturbation has `cuts`.

    Parameters
    ----------
    perturbation : Perturbation
        A `Perturbation`, or any object with a method `perturb`.
    problems : sequence of TSP, optional
        By default random and degenerate ones of several metrics.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        The message gives the reason, the row and a remedy.
    """
    kick = as_perturbation(perturbation)
    subject = Subject.of("perturbation", perturbation, backend, seed)
    _check_signature(subject)
    given = list(problems or small_problems.of_several_metrics(seed))
    served = [problem for problem in given if _check_kicks(subject.on(problem), kick, problem)]
    subject.expect(served or kick.cuts, *SERVES_NONE)
    large = small_problems.planar("EUC_2D", seed, search_checks.CITIES)[0]
    problem = large if problems is None else given[0]
    remedy = CUTS if kick.cuts else ALONE
    local = LocalSearch([TwoOpt()], Nearest(6))
    search_checks.expect_sound_everywhere(subject, problem, local, remedy, kick=perturbation)


def _check_signature(subject: Subject) -> None:
    options = {"seed": 0, "backend": "cpu", "device": None, "first_row": 0}
    try:
        signature(subject.part.perturb).bind(None, None, **options)
    except TypeError as error:
        wrong = f"perturb() cannot be called with seed, backend, device and first_row: {error}"
        remedy = (
            "accept all four by name: without first_row, kicks depend on how a batch is divided"
        )
        raise subject.fault(wrong, remedy) from error


def _check_kicks(subject: Subject, kick: Perturbation, problem: TSP) -> bool:
    """Compare kicks of several batches; return False if the perturbation refuses the problem."""
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
    wrong = "perturb() changed the given tours in place"
    subject.expect_equal(tours, before, wrong, "work on a copy, such as numpy.array(tours)")
    subject.expect_repeated(whole, again, "perturb() made different kicks")
    _check_rows_alone(subject, whole, fewer, later, beside)
    if subject.backend.name != "cpu":
        _check_on_device(subject, kick, problem, tours, whole)
    if problem.n >= MUST_CHANGE:
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
    key, where = subject.seed if seed is None else seed, subject.backend.name
    made = kick.perturb(problem, tours, seed=key, backend=where, first_row=first_row)
    return subject.expect_tours(problem, made, len(tours), "perturb()")


def _may_refuse(kick: Perturbation, problem: TSP, error: InvalidParameterError) -> bool:
    """Return whether an error is a legitimate refusal of a problem."""
    small = isinstance(error, UnsupportedProblemError) and problem.n < kick.smallest
    return small or bool(kick.cuts)  # cuts may need candidates, which only chains have


def _check_rows_alone(subject: Subject, whole: Any, fewer: Any, later: Any, beside: Any) -> None:
    """Raise unless the kick of a row is the same in each batch that contains the row."""
    wrong = "a smaller batch has other kicks than the first rows of a larger one"
    subject.expect_equal(whole[:2], fewer, wrong, ALONE)
    wrong = "rows 2 to 5 of a batch have other kicks than the same tours with first_row=2"
    subject.expect_equal(whole[2:], later, wrong, ALONE)
    wrong = "a kick depends on the other tours of the batch"
    subject.expect_equal(whole[2:], beside[2:], wrong, ALONE)


def _check_on_device(
    subject: Subject, kick: Perturbation, problem: TSP, tours: Any, whole: Any
) -> None:
    """Raise unless tours on the GPU stay there and receive the same kicks."""
    there = subject.backend.xp.asarray(tours)
    on_device = kick.perturb(problem, there, seed=subject.seed, backend=subject.backend.name)
    wrong = "perturb() returned a NumPy array for tours on the GPU"
    remedy = "return the kind of array that was passed: chains keep their tours on the device"
    subject.expect(hasattr(on_device, "__cuda_array_interface__"), wrong, remedy)
    wrong = "perturb() made different kicks for tours on the GPU"
    subject.expect_equal(subject.backend.to_numpy(on_device), whole, wrong, ALONE)


def _check_change(subject: Subject, tours: Any, whole: Any, other: Any) -> None:
    """Raise unless kicks change tours, and do so differently with another seed."""
    remedy = "return changed tours: otherwise chains never leave their local optima"
    subject.expect((whole != tours).any(), "no kick changed its tour", remedy)
    remedy = "use the seed: chains pass another one for each kick"
    subject.expect(not np.array_equal(whole, other), "another seed made the same kicks", remedy)

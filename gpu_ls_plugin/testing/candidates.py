"""Checks the lists of a candidate rule, and searches that use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.testing import search_checks, small_problems
from gpu_ls_plugin.testing.subject import SERVES_NONE, Subject
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.candidates.lists import CandidateLists
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.problem.tsp import TSP

LISTS = (
    "build() must return CandidateLists(cities, lengths): for each city a row of different other "
    "cities, and the exact lengths to them"
)


def check_candidates(
    rule: Candidates, problems: Sequence[TSP] | None = None, *, backend: str = "auto", seed: int = 0
) -> None:
    """Raise unless a candidate rule makes valid and repeatable lists.

    Parameters
    ----------
    rule : Candidates
    problems : sequence of TSP, optional
        By default random and degenerate ones of several metrics. Problems that the rule refuses
        with `UnsupportedProblemError` are skipped.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        The message gives the reason, the city and a remedy.
    """
    subject = Subject.of("candidates", rule, backend, seed, Candidates)
    with subject.blamed("its hash", "define __eq__ and __hash__ together (a frozen dataclass)"):
        wrong = "it does not equal itself"
        remedy = "lists are cached by rule: equal parameters must give equal rules and hashes"
        subject.expect(rule == rule and hash(rule) == hash(rule), wrong, remedy)
    given = list(problems or small_problems.of_several_metrics(seed))
    served = [problem for problem in given if _check_lists(subject.on(problem), problem)]
    subject.expect(served, *SERVES_NONE)
    local = LocalSearch(candidates=rule)
    for metric in ("EUC_2D", "EUC"):
        problem = small_problems.planar(metric, seed, search_checks.CITIES)[0]
        if problems is None and _check_lists(subject.on(problem), problem):
            search_checks.expect_sound_everywhere(subject, problem, local, LISTS)


def _check_lists(subject: Subject, problem: TSP) -> bool:
    """Check the lists of a problem; return False if the rule refuses the problem."""
    with subject.blamed("build()", LISTS):
        try:
            lists, again = (subject.part.build(problem) for _ in range(2))
        except UnsupportedProblemError:
            return False
    subject.expect(isinstance(lists, CandidateLists), f"build() returned {lists!r}", LISTS)
    cities, lengths = np.asarray(lists.cities), np.asarray(lists.lengths)
    _check_cities(subject, problem, cities)
    exact = problem.metric.lengths(problem.values, np.arange(problem.n)[:, None], cities)
    wrong = "the lengths in the lists are not those of the problem"
    remedy = "compute them with problem.metric.lengths(problem.values, cities, candidates)"
    subject.expect(lengths.shape == cities.shape and np.array_equal(lengths, exact), wrong, remedy)
    subject.expect_equal(
        cities,
        again.cities,
        "build() lists different cities when called again",
        "a rule may depend only on the problem and its own parameters; give a random rule a seed",
    )
    most = subject.part.most(problem)
    subject.expect(
        most == 0 or most >= cities.shape[1],
        f"most() returns {most}, but build() lists {cities.shape[1]} candidates",
        "most() must return the length of the lists, or 0 if it is not known before they are built",
    )
    return True


def _check_cities(subject: Subject, problem: TSP, cities: NDArray[Any]) -> None:
    """Raise unless the list of each city consists of distinct other cities."""
    n = problem.n
    subject.expect(
        cities.ndim == 2 and len(cities) == n and cities.dtype.kind in "iu" and cities.size,
        f"build() lists {cities.dtype} of shape {cities.shape}, not integers of shape ({n}, k)",
        LISTS,
    )
    for city, row in enumerate(cities.tolist()):
        fitting = all(0 <= other < n and other != city for other in row)
        wrong = f"build() lists {row} for city {city}, not different other cities from 0 to {n - 1}"
        subject.expect(fitting and len(set(row)) == len(row), wrong, LISTS)

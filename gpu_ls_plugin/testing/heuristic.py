"""Checks that all samplers generate the same valid successors with a heuristic."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.heuristics.base import Heuristic
from gpu_ls_plugin.assignment.problem.assignment import MOST_VALUES
from gpu_ls_plugin.assignment.successors.generation import SuccessorGeneration
from gpu_ls_plugin.assignment.successors.layouts import LANES
from gpu_ls_plugin.backends.cpu import threads_at_most
from gpu_ls_plugin.testing.subject import Subject

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem

STATES, COUNT = 6, 4  # number of states, and of successors per state
PURE = (
    "rate() and weight() must depend only on the state and change nothing; begin() must write all "
    "kept data; join() must be associative and commutative"
)
SIZES = f"return an array of integers from 1 to {MOST_VALUES}, of shape (m,) with m > 0"
DOMAINS = "values() must not exceed sizes(), and a variable without weights must stay at -1"


def check_heuristic(
    heuristic: Heuristic, problem: Problem | None = None, *, backend: str = "auto", seed: int = 0
) -> None:
    """Raise unless all samplers work with a heuristic and agree with one another.

    The check generates successors of empty states, for all variables, and then successors of these
    successors, for some variables. Values must be in their domains. Inactive variables must
    keep their values. The samplers "stored" and "rescan" must choose the same values. States must
    have the same successors in a part of a batch as in the whole batch, even if states are
    processed side by side.

    Parameters
    ----------
    heuristic : Heuristic
    problem : Problem, optional
        Problem that the heuristic's methods receive.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        The message gives the reason and a remedy.
    """
    subject = Subject.of("heuristic", heuristic, backend, seed, Heuristic)
    sizes = _sizes(subject, problem)
    empty = np.full((STATES, len(sizes)), -1, np.int32)
    active = np.random.default_rng(subject.seed).random((STATES * COUNT, len(sizes))) < 0.5
    for order in ("given", "shuffled"):
        generate = partial(_generated, subject, problem, order=order)
        first = generate("rescan", empty, count=COUNT)
        _expect_domains(subject, first, sizes)
        for states, count, mask in ((empty, COUNT, None), (first, 1, active)):
            found = {
                sampler: generate(sampler, states, count=count, active=mask)
                for sampler in ("stored", "rescan")
            }
            for sampler, rows in found.items():
                _expect_domains(subject, rows, sizes)
                kept = mask is None or np.array_equal(rows[~mask], states[~mask])
                subject.expect(kept, f"{sampler!r} changed an inactive variable", PURE)
            differ = "'stored' and 'rescan' choose different values"
            subject.expect_equal(found["stored"], found["rescan"], differ, PURE)
        part = generate("rescan", empty[2:], count=COUNT, first_row=2)
        differ = "states have other successors in a part of a batch than in the whole batch"
        subject.expect_equal(part, first[2 * COUNT :], differ, PURE)
    many = np.full((LANES, len(sizes)), -1, np.int32)
    with threads_at_most(1):  # `LANES` states run side by side if the heuristic allows it
        found_many = _generated(subject, problem, "rescan", many)[:STATES]
        found_few = _generated(subject, problem, "rescan", empty)
    differ = "states have other successors in a large batch than in a small one"
    subject.expect_equal(found_many, found_few, differ, PURE)


def _sizes(subject: Subject, problem: Problem | None) -> NDArray[Any]:
    with subject.blamed("sizes()", SIZES):
        sizes = np.asarray(subject.part.sizes(problem))
    fine = sizes.ndim == 1 and sizes.size and sizes.dtype.kind in "iu"
    wrong = f"sizes() returned {' '.join(repr(sizes).split()):.200}"
    subject.expect(fine and sizes.min() >= 1 and sizes.max() <= MOST_VALUES, wrong, SIZES)
    return sizes


def _generated(
    subject: Subject,
    problem: Problem | None,
    sampler: str,
    states: NDArray[np.int32],
    **options: Any,
) -> NDArray[np.int32]:
    remedy = "write the functor as assignment/heuristics/heuristic.cuh describes it"
    with subject.blamed(f"generation by {sampler!r}", remedy):
        found: NDArray[np.int32] = SuccessorGeneration(subject.part, sampler)(
            problem, states, seed=subject.seed, backend=subject.backend, **options
        )
        return found


def _expect_domains(subject: Subject, rows: NDArray[np.int32], sizes: NDArray[Any]) -> None:
    outside = (rows < -1) | (rows >= sizes)
    if outside.any():
        row, variable = np.argwhere(outside)[0]
        value, size = rows[row, variable], sizes[variable]
        raise subject.fault(f"variable {variable} has value {value}, but size {size}", DOMAINS)

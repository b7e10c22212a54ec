"""The check of a heuristic: successors by every sampler, and what they must have in common."""

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

STATES, COUNT = 6, 4
PURE = (
    "rate() and weight() must depend on the state alone and change nothing, begin() write all that "
    "is kept, and join() be associative and commutative"
)
SIZES = f"return integers from 1 to {MOST_VALUES} in an array of shape (m,), m > 0"
DOMAINS = "values() must not exceed what sizes() says, and a variable without weights stays at -1"


def check_heuristic(
    heuristic: Heuristic, problem: Problem | None = None, *, backend: str = "auto", seed: int = 0
) -> None:
    """Raise unless all samplers work with a heuristic, and choose what they have to.

    Successors are generated from states without values and from their own, of all variables and
    of some: values must be in their domains, what is not active stay as it is, "stored" and
    "rescan" choose the same values, and parts of a batch have the successors of the whole, also
    where its states go side by side.

    Parameters
    ----------
    heuristic : Heuristic
    problem : Problem, optional
        Handed to the heuristic.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        With the reason and the remedy.
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
                for sampler in ("stored", "rescan", "softmax")
            }
            for sampler, rows in found.items():
                _expect_domains(subject, rows, sizes)
                kept = mask is None or np.array_equal(rows[~mask], states[~mask])
                subject.expect(kept, f"{sampler!r} changed a variable that is not active", PURE)
            equal = np.array_equal(found["stored"], found["rescan"])
            subject.expect(equal, "'stored' and 'rescan' choose different values", PURE)
        part = generate("rescan", empty[2:], count=COUNT, first_row=2)
        equal = np.array_equal(part, first[2 * COUNT :])
        subject.expect(equal, "parts of a batch have other successors than the whole", PURE)
    many = np.full((LANES, len(sizes)), -1, np.int32)
    with threads_at_most(1):  # so many go side by side where the heuristic says that they can
        equal = np.array_equal(
            _generated(subject, problem, "rescan", many)[:STATES],
            _generated(subject, problem, "rescan", empty),
        )
    subject.expect(equal, "many states have other successors than few", PURE)


def _sizes(subject: Subject, problem: Problem | None) -> NDArray[Any]:
    with subject.blamed("sizes()", SIZES):
        sizes = np.asarray(subject.part.sizes(problem))
    fine = sizes.ndim == 1 and sizes.size and sizes.dtype.kind in "iu"
    subject.expect(
        fine and sizes.min() >= 1 and sizes.max() <= MOST_VALUES,
        f"sizes() returned {' '.join(repr(sizes).split()):.200}",
        SIZES,
    )
    return sizes


def _generated(
    subject: Subject,
    problem: Problem | None,
    sampler: str,
    states: NDArray[np.int32],
    **options: Any,
) -> NDArray[np.int32]:
    who = f"generation by {sampler!r}"
    with subject.blamed(
        who, "the functor must be as assignment/heuristics/heuristic.cuh describes it"
    ):
        found: NDArray[np.int32] = SuccessorGeneration(subject.part, sampler)(
            problem, states, seed=subject.seed, backend=subject.backend, **options
        )
        return found


def _expect_domains(subject: Subject, rows: NDArray[np.int32], sizes: NDArray[Any]) -> None:
    outside = (rows < -1) | (rows >= sizes)
    if outside.any():
        row, variable = np.argwhere(outside)[0]
        value, size = rows[row, variable], sizes[variable]
        raise subject.fault(f"variable {variable} has value {value} of {size}", DOMAINS)

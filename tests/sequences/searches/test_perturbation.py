"""Kicks of sequences as perturbations."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTourError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.sequences.kicks.destroy_repair import SequenceKick
from gpu_ls_plugin.sequences.searches.perturbation import SequencePerturbation
from tests.sequences.problem.functors import permutations


def problem_of(kind: str, n: int) -> gls.Sequence:
    """Return a random problem of each kind of objective."""
    random = np.random.default_rng(n)
    if kind == "compiled":
        return gls.FlowShop(random.integers(1, 9, (n, 3)))
    if kind == "front":
        return gls.Latency(gls.TSP.from_matrix(random.integers(1, 9, (n, n))))
    places = random.integers(0, 9, (n, n))
    return gls.Sequence(n, lambda rows: places[np.arange(n), rows].sum(axis=1), integer=True)


def rows_of(problem: gls.Sequence, size: int) -> np.ndarray:
    return gls.random_sequences(problem, size, seed=3, backend="cpu")


KICKS = (gls.DestroyRepair(2), gls.DestroyRepair(63, descend=True), gls.sequences.BlockSwap(9))


@pytest.mark.parametrize("kick", KICKS)
@pytest.mark.parametrize("n", [1, 2, 3, 20])
@pytest.mark.parametrize("kind", ["compiled", "front", "python"])
def test_a_row_depends_on_its_number_alone(kind, n, kick):
    if kind == "python" and kick == KICKS[-1]:
        pytest.skip("functions in Python take DestroyRepair only")
    problem = problem_of(kind, n)
    rows = rows_of(problem, 6)
    before = rows.copy()
    made = SequencePerturbation(kick).perturb(problem, rows, seed=5, backend="cpu")
    assert np.array_equal(rows, before)
    assert np.array_equal(problem.check(made), made)
    later = SequencePerturbation(kick).perturb(
        problem, rows[4:], seed=5, backend="cpu", first_row=4
    )
    assert np.array_equal(later, made[4:])


@pytest.mark.parametrize("kind", ["compiled", "python"])
def test_all_items_are_inserted_again(kind):
    """If all items are removed, the result does not depend much on the start: it is good."""
    problem = problem_of(kind, 9)
    rows = permutations(40, 9)
    made = SequencePerturbation(gls.DestroyRepair(9)).perturb(problem, rows, backend="cpu")
    assert np.median(problem.cost(made)) < np.quantile(problem.cost(permutations(400, 9)), 0.1)


@pytest.mark.parametrize("longest", [2, 3, 7, 20, 99])
def test_two_adjacent_blocks_are_swapped(longest):
    problem = problem_of("front", 20)
    rows, sizes = rows_of(problem, 300), set()
    made = SequencePerturbation(gls.sequences.BlockSwap(longest)).perturb(
        problem, rows, backend="cpu"
    )
    assert (made[:, 0] == rows[:, 0]).all()  # the front
    for before, after in zip(rows.tolist(), made.tolist(), strict=True):
        places = [k for k in range(20) if before[k] != after[k]]
        first, last = places[0], places[-1] + 1
        window, second = before[first:last], before.index(after[first]) - first
        assert after[first:last] == window[second:] + window[:second]
        sizes.add(last - first)
    assert min(sizes) == 2 and max(sizes) <= min(longest, 19)
    assert len(sizes) >= min(longest - 1, 9)


def test_wrong_arguments_are_refused():
    class Own(SequenceKick):
        name = "own"

    kick = SequencePerturbation(gls.DestroyRepair())
    with pytest.raises(InvalidTourError, match="row 0"):
        kick.perturb(problem_of("compiled", 3), [[0, 0, 1]])
    with pytest.raises(UnsupportedProblemError, match=r"kick: .* functor"):
        SequencePerturbation(Own()).perturb(problem_of("python", 3), [[0, 1, 2]])
    with pytest.raises(UnsupportedProblemError, match=r"kick: BlockSwap.* functor"):
        SequencePerturbation(KICKS[-1]).perturb(problem_of("python", 3), [[0, 1, 2]])
    with pytest.raises(InvalidParameterError, match="longest"):
        gls.sequences.BlockSwap(1)
    with pytest.raises(UnsupportedProblemError, match="is not a sequence problem"):
        kick.perturb(gls.TSP(np.eye(3)[:, :2]), [[0, 1, 2]])

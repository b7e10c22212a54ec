"""Successor generation in each adapter: bounds, shares, seeds, errors."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTourError, InvalidTypeError

COLOURING = gls.GraphColouring.queen(5, 5, 6)
PLACES = gls.QuadraticAssignment.generated(12, 1)  # rows are permutations
SIZE = 30


def states(problem: Any, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    if problem.distinct:
        return rng.permuted(np.tile(np.arange(problem.n), (SIZE, 1)), axis=1)
    return rng.integers(0, problem.sizes, (SIZE, problem.n))


@pytest.mark.parametrize("problem", [COLOURING, PLACES], ids=["values", "permutations"])
@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_a_share_of_the_variables_is_reassigned(face, problem, share):
    given = states(problem)
    made = face.reassign(problem, given.copy(), share=share)
    changed = (made != given).sum(axis=1)
    least = 2 if problem.distinct else 1
    assert (changed <= max(least, round(share * problem.n))).all() and changed.any()
    assert ((made >= 0) & (made < problem.sizes)).all()
    assert not problem.distinct or (np.sort(made, axis=1) == np.arange(problem.n)).all()


def test_the_heuristic_chooses(face):
    weights = np.zeros((COLOURING.n, 6), np.uint32)
    weights[:, 4] = 1  # one colour alone
    table = gls.WeightTable(weights)
    assert (face.reassign(COLOURING, states(COLOURING), heuristic=table, share=1.0) == 4).all()
    assert (face.assigned(COLOURING, 5, heuristic=table) == 4).all()


def test_starts_are_complete(face):
    made = face.assigned(PLACES, SIZE)
    assert made.shape == (SIZE, PLACES.n)
    assert (np.sort(made, axis=1) == np.arange(PLACES.n)).all()
    assert len(np.unique(made, axis=0)) == SIZE


@pytest.mark.parametrize("kind", ["reassign", "assigned"])
def test_seeds_decide(face, kind):
    given = states(COLOURING) if kind == "reassign" else SIZE
    first, again, other = (getattr(face, kind)(COLOURING, given, seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_wrong_parameters_and_rows_are_named(face):
    made = face.operators(COLOURING)["reassign"]
    for options, error, message in (
        ({"share": 2}, InvalidParameterError, "share: 2"),
        ({"backend": "gpu"}, InvalidParameterError, "backend: 'gpu'"),
        ({"order": "random"}, InvalidParameterError, "order: 'random'"),
        ({"heuristic": 3}, InvalidTypeError, "heuristic: 3"),
    ):
        with pytest.raises(error, match=message):
            made(**options)
    wrong = states(COLOURING)
    wrong[3, 2] = 6
    with pytest.raises(InvalidTourError, match="row 3 has 6 as its variable 2"):
        face.reassign(COLOURING, wrong)


def test_operators_need_an_assignment(face):
    if face.framework == "pymoo":
        pytest.skip("pymoo's operators get the problem in a run")
    with pytest.raises(InvalidTypeError, match=r"problem: .* is not an Assignment"):
        face.operators(gls.TSP(np.eye(3, 2)))["reassign"]()


@pytest.mark.parametrize("kind", ["reassign", "assigned"])
def test_operators_are_pickled(face, kind):
    made = face.operators(COLOURING)[kind]()
    assert type(pickle.loads(pickle.dumps(made))) is type(made)

"""Rotations and reversals are duplicates once a pair is known to cost the same."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.rows import canonical
from gpu_ls_plugin.evolution.batches.duplicates import MOST_WAITING, TourDuplicates
from tests.evolution.samples import rows

TOURS = rows(30, 3).astype(np.int32)
ROTATED, REVERSED = np.roll(TOURS, 3, axis=1), np.roll(TOURS[:, ::-1], 5, axis=1)


class Member:
    """A framework's object for a solution."""

    def __init__(self, row: Any, fitness: float | None = None) -> None:
        self.row, self.fitness = row, fitness


def row_of(member: Member) -> Any:
    return member.row


def fitness_of(member: Member) -> Any:
    return member.fitness


def writings(symmetric: bool = True) -> TourDuplicates:
    return TourDuplicates(
        symmetric, row_of, fitness_of, {"rotation": "go away", "reversal": "turn"}
    )


def members(tours: Any, fitness: float | None = None) -> list[Member]:
    return [Member(row, fitness) for row in tours]


def test_equal_rows_are_duplicates_at_once():
    both = np.concatenate([TOURS, TOURS[:2]])
    found = writings().duplicates(members(both), both)
    assert found.tolist() == [False] * 3 + [True] * 2
    found = writings().duplicates(members(TOURS), TOURS, (members(TOURS[1:2]), TOURS[1:2]))
    assert found.tolist() == [False, True, False]


@pytest.mark.parametrize("other", [ROTATED, REVERSED], ids=["rotations", "reversals"])
def test_a_pair_that_costs_the_same_proves_all(other):
    known, there, new = writings(), members(TOURS, 1.0), members(other)
    assert not known.duplicates(new, other, (there, TOURS)).any()
    new[1].fitness = 1.0
    assert known.duplicates(members(other), other, (there, TOURS)).all()
    assert not known.waiting


def test_a_pair_that_costs_something_else_is_an_error():
    known, there, new = writings(), members(TOURS, 1.0), members(ROTATED)
    known.duplicates(new, ROTATED, (there, TOURS))
    new[2].fitness = 2.0
    with pytest.raises(InvalidParameterError, match=r"fitness 1\.0, its rotation 2\.0: go away"):
        known.duplicates(members(TOURS), TOURS, (there, TOURS))


def test_a_problem_of_tours_needs_no_proof():
    known = writings()
    known.adopt(partial(canonical, symmetric=False))
    assert known.duplicates(members(ROTATED), ROTATED, (members(TOURS), TOURS)).all()
    assert not known.duplicates(members(REVERSED), REVERSED, (members(TOURS), TOURS)).any()


def test_few_pairs_wait_and_they_are_pickled():
    many, size = writings(), 2 * MOST_WAITING
    tours = rows(12, size).astype(np.int32)
    turned = np.roll(tours, 1, axis=1)
    many.duplicates(members(turned), turned, (members(tours), tours))
    assert len(many.waiting) == MOST_WAITING
    assert len(pickle.loads(pickle.dumps(many)).waiting) == MOST_WAITING

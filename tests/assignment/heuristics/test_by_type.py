"""Types of variables: each has its own heuristic, which sees all variables."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.testing import check_heuristic
from tests.helpers import successor_oracle
from tests.helpers.heuristics import Spread
from tests.helpers.marks import slow_after

WEIGHTS = np.random.default_rng(3).integers(0, 9, (8, 5))
SPREAD, ROOMY = Spread(8, 5, 3), Spread(8, 5, 5)
PARTS = [
    SPREAD,
    gls.Masked(gls.WeightTable(WEIGHTS), gls.Conflicts([(0, 1), (5, 4), (1, 7)])),
    gls.Expression("1 + load[value]", 8, 5),
    ROOMY,
    gls.Expression("(load[value] < 2) * (variable + value)", 8, 5),
]
TYPES = [0, 1, 2, 4, 3, 1, 3, 1]
NEIGHBOURS = {1: (0, 7), 5: (4,), 7: (1,)}


def weigh(state, variable):
    """The weights of the five heuristics."""
    match TYPES[variable]:
        case 0:
            return SPREAD.weigh(state, variable)
        case 1:
            taken = {state[other] for other in NEIGHBOURS[variable]}
            return [0 if v in taken else int(w) for v, w in enumerate(WEIGHTS[variable])]
        case 2:
            return [1 + state.count(value) for value in range(5)]
        case 3:
            return ROOMY.weigh(state, variable)
    return [(state.count(value) < 2) * (variable + value) for value in range(5)]


@pytest.mark.parametrize("sampler", slow_after(1, ("stored", "rescan")))
def test_each_type_has_its_own_heuristic(sampler):
    random = np.random.default_rng(2)
    states, active = random.integers(-1, 5, (9, 8)), random.random((9, 8)) < 0.8
    options = {"count": 4, "active": active, "order": "shuffled", "seed": 4}
    part = gls.ByType(PARTS, TYPES)
    found = gls.SuccessorGeneration(part, sampler)(None, states, backend="cpu", **options)
    expected = successor_oracle.successors(weigh, states, **options)
    assert np.array_equal(found, expected)


def test_without_aggregates_and_of_one_type():
    """Weights of either table; a value that only one of them leaves out."""
    ones, last = np.ones((3, 4), int), np.tile([0, 0, 0, 1], (3, 1))
    tables = [gls.WeightTable(ones), gls.WeightTable(last)]
    found = gls.SuccessorGeneration(gls.ByType(tables, [1, 0, 1]))(
        None, np.full((50, 3), -1), backend="cpu"
    )
    assert (found[:, [0, 2]] == 3).all() and len(set(found[:, 1])) == 4
    alone = gls.SuccessorGeneration(gls.ByType(tables[1:], [0, 0, 0]))
    assert alone(None, [(0, 0, 0)], backend="cpu").tolist() == [[3, 3, 3]]
    wide = gls.ByType([gls.WeightTable(np.ones((3, 9), int)), tables[0]], [1, 1, 1])
    rows = gls.SuccessorGeneration(wide)(None, np.full((50, 3), -1), backend="cpu")
    assert rows.max() == 3
    assert repr(gls.ByType(tables[:1], [0] * 3)) == (
        "ByType([WeightTable(3 variables, 4 values)], 3 variables)"
    )


class Domains(gls.Assignment):
    integer = True

    def cost(self, rows):
        return self.check(rows).sum(axis=1)


def test_the_problem_limits_the_values():
    tables = [gls.WeightTable(np.ones((3, 4), int)), gls.WeightTable(np.ones((3, 9), int))]
    problem = Domains([1, 4, 2])
    found = gls.SuccessorGeneration(gls.ByType(tables, [0, 1, 0]))(
        problem, np.full((60, 3), -1), backend="cpu"
    )
    assert found.max(axis=0).tolist() == [0, 3, 1] and found.min() == 0


@pytest.mark.slow
def test_the_check_of_heuristics_passes():
    check_heuristic(gls.ByType(PARTS, TYPES), backend="cpu")


@pytest.mark.parametrize(
    ("heuristics", "types", "error", "words"),
    [
        ([], [0], InvalidTypeError, "heuristics: .* is not a list of at least one"),
        (SPREAD, [0], InvalidTypeError, "is not a list of at least one"),
        ([SPREAD, 3], [0], InvalidTypeError, "heuristics: 3 is not a Heuristic"),
        ([SPREAD], [0, 1], InvalidParameterError, r"types: 1 at \(1,\) is not between 0 and 0"),
        ([SPREAD], [-1], InvalidParameterError, "types: -1 at"),
        ([SPREAD], [], InvalidParameterError, r"types: shape \(0,\)"),
        ([SPREAD], [0.0], InvalidTypeError, "types: must be integers"),
        ([SPREAD], [[0], [0, 0]], InvalidTypeError, "types: "),
    ],
)
def test_invalid_types_are_refused(heuristics, types, error, words):
    with pytest.raises(error, match=words):
        gls.ByType(heuristics, types)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (Spread(7, 5, 2), "heuristic 1 is for 7 variables, but there are 8 types"),
        (Spread(8, 4, 2), "variable 0 has 5 values, but heuristic 1, .*, knows only 4"),
    ],
)
def test_heuristics_must_know_all_variables_and_values(other, words):
    part = gls.ByType([SPREAD, other], [0, 1] * 4)
    with pytest.raises(UnsupportedProblemError, match=words):
        gls.SuccessorGeneration(part)(None, [[0] * 8], backend="cpu")

"""Types of variables: each has its own heuristic, which sees all variables."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from tests.helpers.heuristics import Plain, Spread
from tests.helpers.marks import slow_after
from tests.helpers.successor_oracle import assert_successors

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
    """Return the weights by the variable's heuristic."""
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
    assert_successors(gls.ByType(PARTS, TYPES), weigh, states, sampler, **options)


def test_without_aggregates_and_of_one_type():
    """Tables of different weights and widths."""
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


def test_the_problem_limits_the_values():
    tables = [gls.WeightTable(np.ones((3, 4), int)), gls.WeightTable(np.ones((3, 9), int))]
    problem = Plain([1, 4, 2])
    found = gls.SuccessorGeneration(gls.ByType(tables, [0, 1, 0]))(
        problem, np.full((60, 3), -1), backend="cpu"
    )
    assert found.max(axis=0).tolist() == [0, 3, 1] and found.min() == 0

"""All heuristics: the check passes, wrong arguments are refused; weight tables and raters."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.problem.assignment import check_states
from gpu_ls_plugin.core.exceptions import (
    CompilationError,
    InsufficientMemoryError,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.testing import check_heuristic
from tests.assignment.heuristics import test_by_type, test_cheapest_value, test_expression
from tests.helpers.heuristics import Plain, Spread
from tests.helpers.marks import slow_after
from tests.helpers.successor_oracle import assert_successors

VALUE, TYPE, PROBLEM = InvalidParameterError, InvalidTypeError, InvalidProblemError
UNFIT, TOUR, MEMORY = UnsupportedProblemError, InvalidTourError, InsufficientMemoryError

TABLES = {"room": test_expression.ROOM, "cost": test_expression.COST}
CHECKED = [
    (gls.CheapestValue(), test_cheapest_value.PROBLEMS["bins"]),
    (gls.CheapestValue(), test_cheapest_value.PROBLEMS["jobs"]),
    (gls.CheapestValue(), test_cheapest_value.PROBLEMS["plants"]),
    (gls.ByType(test_by_type.PARTS, test_by_type.TYPES), None),
    (gls.Expression(test_expression.TEXTS[0], 5, 4, **TABLES), None),
    (
        gls.Masked(
            Spread(5, 4, 3),
            gls.Conflicts([(0, 1), (3, 1)]),
            gls.Capacities([3] * 4, [1] * 5),
            gls.Distinct(),
        ),
        None,
    ),
]


@pytest.mark.parametrize(("part", "problem"), slow_after(0, CHECKED))
def test_the_check_of_heuristics_passes(part, problem):
    check_heuristic(part, problem, backend="cpu")


ONES = gls.WeightTable(np.ones((3, 4), int))
SPREAD = test_by_type.SPREAD


def expression(text="1", variables=2, values=3, **tables):
    return gls.Expression(text, variables, values, **tables)


MADE = [
    (gls.WeightTable, ([(1, -2)],), VALUE, r"weights: -2 at \(0, 1\) is not between 0"),
    (gls.WeightTable, ([(1, 2**32)],), VALUE, "4294967296 at"),
    (gls.WeightTable, ([(1.0, float("nan"))],), TYPE, "must be integers, not float64"),
    (gls.WeightTable, ([(1, 2), (3,)],), TYPE, "weights: "),
    (gls.WeightTable, ([[True]],), TYPE, "not bool"),
    (gls.WeightTable, ([[]],), VALUE, r"shape \(1, 0\)"),
    (gls.WeightTable, ([],), VALUE, r"shape \(0,\)"),
    (gls.WeightTable, ([1, 2],), VALUE, r"is not \(variables, values\)"),
    (gls.WeightTable, (np.ones((2, 2, 2), int),), VALUE, r"shape \(2, 2, 2\)"),
    (gls.ByType, ([], [0]), TYPE, "heuristics: .* is not a list of at least one"),
    (gls.ByType, (SPREAD, [0]), TYPE, "is not a list of at least one"),
    (gls.ByType, ([SPREAD, 3], [0]), TYPE, "heuristics: 3 is not a Heuristic"),
    (gls.ByType, ([SPREAD], [0, 1]), VALUE, r"types: 1 at \(1,\) is not between 0 and 0"),
    (gls.ByType, ([SPREAD], [-1]), VALUE, "types: -1 at"),
    (gls.ByType, ([SPREAD], []), VALUE, r"types: shape \(0,\)"),
    (gls.ByType, ([SPREAD], [0.0]), TYPE, "types: must be integers"),
    (gls.ByType, ([SPREAD], [[0], [0, 0]]), TYPE, "types: "),
    (gls.CheapestValue, (31,), VALUE, "sharpness: 31 is not between 0 and 30"),
    (gls.CheapestValue, (0.5,), TYPE, "sharpness: 0.5 is not an integer"),
    (gls.CheapestValue, (1, 3), TYPE, "problem: 3 is not an Assignment"),
    (gls.Masked, (ONES,), VALUE, "masks: there is none"),
    (gls.Masked, (ONES, ONES), TYPE, "masks: WeightTable.* not a Mask"),
    (gls.Masked, (3, gls.Distinct()), TYPE, "heuristic: 3 is not a Heur"),
    (gls.Conflicts, ([],), VALUE, r"pairs: shape \(0,\) is not \(k, 2\)"),
    (gls.Conflicts, ([(0, 1), (2,)],), TYPE, "pairs: "),
    (gls.Conflicts, ([(0.0, 1)],), TYPE, "pairs: must be integers, not float"),
    (gls.Conflicts, ([(0, 1), (-1, 2)],), VALUE, r"pairs: -1 at \(1, 0\)"),
    (gls.Conflicts, ([(0, 2**31)],), VALUE, "2147483648"),
    (gls.Conflicts, ([(0, 1), (2, 2)],), VALUE, "2 is in conflict with i"),
    (gls.Capacities, ([], [1]), VALUE, r"capacities: shape \(0,\)"),
    (gls.Capacities, ([1.5], [1]), TYPE, "capacities: must be integers"),
    (gls.Capacities, ([1, -1], [1]), VALUE, r"capacities: -1 at \(1,\)"),
    (gls.Capacities, ([1], [2**31]), VALUE, "demands: 2147483648"),
    (gls.Capacities, ([1], [[[1]]]), VALUE, "demands: shape"),
    (gls.Capacities, ([1], [(1, 1)]), VALUE, "for 2 values, but there"),
    (gls.Capacities, ([1], [(1, 1), (1,)]), TYPE, "demands: "),
    (expression, (3,), TYPE, "text: 3"),
    (expression, ("1", 0), VALUE, "variables: 0"),
    (expression, ("1", 2, 2**31), VALUE, "values: 2147483648"),
    (partial(expression, room=[0.5]), (), TYPE, "room: float64"),
    (partial(expression, room=[[[1]]]), (), TYPE, "one or two axes"),
    (partial(expression, load=[1]), (), VALUE, "load: a table cannot have this name"),
    (partial(expression, **{"for": [1]}), (), VALUE, "for: a table cannot have this name"),
    (Plain, ([],), PROBLEM, "integers of shape"),
    (Plain, ([[1]],), PROBLEM, "integers of shape"),
    (Plain, ([1.0],), PROBLEM, "float64"),
    (Plain, ([2, 0],), PROBLEM, "variable 1 has 0 values"),
    (Plain, ([2**31],), PROBLEM, "variable 0 has 2147483648"),
    (gls.SuccessorGeneration, (3,), TYPE, "heuristic: 3 is not a Heuristic"),
    (gls.SuccessorGeneration, (ONES, "gumbel"), VALUE, "'gumbel' is not one of auto, stored"),
]


@pytest.mark.parametrize(("make", "arguments", "error", "words"), MADE)
def test_wrong_arguments_are_refused(make, arguments, error, words):
    with pytest.raises(error, match=words):
        make(*arguments)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 +", "is not an expression"),
        ("", "is not an expression"),
        ("1 / 2", "'1 / 2' is not allowed in an expression"),
        ("1.5", r"'1\.5' is not allowed"),
        ("color", "'color' is not allowed"),
        ("rooms[value]", "rooms.* with 1 indices is not a table; there are room, load"),
        ("room[value, 1]", "with 2 indices"),
        ("load[value, 1]", "with 2 indices"),
        ("min(1, 2, 3)", r"'min\(1, 2, 3\)' is not allowed"),
        ("__import__('os')", "is not allowed"),
        ("value.real", "is not allowed"),
        ("1 < value < 3", "'1 < value < 3' is not allowed"),
        (str(2**63), "is not allowed"),
    ],
)
def test_wrong_expressions_are_refused(text, words):
    with pytest.raises(InvalidParameterError, match=words):
        expression(text, room=[1, 2, 3])


def masked(mask):
    return gls.Masked(ONES, gls.Distinct(), mask)


EMPTY = [[0] * 3]
CALLED = [
    (ONES, None, [(0, 0, 4)], {}, TOUR, "states: row 0 assigns value 4 to variable 2, whose"),
    (ONES, None, [*EMPTY, (0, -2, 0)], {}, TOUR, "row 1 assigns value -2 to variable 1"),
    (ONES, None, [(0, 0)], {}, TOUR, r"states of 3 variables are \(P, 3\)"),
    (ONES, None, [(0, 0), (0,)], {}, TOUR, "different lengths"),
    (ONES, None, [(0, 0, 0.5)], {}, TYPE, "must be integers"),
    (ONES, None, EMPTY, {"count": 0}, VALUE, "count: 0"),
    (ONES, None, EMPTY, {"count": 1.0}, TYPE, "count"),
    (ONES, None, EMPTY, {"order": "random"}, VALUE, "order: 'random'"),
    (ONES, None, EMPTY, {"active": [1, 0, 1]}, TYPE, "active: int64 is not Boolean"),
    (ONES, None, EMPTY, {"active": [True]}, VALUE, r"active: shape \(1,\)"),
    (ONES, None, EMPTY, {"seed": -1}, VALUE, "seed: -1"),
    (ONES, None, EMPTY, {"first_row": -1}, VALUE, "first_row: -1"),
    (ONES, None, EMPTY, {"memory_limit": 0}, MEMORY, "memory_limit"),
    (ONES, 3, EMPTY, {}, TYPE, "problem: 3 is not a Problem"),
    (ONES, Plain([4, 4]), EMPTY, {}, UNFIT, "for 3 variables, but the problem has 2"),
    (ONES, Plain([4, 5, 4]), EMPTY, {}, UNFIT, "weights are for 4 values, but variable 1 has 5"),
    (Spread(2, 3, 2), Plain([3, 2]), [(0, 0)], {}, UNFIT, "variable 1, but the problem has 2"),
    (Spread(5, 2, 2), Plain([2] * 3), EMPTY, {}, UNFIT, "'spread' has 5 variables, but the"),
    (
        gls.ByType([ONES, Spread(7, 5, 2)], [0, 1, 1]),
        None,
        EMPTY,
        {},
        UNFIT,
        "1 is for 7 variables",
    ),
    (gls.ByType([ONES, Spread(3, 3, 2)], [0] * 3), None, EMPTY, {}, UNFIT, "1, .*, knows only 3"),
    (
        masked(gls.Conflicts([(0, 3)])),
        None,
        EMPTY,
        {},
        UNFIT,
        r"variable 3 .* variables are 0\.\.2",
    ),
    (masked(gls.Capacities([1] * 4, [1] * 2)), None, EMPTY, {}, UNFIT, "for 2 variables, but ther"),
    (masked(gls.Capacities([1] * 3, [1] * 3)), None, EMPTY, {}, UNFIT, "are 3, but variable 0 has"),
]


@pytest.mark.parametrize(("part", "problem", "states", "options", "error", "words"), CALLED)
def test_wrong_calls_are_refused(part, problem, states, options, error, words):
    with pytest.raises(error, match=words):
        gls.SuccessorGeneration(part)(problem, states, backend="cpu", **options)


def test_weights_are_copied():
    given = np.array([(0, 2**32 - 1)], np.uint64)
    table = gls.WeightTable(given)
    given[0] = 7
    assert table.weights.tolist() == [[0, 2**32 - 1]]
    with pytest.raises(ValueError, match="read-only"):
        table.weights[0] = 1


def test_the_rating_size_is_checked():
    class Wrong(Spread):
        rating_bytes = 4

    with pytest.raises(CompilationError, match="rating_bytes"):
        gls.SuccessorGeneration(Wrong(2, 2, 2))(None, [(0, 0)], backend="cpu")


def test_states_are_checked():
    assert check_states([0, -1], np.array([1, 1])).tolist() == [[0, -1]]
    problem = Plain([1, 2])
    assert problem.n == 2 and problem.check([[-1, 1]], parameter="x").dtype == np.int32
    with pytest.raises(InvalidTourError, match="x: row 0 assigns value 1 to variable 0"):
        problem.check([1, 1], parameter="x")


class Rated(Spread):
    """`Spread` with a rater."""

    name = "rated"

    def functor(self):
        return "Rated"

    def source(self):
        rater = """
struct Rated : Spread {
  using Spread::Spread;
  struct Rater {
    const int* loads;
    GLS_DEVICE gls::int64 operator()(int bin) const { return loads[bin]; }
  };
  GLS_DEVICE Rater rater(const gls::State& state, int) const { return {loads(state)}; }
  void rate(const gls::State&, int, int) const;  // never called
};
"""
        return super().source() + rater


@pytest.mark.parametrize("sampler", ["stored", "rescan"])
def test_a_rater_replaces_rate(sampler):
    assert_successors(Rated(9, 4, 3), Spread(9, 4, 3).weigh, np.full((4, 9), -1), sampler)

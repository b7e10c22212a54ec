"""Flow shops: costs and schedules by definition, the functors, files and bad input."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    FileFormatError,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
)
from tests.helpers.instances import instance_path
from tests.sequences.problem.functors import costs_by_functor, permutations

OBJECTIVES = ("makespan", "total_flowtime", "weighted_tardiness")
TIMES = [[3, 2], [1, 4], [2, 2]]


def shop(jobs, machines, objective, setups, seed, real=False):
    rng = np.random.default_rng(seed)
    drawn = rng.uniform if real else rng.integers
    due = {}
    if objective == "weighted_tardiness":
        due = {"due_dates": drawn(-5, 10 * machines, jobs), "weights": drawn(0, 5, jobs)}
    return gls.FlowShop(
        drawn(0, 20, (jobs, machines)),
        objective,
        drawn(0, 10, (machines, jobs, jobs)) if setups else None,
        **due,
    )


def ends_by_definition(problem, row):
    """Return when each job leaves each machine: after the job before and the machine before."""
    ends = {}
    for at, job in enumerate(row):
        for machine in range(problem.machines):
            free = ends[at - 1, machine] if at else 0
            if at and problem.setups is not None:
                free += problem.setups[machine, row[at - 1], job]
            arrives = ends[at, machine - 1] if machine else 0
            ends[at, machine] = max(free, arrives) + problem.times[job, machine]
    return [[ends[at, machine] for machine in range(problem.machines)] for at in range(len(row))]


def cost_by_definition(problem, objective, row):
    last = [ends[-1] for ends in ends_by_definition(problem, row)]
    if objective == "makespan":
        return max(last)
    if objective == "total_flowtime":
        return sum(last)
    late = [max(0, end - problem.due_dates[job]) for job, end in zip(row, last, strict=True)]
    return sum(problem.weights[job] * by for job, by in zip(row, late, strict=True))


@given(
    st.integers(1, 6),
    st.integers(1, 5),
    st.sampled_from(OBJECTIVES),
    st.booleans(),
    st.booleans(),
    st.integers(0, 999),
)
def test_costs_and_schedules_follow_the_definition(jobs, machines, objective, setups, real, seed):
    problem = shop(jobs, machines, objective, setups, seed, real)
    assert problem.integer != real
    rows = permutations(3, jobs, seed)
    for row, cost in zip(rows.tolist(), problem.cost(rows), strict=True):
        assert cost == cost_by_definition(problem, objective, row)
        assert problem.schedule(row).tolist() == ends_by_definition(problem, row)


def test_a_small_flow_shop():
    problem = gls.FlowShop(TIMES)
    # Machine 0: job 0 until 3, job 1 until 4, job 2 until 6. Machine 1: until 5, 9 and 11.
    assert problem.cost([0, 1, 2]).tolist() == [11]
    assert problem.schedule([0, 1, 2]).tolist() == [[3, 5], [4, 9], [6, 11]]
    assert gls.FlowShop(TIMES, "total_flowtime").cost([0, 1, 2]).tolist() == [25]
    late = gls.FlowShop(TIMES, "weighted_tardiness", due_dates=[5, 8, 9], weights=[9, 3, 2])
    assert late.cost([0, 1, 2]).tolist() == [7]
    unit = gls.FlowShop(TIMES, "weighted_tardiness", due_dates=[5, 8, 9])
    assert unit.weights.tolist() == [1, 1, 1]
    setups = np.zeros((2, 3, 3), int)
    setups[1, 0, 1] = 2  # of machine 1, from job 0 to job 1: from 5 to 7
    assert gls.FlowShop(TIMES, setups=setups).schedule([0, 1, 2])[:, 1].tolist() == [5, 11, 13]


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("setups", [False, True])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_functors(objective, setups, real):
    for jobs in (1, 2, 9):
        problem = shop(jobs, 4, objective, setups, jobs, real)
        rows = permutations(50, jobs)
        costs, wanted = costs_by_functor(problem, rows), problem.cost(rows)[:, None]
        if real and objective == "makespan":  # ends are joined to tails
            np.testing.assert_allclose(costs, np.tile(wanted, jobs + 1), rtol=1e-14)
        else:
            np.testing.assert_array_equal(costs, np.tile(wanted, jobs + 1))
        assert ("true" in problem.objective.functor()) == setups


def test_real_times():
    times = np.array(TIMES, np.float32)
    assert gls.FlowShop(times).integer  # all entries are integers
    problem = gls.FlowShop(times + np.float32(0.5))
    assert problem.times.dtype == problem.cost([0, 1, 2]).dtype == np.float64
    # Machine 0: 3.5, 5 and 7.5. Machine 1: 6, 10.5 and 13.
    assert problem.schedule([0, 1, 2]).tolist() == [[3.5, 6], [5, 10.5], [7.5, 13]]
    assert (problem.cost([0, 1, 2]).tolist(), problem.integer) == ([13.0], False)
    late = gls.FlowShop(TIMES, "weighted_tardiness", due_dates=[5, 8, 9], weights=[9, 2.5, 2])
    assert {late.times.dtype, late.due_dates.dtype, late.weights.dtype} == {np.dtype(float)}
    assert late.cost([0, 1, 2]).tolist() == [6.5]
    between = np.zeros((2, 3, 3))
    between[1, 0, 1] = 0.25
    assert gls.FlowShop(TIMES, setups=between).cost([0, 1, 2]).tolist() == [11.25]


def test_costs_of_pymoo_are_the_same():
    flowshop = pytest.importorskip("pymoo.problems.single.flowshop_scheduling")
    other = flowshop.create_random_flowshop_problem(5, 12, random_state=np.random.default_rng(1))
    rows = permutations(30, 12)
    costs = gls.FlowShop(other.records.T).cost(rows)
    assert costs.tolist() == [other.makespan(row) for row in rows]


def test_rows_are_checked():
    problem = gls.FlowShop(TIMES)
    with pytest.raises(InvalidTourError, match="row 0 is not a permutation: item 1 appears 2"):
        problem.cost([0, 1, 1])
    with pytest.raises(InvalidTourError, match="row: 2 sequences, but one is needed"):
        problem.schedule([[0, 1, 2], [2, 1, 0]])


def test_descriptions_and_copies():
    problem = shop(5, 3, "weighted_tardiness", True, 0)
    copy = pickle.loads(pickle.dumps(problem))
    rows = permutations(10, 5)
    np.testing.assert_array_equal(copy.cost(rows), problem.cost(rows))
    assert repr(copy) == "<FlowShop: 5 jobs, 3 machines, weighted_tardiness>"
    assert repr(gls.FlowShop(TIMES, name="a")) == "<FlowShop 'a': 3 jobs, 2 machines, makespan>"
    assert gls.FlowShop(TIMES, optimum=11).optimum == 11
    times = np.array(TIMES)
    problem = gls.FlowShop(times)
    times[0, 0] = 99  # the problem has a copy
    assert problem.times[0, 0] == 3
    with pytest.raises(ValueError, match="read-only"):
        problem.times[0, 0] = 5


LATE = {"objective": "weighted_tardiness", "due_dates": [1, 2, 3]}


@pytest.mark.parametrize(
    ("times", "given_too", "error", "reason"),
    [
        ([1, 2, 3], {}, InvalidProblemError, r"times: shape \(3,\) is not \(jobs, machines\)"),
        ([], {}, InvalidProblemError, "times: shape"),
        ([[1, 2], [3]], {}, InvalidProblemError, "times: rows of different lengths"),
        ([[1, -2]], {}, InvalidProblemError, r"times: entry \(0, 1\) is -2, negative"),
        ([[-0.5]], {}, InvalidProblemError, r"times: entry \(0, 0\) is -0.5, negative"),
        ([[float("inf")]], {}, InvalidProblemError, r"times: entry \(0, 0\) is inf, not finite"),
        ([[1e300, 0.5]], {}, InvalidProblemError, r"times: makespans may reach 2\*\*62"),
        ([[float("nan")]], {}, InvalidProblemError, r"times: entry \(0, 0\) is nan, not finite"),
        ([["a"]], {}, InvalidTypeError, "times: entries must be numbers"),
        ([[2**30]], {}, InvalidProblemError, r"times: makespans may reach 2\*\*30"),
        ([[2**64]], {}, InvalidProblemError, "times: integers of more than 64 bits"),
        ([[2**62] * 2] * 2, {}, InvalidProblemError, "makespans may reach"),
        ([[1] * 129], {}, InvalidProblemError, "times: 129 machines, but at most 128"),
        (TIMES, {"objective": "cost"}, InvalidParameterError, "objective: 'cost' is not one of"),
        (TIMES, {"objective": None}, InvalidTypeError, "objective: None is not a string"),
        (TIMES, {"objective": LATE["objective"]}, InvalidParameterError, "due_dates: .* needs"),
        (TIMES, {"due_dates": [1, 2, 3]}, InvalidParameterError, "due_dates: makespan does not"),
        (TIMES, {"weights": [1, 2, 3]}, InvalidParameterError, "weights: makespan does not"),
        (TIMES, {**LATE, "due_dates": [1, 2]}, InvalidProblemError, r"due_dates: shape \(2,\)"),
        (TIMES, {**LATE, "due_dates": [0.5, float("nan"), 1]}, InvalidProblemError, "not finite"),
        (TIMES, {**LATE, "due_dates": [0.5, -1e300, 1]}, InvalidProblemError, "weights times"),
        (TIMES, {**LATE, "weights": [0.5, -0.5, 1]}, InvalidProblemError, "weights: .* negative"),
        (TIMES, {**LATE, "due_dates": [-(2**62)] * 3}, InvalidProblemError, "due_dates: weights"),
        (TIMES, {**LATE, "weights": [1, 2]}, InvalidProblemError, r"weights: shape \(2,\)"),
        (TIMES, {**LATE, "weights": [1, -2, 3]}, InvalidProblemError, "weights: .* negative"),
        (TIMES, {**LATE, "weights": [2**61] * 3}, InvalidProblemError, "weights times delays"),
        (TIMES, {"setups": np.ones((3, 3))}, InvalidProblemError, "setups: shape"),
        (TIMES, {"setups": np.ones((3, 3, 2), int)}, InvalidProblemError, r"is \(2, 3, 3\)"),
        (TIMES, {"setups": -np.ones((2, 3, 3))}, InvalidProblemError, "setups: .* negative"),
        (TIMES, {"setups": np.full((2, 3, 3), 2**29)}, InvalidProblemError, "makespans may reach"),
        (TIMES, {"name": 3}, InvalidTypeError, "name: 3 is not a string"),
        (TIMES, {"optimum": float("nan")}, InvalidParameterError, "optimum"),
        (np.ones((2**15 + 1, 1)), {}, InvalidParameterError, "n: 32769 is not between"),
    ],
)
def test_bad_input(times, given_too, error, reason):
    with pytest.raises(error, match=reason):
        gls.FlowShop(times, **given_too)


def test_largest_times():
    problem = gls.FlowShop([[2**29, 2**29 - 1]] * 1)
    assert problem.cost([0]).tolist() == [2**30 - 1]
    assert costs_by_functor(problem, np.zeros((1, 1), np.int32)).tolist() == [[2**30 - 1] * 2]


GOOD = "3 2\n 3 1 2\n\n2 4 2\n"


def test_files_are_read(tmp_path):
    path = tmp_path / "small.txt"
    path.write_text(GOOD)
    problem = gls.FlowShop.read(path, optimum=9)
    assert (problem.times.tolist(), problem.name, problem.optimum) == (TIMES, "small", 9)
    late = gls.FlowShop.read(path, "weighted_tardiness", due_dates=[5, 8, 9])
    assert late.cost([0, 1, 2]).tolist() == [3]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "ends after 0 of 2 numbers"),
        ("3\n", "line 1: 1 numbers, but the numbers of jobs and machines are 2"),
        ("0 2\n", "line 1: 0 jobs"),
        ("3 -2\n", "line 1: -2 machines"),
        ("3 2\n3 1 2\n", "line 2: the file ends after 0 of 3 numbers"),
        ("3 2\n3 1 2\n2 4\n", "line 3: 2 numbers, but the times of all 3 jobs on machine 2 are 3"),
        ("2 3\n3 1 2\n2 4 2\n", "line 2: 3 or more numbers, but the times of all 2 jobs"),
        ("3 2\n3 1 2\n2 x 2\n", "line 3: 'x' is not an integer"),
        ("3 2\n3 1 2\n2 1.5 2\n", "line 3: '1.5' is not an integer"),
        (f"{GOOD}7\n", "line 5: '7' follows the last number"),
        ("3 2\n3 1 2\n2 -4 2\n", r"times: entry \(1, 1\) is -4, negative"),
        ("3 2\n3 1 2\n2 \0 2\n", "a binary file"),
        ("999999999 999999999\n1\n", "line 2: 1 numbers, but the times"),
    ],
)
def test_damaged_files_are_refused(text, reason, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=reason) as caught:
        gls.FlowShop.read(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "best"), [("taillard/tai20_5_0", 1278), ("vfr-large/VFR100_20_4_Gap", 6173)]
)
def test_published_instances(name, best):
    path = instance_path(f"flowshop/{name}.txt")
    problem = gls.FlowShop.read(path)
    assert [problem.n, problem.machines] == [*map(int, path.read_text().split()[:2])]
    makespans = problem.cost(permutations(1000, problem.n))
    assert best <= makespans.min() <= 1.3 * best

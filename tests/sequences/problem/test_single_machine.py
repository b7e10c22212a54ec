"""Single machines: tardiness by definition, the functor, generated instances and bad input."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
)
from tests.sequences.problem.functors import costs_by_functor, permutations

JOBS = ([3, 1, 2], [2, 4, 4], [2, 1, 5])  # times, due dates and weights


def machine(jobs, setups, seed, real=False):
    rng = np.random.default_rng(seed)
    drawn = rng.uniform if real else rng.integers
    return gls.SingleMachine(
        drawn(0, 20, jobs),
        drawn(-5, 10 * jobs, jobs),
        drawn(0, 5, jobs),
        drawn(0, 10, (jobs, jobs)) if setups else None,
    )


@given(st.integers(1, 7), st.booleans(), st.booleans(), st.integers(0, 999))
def test_costs_follow_the_definition(jobs, setups, real, seed):
    problem = machine(jobs, setups, seed, real)
    assert problem.integer != real
    rows = permutations(3, jobs, seed)
    for row, cost in zip(rows.tolist(), problem.cost(rows), strict=True):
        now, expected, ends = 0, 0, []
        for at, job in enumerate(row):
            between = problem.setups[row[at - 1], job] if setups and at else 0
            now += between + problem.times[job]
            ends.append(now)
            expected += problem.weights[job] * max(0, now - problem.due_dates[job])
        assert cost == expected
        assert problem.schedule(row).tolist() == ends


def test_a_small_problem():
    problem = gls.SingleMachine(*JOBS)
    # Job 0 ends at 3 and is late by 1, job 1 ends at 4, in time, and job 2 at 6, late by 2.
    assert problem.cost([0, 1, 2]).tolist() == [2 * 1 + 5 * 2]
    assert problem.schedule([0, 1, 2]).tolist() == [3, 4, 6]
    setups = np.full((3, 3), 7)
    setups[0, 1], setups[1, 2] = 2, 1  # from job 0 to job 1, and on to job 2
    assert gls.SingleMachine(*JOBS, setups).schedule([0, 1, 2]).tolist() == [3, 6, 9]


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("setups", [False, True])
def test_the_functor(setups, real):
    for jobs in (1, 2, 9):
        problem = machine(jobs, setups, jobs, real)
        rows = permutations(50, jobs)
        costs = costs_by_functor(problem, rows)
        np.testing.assert_array_equal(costs, np.tile(problem.cost(rows)[:, None], jobs + 1))


def test_the_functor_of_large_numbers():
    problem = gls.SingleMachine([2**40, 2**41], [0, 5], [3, 2**18], [[0, 2**42], [2**41, 0]])
    rows = permutations(10, 2)
    costs = costs_by_functor(problem, rows)
    np.testing.assert_array_equal(costs, np.tile(problem.cost(rows)[:, None], 3))


def test_generated_instances():
    problem = gls.SingleMachine.generated(2000, seed=1, tardiness=0.8, spread=0.2)
    total = problem.times.sum()
    for values, least, most in (
        (problem.times, 1, 100),
        (problem.weights, 1, 10),
        (problem.due_dates / total, 0.1, 0.3),
    ):
        assert least <= values.min() <= least + 0.001 * most
        assert 0.999 * most <= values.max() <= most
    again = gls.SingleMachine.generated(2000, seed=1, tardiness=0.8, spread=0.2)
    assert again.due_dates.tolist() == problem.due_dates.tolist()
    assert gls.SingleMachine.generated(1).n == 1
    with pytest.raises(InvalidParameterError, match=r"tardiness: 1\.5 is not between"):
        gls.SingleMachine.generated(5, tardiness=1.5)
    with pytest.raises(InvalidParameterError, match="spread: -1 is not between"):
        gls.SingleMachine.generated(5, spread=-1)


def test_rows_are_checked():
    problem = gls.SingleMachine(*JOBS)
    with pytest.raises(InvalidTourError, match="sequences of 3 items"):
        problem.cost([0, 1])
    with pytest.raises(InvalidTourError, match="row: 2 sequences, but one is needed"):
        problem.schedule([[0, 1, 2], [2, 1, 0]])


def test_descriptions_and_copies():
    problem = machine(5, True, 0)
    copy = pickle.loads(pickle.dumps(problem))
    rows = permutations(10, 5)
    np.testing.assert_array_equal(copy.cost(rows), problem.cost(rows))
    assert repr(copy) == "<SingleMachine: 5 jobs with set-ups>"
    named = gls.SingleMachine(*JOBS, name="a", optimum=3)
    assert (repr(named), named.optimum) == ("<SingleMachine 'a': 3 jobs>", 3)


@pytest.mark.parametrize(
    ("changed", "error", "reason"),
    [
        ({"times": [[1, 2, 3]]}, InvalidProblemError, r"times: shape \(1, 3\) is not \(jobs\)"),
        ({"times": []}, InvalidProblemError, "times: shape"),
        ({"times": [1, -2, 3]}, InvalidProblemError, r"times: entry \(1,\) is -2, negative"),
        ({"times": [1, -2.5, 3]}, InvalidProblemError, "times: entry .* -2.5, negative"),
        ({"times": [1, float("inf"), 3]}, InvalidProblemError, "times: entry .* inf, not finite"),
        ({"times": [1, 1e300, 3]}, InvalidProblemError, r"times: sums may reach 2\*\*62"),
        ({"times": [0.5, 1e18, 3]}, InvalidProblemError, "weights times delays may add up"),
        ({"times": [1, None, 3]}, InvalidTypeError, "times: entries must be numbers"),
        ({"times": [2**61] * 3}, InvalidProblemError, r"times: sums may reach 2\*\*62"),
        ({"due_dates": [1, 2]}, InvalidProblemError, r"due_dates: shape \(2,\), but"),
        ({"due_dates": [1, 2, float("nan")]}, InvalidProblemError, "due_dates: .* not finite"),
        ({"due_dates": None}, InvalidTypeError, "due_dates"),
        ({"weights": [1, 2]}, InvalidProblemError, r"weights: shape \(2,\), but"),
        ({"weights": [1, 2, -3]}, InvalidProblemError, "weights: .* negative"),
        ({"weights": [2**60] * 3}, InvalidProblemError, "weights times delays may add up"),
        ({"setups": np.ones((3, 2))}, InvalidProblemError, r"setups: shape \(3, 2\), but"),
        ({"setups": -np.ones((3, 3))}, InvalidProblemError, "setups: .* negative"),
        ({"setups": np.full((3, 3), 2**62)}, InvalidProblemError, "times: sums may reach"),
        ({"optimum": "low"}, InvalidTypeError, "optimum"),
    ],
)
def test_bad_input(changed, error, reason):
    arguments = dict(zip(("times", "due_dates", "weights"), JOBS, strict=True)) | changed
    with pytest.raises(error, match=reason):
        gls.SingleMachine(**arguments)

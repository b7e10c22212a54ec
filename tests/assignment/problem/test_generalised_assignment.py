"""Generalised assignment: costs by brute force, the functor, and published rules."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidProblemError, InvalidTypeError
from gpu_ls_plugin.testing import check_assignment
from tests.testing.faults import ON_BOTH


@st.composite
def cases(draw):
    jobs, agents = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    large = draw(st.sampled_from([9, 10**15]))

    def table(least):
        row = st.lists(st.integers(least, large), min_size=agents, max_size=agents)
        return draw(st.lists(row, min_size=jobs, max_size=jobs))

    capacities = st.lists(st.integers(0, 2 * large), min_size=agents, max_size=agents)
    row = st.lists(st.integers(-1, agents - 1), min_size=jobs, max_size=jobs)
    rows = draw(st.lists(row, min_size=1, max_size=5))
    return table(-large), table(0), draw(capacities), draw(st.sampled_from(["min", "max"])), rows


@given(cases())
def test_costs_and_loads(case):
    costs, resources, capacities, sense, rows = case
    problem = gls.GeneralisedAssignment(costs, resources, capacities, sense)
    sign = 1 if sense == "min" else -1
    for row, cost, load, fits in zip(
        rows, problem.cost(rows), problem.loads(rows), problem.feasible(rows), strict=True
    ):
        given_to = [(job, agent) for job, agent in enumerate(row) if agent >= 0]
        assert cost == sign * sum(costs[job][agent] for job, agent in given_to)
        loads = [sum(resources[j][a] for j, a in given_to if a == i) for i in range(len(load))]
        assert load.tolist() == loads
        within = all(used <= room for used, room in zip(loads, capacities, strict=True))
        assert fits == (within and len(given_to) == len(row))


@ON_BOTH
def test_the_functor(backend):
    for seed, kind in enumerate("ABCDE"):
        check_assignment(gls.GeneralisedAssignment.generated(kind, 12, 3, seed), backend=backend)
    one = gls.GeneralisedAssignment([[-5]], [[3]], [2], "max")
    check_assignment(one, backend=backend)


def test_the_functor_of_large_numbers():
    rng = np.random.default_rng(1)
    costs, resources = (rng.integers(0, 2**57, (8, 3)) for _ in range(2))
    problem = gls.GeneralisedAssignment(costs, resources, [2**58] * 3, "max")
    assert problem.functor() == "gls::GeneralisedAssignment<gls::int64>"
    check_assignment(problem, backend="cpu")


GOOD = {"costs": [[1, 2], [3, 4]], "resources": [[1, 1], [1, 1]], "capacities": [1, 2]}


@pytest.mark.parametrize(
    ("parameter", "value", "words"),
    [
        ("costs", [[1, 2]], "resources: shape"),
        ("costs", [1, 2], "costs: shape"),
        ("costs", [[1, 2], [3]], "different lengths"),
        ("costs", np.zeros((0, 2)), "costs: shape"),
        ("costs", [[1, 2], [3, float("nan")]], r"costs: entry \(1, 1\) is nan"),
        ("costs", [[1, 2], [3, 4.5]], r"costs: entry \(1, 1\) is 4.5"),
        ("costs", [[1, 2], [3, 2.0**63]], "costs: entry"),
        ("costs", [[1, 2], [3, -(2**63)]], r"costs: sums may exceed 2\*\*62"),
        ("costs", [[1, 2], [3, 2**61 + 1]], "costs: sums"),
        ("resources", [[1, 1], [1, -1]], r"resources: entry \(1, 1\) is -1, negative"),
        ("resources", [[1, 1], [1, 2**62]], "resources: sums"),
        ("capacities", [1], "capacities: shape"),
        ("capacities", [1, -2], "capacities: entry"),
        ("capacities", [1, 2**63 - 1], "capacities: one exceeds"),
    ],
)
def test_invalid_data_are_refused(parameter, value, words):
    with pytest.raises(InvalidProblemError, match=words):
        gls.GeneralisedAssignment(**GOOD | {parameter: value})


def test_texts_are_refused():
    with pytest.raises(InvalidTypeError, match="costs"):
        gls.GeneralisedAssignment(**GOOD | {"costs": [["1", "2"], ["3", "4"]]})


@pytest.mark.parametrize("kind", "ABCDE")
def test_rules_of_the_published_types(kind):
    jobs, agents = 200, 5
    problem = gls.GeneralisedAssignment.generated(kind, jobs, agents, seed=3)
    costs, taken = problem.costs, problem.resources
    # Capacity as a share of an agent's fair part of the resources.
    share = problem.capacities / taken.sum(axis=0) * agents
    if kind in "ABC":
        assert (taken.min(), taken.max(), costs.min(), costs.max()) == (5, 25, 10, 50)
    if kind in "AB":
        loads = [taken[costs.argmin(axis=1) == agent, agent].sum() for agent in range(agents)]
        room = 0.6 * jobs / agents * 15 + 0.4 * max(loads)
        assert (problem.capacities == int(room * (1 if kind == "A" else 0.7))).all()
    else:
        assert ((share <= 0.8) & (share > 0.79)).all()
    if kind == "D":
        assert (taken.min(), taken.max()) == (1, 100)
        assert np.ptp(costs + taken) == 20 and (costs + taken).mean() == pytest.approx(111, abs=1)
    if kind == "E":
        assert taken.min() == 1 and taken.mean() == pytest.approx(11, abs=1)
        assert (np.abs(costs - 1000 / taken + 5) <= 5.5).all()
    assert problem.name == f"{kind.lower()}05200" and problem.penalty > 0
    again, other = (
        gls.GeneralisedAssignment.generated(kind, jobs, agents, seed=seed) for seed in (3, 4)
    )
    assert np.array_equal(costs, again.costs) and not np.array_equal(costs, other.costs)

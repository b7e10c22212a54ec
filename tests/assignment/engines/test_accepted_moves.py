"""Moves that acceptance rules take are those of an oracle, in one launch or in many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.engines.searched_states import SearchedStates
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from tests.assignment.engines.test_tabu import problems
from tests.helpers.accepted_oracle import accepted_search
from tests.helpers.marks import slow_after

STEPS, FIRST_ROW = 20, 2**33
RULES = {"threshold": gls.Threshold(0.3), "annealing": gls.Annealing(0.8)}


@pytest.mark.parametrize(
    ("kind", "name"),
    slow_after(
        1, [("quadratic", "annealing"), ("generalised", "threshold"), ("colouring", "annealing")]
    ),
)
@given(seed=st.integers(0, 2**20), launch=st.sampled_from([1, 7, STEPS]))
def test_steps_are_the_oracle_s(kind, name, seed, launch):
    problem, rule = problems(seed)[kind], RULES[name]
    rng = np.random.default_rng(seed)
    draw = rng.permutation if problem.distinct else lambda n: rng.integers(0, problem.sizes[:n])
    states = np.array([draw(problem.n) for _ in range(2)], np.int32)
    plan = gls.SuccessorSearch(accept=rule, steps=STEPS, sample=200).plan(problem)
    population = SearchedStates(
        plan, get_backend("cpu"), problem, states.copy(), seed, FIRST_ROW, None, 2**30
    )
    for _ in range(-(-STEPS // launch)):
        population.advance(min(launch, STEPS - population.step), 100.0)
    for row, state in enumerate(states.tolist()):
        last, best, drawn = accepted_search(
            problem, state, STEPS, name, rule.level, seed=seed, row=FIRST_ROW + row
        )
        assert population.states[row].tolist() == last
        assert population.elites.states[row].tolist() == best
        assert population.look_counts[row] == drawn


def test_a_rule_that_takes_no_rise_descends():
    problem = gls.QuadraticAssignment.generated(12, 1)
    starts = np.array([np.random.default_rng(s).permutation(12) for s in range(4)])
    plan = gls.SuccessorSearch(accept=gls.Better(), steps=200, sample=500).plan(problem)
    population = SearchedStates(
        plan, get_backend("cpu"), problem, starts.astype(np.int32), 1, 0, None, 2**30
    )
    population.advance(200, 100.0)
    assert (problem.cost(population.states) == population.elites.costs).all()
    for state in population.states:
        swapped = np.repeat(state[None], 66, axis=0)
        for row, (a, b) in zip(swapped, zip(*np.triu_indices(12, 1), strict=True), strict=True):
            row[[a, b]] = row[[b, a]]
        assert problem.cost(swapped).min() >= problem.cost(state)[0]


def test_what_is_no_rule():
    with pytest.raises(InvalidTypeError, match="accept: 'better' is not an Acceptance"):
        gls.SuccessorSearch(accept="better")
    with pytest.raises(InvalidParameterError, match=r"improvement, accept: .* leave one out"):
        gls.SuccessorSearch(accept=gls.Better(), improvement="tabu")

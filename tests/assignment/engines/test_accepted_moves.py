"""Moves by acceptance rules match an oracle, in one launch or in many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from tests.assignment.engines.test_tabu import problems
from tests.helpers.accepted_oracle import accepted_search
from tests.helpers.marks import slow_after
from tests.helpers.searched_states import FIRST_ROW, after_steps, random_states, searched

STEPS = 20
RULES = {"threshold": gls.Threshold(0.3), "annealing": gls.Annealing(0.8)}


@pytest.mark.parametrize(
    ("kind", "name"),
    slow_after(
        1, [("quadratic", "annealing"), ("generalised", "threshold"), ("colouring", "annealing")]
    ),
)
@given(seed=st.integers(0, 2**20), launch=st.sampled_from([1, 7, STEPS]))
def test_steps_match_the_oracle(kind, name, seed, launch):
    problem, rule = problems(seed)[kind], RULES[name]
    states = random_states(problem, 2, seed)
    search = gls.SuccessorSearch(accept=rule, steps=STEPS, sample=200)
    population = after_steps(search, problem, states, STEPS, launch, seed)
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
    search = gls.SuccessorSearch(accept=gls.Better(), steps=200, sample=500)
    population = searched(search, problem, starts, seed=1)
    population.advance(200, 100.0)
    assert (problem.cost(population.states) == population.elites.costs).all()
    for state in population.states:
        swapped = np.repeat(state[None], 66, axis=0)
        for row, (a, b) in zip(swapped, zip(*np.triu_indices(12, 1), strict=True), strict=True):
            row[[a, b]] = row[[b, a]]
        assert problem.cost(swapped).min() >= problem.cost(state)[0]


def test_invalid_rules_are_refused():
    with pytest.raises(InvalidTypeError, match="accept: 'better' is not an Acceptance"):
        gls.SuccessorSearch(accept="better")
    with pytest.raises(InvalidParameterError, match=r"improvement, accept: .* leave one out"):
        gls.SuccessorSearch(accept=gls.Better(), improvement="tabu")

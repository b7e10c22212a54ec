"""Tabu steps match an oracle, in one launch or in many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from tests.helpers.examples import examples
from tests.helpers.marks import slow_after
from tests.helpers.searched_states import FIRST_ROW, after_steps, random_states
from tests.helpers.tabu_oracle import tabu_search

STEPS = 25


def problems(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 8))
    edges = [(a, b) for a in range(n) for b in range(a) if rng.random() < 0.7] or [(0, 1)]
    return {
        "colouring": gls.GraphColouring(n, edges, int(rng.integers(1, 4))),
        "generalised": gls.GeneralisedAssignment.generated("D", n, int(rng.integers(1, 5)), seed),
        "quadratic": gls.QuadraticAssignment(*rng.integers(0, 9, (2, n, n))),
    }


@pytest.mark.parametrize("kind", slow_after(2, ["generalised", "quadratic", "colouring"]))
@examples(60)
@given(seed=st.integers(0, 2**20), launch=st.sampled_from([1, 7, STEPS]))
def test_steps_match_the_oracle(kind, seed, launch):
    problem, search = problems(seed)[kind], gls.SuccessorSearch(improvement="tabu")
    states = random_states(problem, 2, seed)
    population = after_steps(search, problem, states, STEPS, launch, seed)
    tenure = population.plan.improvement.tenures[0]
    for row, state in enumerate(states.tolist()):
        last, best = tabu_search(problem, state, STEPS, tenure, seed=seed, row=FIRST_ROW + row)
        assert population.states[row].tolist() == last
        assert population.elites.states[row].tolist() == best


def test_a_step_is_the_best_of_all_moves():
    problem = gls.QuadraticAssignment([[0, 5, 1], [5, 0, 0], [1, 0, 0]], np.arange(9).reshape(3, 3))
    result = gls.SuccessorSearch()(problem, [[0, 1, 2]], budget=gls.Budget(moves=1), backend="cpu")
    swaps = [[1, 0, 2], [2, 1, 0], [0, 2, 1]]
    assert result.best_cost == min(problem.cost([[0, 1, 2], *swaps]))
    assert result.statistics.moves == 1 and result.statistics.stopped_by == "moves"


def test_the_sample_limits_the_moves():
    problem = gls.QuadraticAssignment.generated(30, 1)
    start = np.arange(30)[None]
    few, all_ = (
        gls.SuccessorSearch(sample=s)(problem, start, budget=gls.Budget(moves=1), backend="cpu")
        for s in (1, 435)
    )
    assert problem.cost(start)[0] >= few.best_cost >= all_.best_cost
    assert few.best_cost > all_.best_cost

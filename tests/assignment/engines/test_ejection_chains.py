"""Ejection chains match an oracle; prices and likely values of a problem."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.engines.successor_search import KICKS
from gpu_ls_plugin.assignment.problem.load_prices import likely_values, load_prices
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from tests.helpers.ejection_oracle import chain_search
from tests.helpers.searched_states import FIRST_ROW, after_steps, random_states

STEPS = 6


@given(
    seed=st.integers(0, 2**20),
    jobs=st.integers(1, 20),
    agents=st.integers(1, 6),
    kind=st.sampled_from("CDE"),
    launch=st.sampled_from([1, 4, STEPS]),
)
@example(seed=1, jobs=60, agents=4, kind="D", launch=STEPS)  # more variables of a value than lanes
def test_steps_match_the_oracle(seed, jobs, agents, kind, launch):
    problem = gls.GeneralisedAssignment.generated(kind, jobs, agents, seed)
    states = random_states(problem, 2, seed)
    search = gls.SuccessorSearch(steps=STEPS)
    population = after_steps(search, problem, states, STEPS, launch, seed)
    for row, state in enumerate(states.tolist()):
        last, best = chain_search(problem, state, STEPS, KICKS, seed=seed, row=FIRST_ROW + row)
        assert population.states[row].tolist() == last
        assert population.elites.states[row].tolist() == best


def test_chains_find_more_than_single_moves():
    problem = gls.GeneralisedAssignment.generated("D", 60, 10, 1)
    starts = np.full((2, 60), -1)
    by = {
        name: gls.SuccessorSearch(improvement=name, steps=300)(
            problem, starts, budget=gls.Budget(kicks=2), backend="cpu"
        )
        for name in ("tabu", "chains")
    }
    assert by["chains"].statistics.evaluations < by["tabu"].statistics.evaluations
    assert problem.feasible(by["chains"].tours).all()
    assert by["chains"].best_cost < by["tabu"].best_cost


def test_prices_are_a_dual_solution():
    problem = gls.GeneralisedAssignment.generated("D", 60, 5, 1)
    tables = problem.costs, problem.resources, problem.capacities
    prices = load_prices(*tables)
    relaxed = (problem.costs + prices * problem.resources).min(axis=1).sum()
    bound = relaxed - prices @ problem.capacities
    optimize = pytest.importorskip("scipy.optimize")
    jobs, agents = problem.costs.shape
    job, agent = np.divmod(np.arange(jobs * agents), agents)
    each, loads = np.zeros((jobs, jobs * agents)), np.zeros((agents, jobs * agents))
    each[job, np.arange(len(job))] = 1
    loads[agent, np.arange(len(job))] = problem.resources.ravel()
    best = optimize.linprog(
        problem.costs.ravel(), A_ub=loads, b_ub=problem.capacities, A_eq=each, b_eq=np.ones(jobs)
    )
    assert best.fun * 0.999 < bound <= best.fun * (1 + 1e-9)


def test_likely_values_are_the_cheapest():
    rng = np.random.default_rng(1)
    priced = rng.random((30, 8))
    likely, begins = likely_values(priced, np.ones(priced.shape, bool), 1.0)
    assert begins[0] == 0 and begins[-1] == len(likely)
    for variable, (begin, end) in enumerate(pairwise(begins)):
        assert (likely[begin:end, 0] == variable).all()
        cheapest = priced[variable].argsort()[: end - begin]
        assert likely[begin:end, 1].tolist() == cheapest.tolist()
        assert 2 <= end - begin <= 6
    assert 60 <= len(likely) <= 90
    assert likely_values(priced[:, :1], np.ones((30, 1), bool), 1.0)[0].shape == (30, 2)


def test_problems_without_chains():
    with pytest.raises(UnsupportedProblemError, match="improvement: GraphColouring has no chains"):
        gls.SuccessorSearch(improvement="chains").plan(gls.GraphColouring.queen(4, 4, 5))
    costs = np.full((4, 2), 2**30)
    large = gls.GeneralisedAssignment(costs, costs, [2**32, 2**32])
    assert not large.chains
    found = gls.SuccessorSearch(steps=5)(large, budget=gls.Budget(kicks=1), backend="cpu")
    assert found.best_cost == 2**32


def test_a_tenure_selects_tabu_steps():
    problem = gls.GeneralisedAssignment.generated("D", 20, 4, 1)
    kinds = {
        (None, "auto"): "chains",
        (5, "auto"): "tabu",
        (5, "chains"): "chains",
        (None, "tabu"): "tabu",
    }
    for (tenure, improvement), name in kinds.items():
        search = gls.SuccessorSearch(tenure=tenure, improvement=improvement)
        assert search.plan(problem).improvement.name == name
